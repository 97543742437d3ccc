"""Checks that claims are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.lab.experiments.catalogue.base import Verdict
from stoic.lab.experiments.compare import paired_difference
from stoic.lab.experiments.groups import spell, varying
from stoic.lab.experiments.results import Curve, NotRun, Results
from stoic.lab.experiments.spec import Case
from stoic.lab.experiments.summary import slope_ratio

__all__ = [
    "all_of",
    "every",
    "linear",
    "ordering",
    "per_round",
    "spread",
    "straight",
    "sublinear",
]

Check = Callable[[Results], Verdict]
STRAIGHT = 0.5  # the last half of a linear regret is at least this steep against the first


def per_round(curve: Curve) -> Array:
    """R_T/T of each trial."""
    return curve.end / curve.case.horizon


def spread(values: Array) -> str:
    """Mean ± standard deviation over trials, of which a single one has none.

    >>> spread(np.array([1.0, 3.0])), spread(np.array([1.0]))
    ('2 ± 1.4', '1 (one trial)')
    """
    if len(values) == 1:
        return f"{values[0]:.3g} (one trial)"
    return f"{values.mean():.3g} ± {values.std(ddof=1):.2g}"


def ordering(better: str, worse: str, *, ties: bool = False, **where: Any) -> Check:
    """That one policy's mean regret is below another's, wherever both were run.

    It is so if the interval of the paired difference is below zero, not so if it is above, and
    unsettled else; with ``ties``, which is for "no worse than", whatever is not above will do.
    """

    def check(results: Results) -> Verdict:
        lines, holds = [], []
        for case in results.some(policy=better, **where):
            twins = [
                other
                for other in results.some(policy=worse, **where)
                if (other.problem, other.noise, other.attack, other.schedule, other.horizon)
                == (case.problem, case.noise, case.attack, case.schedule, case.horizon)
            ]
            if not twins:
                continue
            a, b = per_round(results.curve(case)), per_round(results.curve(twins[0]))
            gap = paired_difference(a, b)
            holds.append(False if gap.low > 0.0 else True if ties or gap.high < 0.0 else None)
            ends = f" [{gap.low:+.2g}, {gap.high:+.2g}]" if np.isfinite(gap.low) else ""
            lines.append(
                f"{_place(results, case)}{better} {spread(a)}, {worse} {spread(b)}, "
                f"difference {gap.mean:+.2g}{ends}"
            )
        if not lines:
            raise NotRun(f"expected {better} and {worse} in the same setting, got them apart")
        return Verdict(every(holds), "; ".join(lines))

    return check


def every(verdicts: Iterable[bool | None]) -> bool | None:
    """False if any is, else unsettled if any is, else true."""
    found = list(verdicts)
    return False if False in found else None if None in found else True


def _straightness(
    results: Results, policies: Sequence[str], where: Any
) -> Iterable[tuple[Case, float]]:
    for policy in policies:
        for case in results.some(policy=policy, **where):
            ratio = slope_ratio(results.curve(case))
            yield case, ratio if np.isfinite(ratio) else 0.0


def straight(policy: str, **where: Any) -> Check:
    """That the mean regret's last half is at least half as steep as its first, everywhere."""

    def check(results: Results) -> Verdict:
        found = [ratio for _, ratio in _straightness(results, (policy,), where)]
        text = ", ".join(f"{ratio:.2f}" for ratio in found)
        return Verdict(min(found) >= STRAIGHT, f"slope of the last half over the first: {text}")

    return check


def linear(policy: str, attacks: Sequence[str], **where: Any) -> Check:
    """That the mean regret's last half is at least half as steep as its first, per attack."""

    def check(results: Results) -> Verdict:
        found = {
            case.attack: ratio
            for case, ratio in _straightness(results, (policy,), where)
            if case.attack in attacks
        }
        missing = [attack for attack in attacks if attack not in found]
        if missing:
            raise NotRun(f"expected {policy} under {', '.join(attacks)}, got no {missing[0]}")
        text = ", ".join(f"{attack} {ratio:.2f}" for attack, ratio in found.items())
        holds = all(ratio >= STRAIGHT for ratio in found.values())
        return Verdict(holds, f"slope of the last half over the first: {text}")

    return check


def sublinear(policies: Sequence[str], **where: Any) -> Check:
    """That the mean regret's last half is less than half as steep as its first, everywhere."""

    def check(results: Results) -> Verdict:
        found = list(_straightness(results, policies, where))
        worst = {
            p: max((x for x in found if x[0].policy == p), key=lambda x: x[1]) for p in policies
        }
        text = "; ".join(
            f"{p}: at most {ratio:.2f} ({case.attack or case.noise})"
            for p, (case, ratio) in worst.items()
        )
        return Verdict(
            all(ratio < STRAIGHT for _, ratio in found),
            f"slope of the last half over the first: {text}",
        )

    return check


def all_of(*checks: Check) -> Check:
    """That several checks hold."""

    def check(results: Results) -> Verdict:
        verdicts = [one(results) for one in checks]
        return Verdict(every(v.holds for v in verdicts), "; ".join(v.figures for v in verdicts))

    return check


def _place(results: Results, case: Case) -> str:
    """What tells this case from others of the same policy."""
    apart = varying(results.cases(policy=case.policy))
    return ", ".join(spell(n, getattr(case, n)) for n in apart) + (": " if apart else "")
