"""Checks of the printed orders, and of the distance to play without knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.lab.experiments.catalogue.base import Verdict
from stoic.lab.experiments.catalogue.checks import Check, every, per_round, spread
from stoic.lab.experiments.catalogue.park2024.shared import EPSILONS, LABELS, LARGEST_STD, UNIFORM
from stoic.lab.experiments.compare import Difference, paired_difference
from stoic.lab.experiments.results import Curve, Results

__all__ = [
    "below",
    "brief_orders",
    "chain",
    "first",
    "gap",
    "last",
    "near",
    "orders",
    "rates",
    "whole",
]

NEAR = 0.1  # play is near another's if its regret differs by at most this share
NAMES = {UNIFORM.label: "uniform play", LARGEST_STD.label: "playing the largest std"}


def rates(results: Results, policies: Sequence[str] = LABELS, **where: Any) -> dict[str, Curve]:
    """The regret of some policies in one setting."""
    found = {}
    for policy in policies:
        (case,) = results.some(policy=policy, **where)
        found[policy] = results.curve(case)
    return found


def gap(a: Curve, b: Curve) -> Difference:
    """The paired difference of regret per round, over the trials that both have."""
    mine, theirs = common((a, b))
    return paired_difference(mine, theirs)


def common(curves: Sequence[Curve]) -> list[Array]:
    """The regret per round of several policies, over the trials that all have."""
    shared = reduce(np.intersect1d, [curve.trials for curve in curves])
    return [per_round(curve)[np.isin(curve.trials, shared)] for curve in curves]


def below(pairs: Iterable[tuple[str, str]], **where: Any) -> Check:
    """Check that the first policy of each pair has less regret than the second.

    A pair holds if the interval of its paired difference is below zero, fails if it is above, and
    is not settled otherwise.
    """
    pairs = list(pairs)

    def check(results: Results) -> Verdict:
        found = rates(results, tuple(dict.fromkeys(p for pair in pairs for p in pair)), **where)
        holds, odd = [], []
        for better, worse in pairs:
            d = gap(found[better], found[worse])
            holds.append(True if d.high < 0.0 else False if d.low > 0.0 else None)
            if not holds[-1]:
                odd.append(f"{better} − {worse} {d.mean:+.2g} [{d.low:+.2g}, {d.high:+.2g}]")
        text = "; ".join((_ranked(found), *odd))
        return Verdict(every(holds), text)

    return check


def whole(order: Sequence[str], **where: Any) -> Check:
    """Check a whole order, neighbour by neighbour."""
    return below(pairwise(order), **where)


def first(policy: str, **where: Any) -> Check:
    """Check that a policy has the lowest regret of the five."""
    return below([(policy, other) for other in LABELS if other != policy], **where)


def last(policy: str, **where: Any) -> Check:
    """Check that a policy has the highest regret of the five."""
    return below([(other, policy) for other in LABELS if other != policy], **where)


def near(baseline: str, **where: Any) -> Check:
    """Check that the regret of all five is within a tenth of a baseline's."""

    def check(results: Results) -> Verdict:
        apart = _apart(results, baseline, where)
        return Verdict(all(abs(a) <= NEAR for a in apart.values()), _shares(baseline, apart))

    return check


def orders(results: Results, **where: Any) -> str:
    """The five by mean regret per round, and their distance to uniform play."""
    apart = _shares(UNIFORM.label, _apart(results, UNIFORM.label, where))
    return f"{_ranked(rates(results, **where))}; {apart}"


def chain(policies: Iterable[str]) -> str:
    """An order in few words: names without the ending that all of them have.

    >>> chain(["TGP-UCB", "GP-UCB"])
    'TGP < GP'
    """
    return " < ".join(policy.removesuffix("-UCB") for policy in policies)


def brief_orders(results: Results) -> str:
    """The order under the printed widths for each ε, of the policies that have all trials.

    ``≈`` joins neighbours whose order is not settled.
    """
    lines: list[str] = []
    fewer: dict[str, int] = {}
    for eps in EPSILONS:
        found = rates(results, schedule="printed", noise=f"ε = {eps}")
        most = max(len(curve.trials) for curve in found.values())
        full = {policy: c for policy, c in found.items() if len(c.trials) == most}
        fewer |= {policy: len(c.trials) for policy, c in found.items() if policy not in full}
        ranked = sorted(full, key=lambda policy: float(per_round(full[policy]).mean()))
        text = chain(ranked[:1])
        for better, worse in pairwise(ranked):
            sign = "<" if gap(full[better], full[worse]).settled else "≈"
            text += f" {sign} {chain([worse])}"
        lines.append(f"ε = {eps}: {text}")
    left_out = "".join(f"; {chain([policy])} in {n} trials only" for policy, n in fewer.items())
    return "; ".join(lines) + left_out


def _apart(results: Results, baseline: str, where: Any) -> dict[str, float]:
    """The difference of each policy's regret to a baseline's, as a share of the latter."""
    base = rates(results, (baseline,), **where)[baseline]
    pairs = {p: common((curve, base)) for p, curve in rates(results, **where).items()}
    return {p: float(mine.mean() / theirs.mean() - 1.0) for p, (mine, theirs) in pairs.items()}


def _shares(baseline: str, apart: dict[str, float]) -> str:
    shares = ", ".join(f"{policy} {share:+.1%}" for policy, share in apart.items())
    return f"relative to {NAMES[baseline]}: {shares}"


def _ranked(found: dict[str, Curve]) -> str:
    """The policies by mean regret; those with fewer trials are ranked over the common trials."""
    most = max(len(curve.trials) for curve in found.values())
    full = {p: per_round(curve) for p, curve in found.items() if len(curve.trials) == most}
    if len(full) == len(found):
        return _chain(full)
    every_one = dict(zip(found, common(list(found.values())), strict=True))
    trials = len(next(iter(every_one.values())))
    return f"{_chain(full)}; over {trials} of {most} trials {_chain(every_one)}"


def _chain(means: dict[str, Array]) -> str:
    ranked = sorted(means, key=lambda policy: float(means[policy].mean()))
    return " < ".join(f"{policy} {spread(means[policy])}" for policy in ranked)
