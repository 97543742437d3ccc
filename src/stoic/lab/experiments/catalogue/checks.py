"""Checks of claims: orderings of policies, linear and sublinear regret."""

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

__all__ = ["all_of", "every", "linear", "ordering", "per_round", "spread", "straight", "sublinear"]

Check = Callable[[Results], Verdict]
LINEAR_RATIO = 0.5  # regret is linear if its last half is at least this steep relative to the first


def per_round(curve: Curve) -> Array:
    """R_T/T of each trial."""
    return curve.end / curve.case.horizon


def spread(values: Array) -> str:
    """Mean ± standard deviation over trials; a single trial has no deviation.

    >>> spread(np.array([1.0, 3.0])), spread(np.array([1.0]))
    ('2 ± 1.4', '1 (one trial)')
    """
    if len(values) == 1:
        return f"{values[0]:.3g} (one trial)"
    return f"{values.mean():.3g} ± {values.std(ddof=1):.2g}"


def ordering(better: str, worse: str, *, ties: bool = False, **where: Any) -> Check:
    """Check that one policy's mean regret is below another's in every common setting.

    The claim holds if the interval of the paired difference is below zero, fails if it is above
    zero, and is not settled otherwise. With ``ties`` ("no worse than") it holds unless it fails.
    """

    def check(results: Results) -> Verdict:
        lines, holds = [], []
        for case in results.some(policy=better, **where):
            partners = [
                other
                for other in results.some(policy=worse, **where)
                if (other.problem, other.noise, other.attack, other.schedule, other.horizon)
                == (case.problem, case.noise, case.attack, case.schedule, case.horizon)
            ]
            if not partners:
                continue
            a, b = per_round(results.curve(case)), per_round(results.curve(partners[0]))
            gap = paired_difference(a, b)
            holds.append(False if gap.low > 0.0 else True if ties or gap.high < 0.0 else None)
            ends = f" [{gap.low:+.2g}, {gap.high:+.2g}]" if np.isfinite(gap.low) else ""
            lines.append(
                f"{_setting(results, case)}{better} {spread(a)}, {worse} {spread(b)}, "
                f"difference {gap.mean:+.2g}{ends}"
            )
        if not lines:
            raise NotRun(f"expected {better} and {worse} in the same setting, got no common one")
        return Verdict(every(holds), "; ".join(lines))

    return check


def every(verdicts: Iterable[bool | None]) -> bool | None:
    """False if any verdict is false, else None if any is None, else true."""
    found = list(verdicts)
    return False if False in found else None if None in found else True


def _slope_ratios(
    results: Results, policies: Sequence[str], where: Any
) -> Iterable[tuple[Case, float]]:
    for policy in policies:
        for case in results.some(policy=policy, **where):
            ratio = slope_ratio(results.curve(case))
            yield case, ratio if np.isfinite(ratio) else 0.0


def straight(policy: str, **where: Any) -> Check:
    """Check that the last half of the mean regret is at least half as steep as the first."""

    def check(results: Results) -> Verdict:
        found = [ratio for _, ratio in _slope_ratios(results, (policy,), where)]
        text = ", ".join(f"{ratio:.2f}" for ratio in found)
        return Verdict(min(found) >= LINEAR_RATIO, f"slope of the last half over the first: {text}")

    return check


def linear(policy: str, attacks: Sequence[str], **where: Any) -> Check:
    """Check the same as :func:`straight`, for each of some attacks."""

    def check(results: Results) -> Verdict:
        found = {
            case.attack: ratio
            for case, ratio in _slope_ratios(results, (policy,), where)
            if case.attack in attacks
        }
        missing = [attack for attack in attacks if attack not in found]
        if missing:
            raise NotRun(f"expected {policy} under {', '.join(attacks)}, got no {missing[0]}")
        text = ", ".join(f"{attack} {ratio:.2f}" for attack, ratio in found.items())
        holds = all(ratio >= LINEAR_RATIO for ratio in found.values())
        return Verdict(holds, f"slope of the last half over the first: {text}")

    return check


def sublinear(policies: Sequence[str], **where: Any) -> Check:
    """Check that the last half of the mean regret is less than half as steep as the first."""

    def check(results: Results) -> Verdict:
        found = list(_slope_ratios(results, policies, where))
        worst = {
            p: max((x for x in found if x[0].policy == p), key=lambda x: x[1]) for p in policies
        }
        text = "; ".join(
            f"{p}: at most {ratio:.2f} ({case.attack or case.noise})"
            for p, (case, ratio) in worst.items()
        )
        return Verdict(
            all(ratio < LINEAR_RATIO for _, ratio in found),
            f"slope of the last half over the first: {text}",
        )

    return check


def all_of(*checks: Check) -> Check:
    """Check that several checks hold."""

    def check(results: Results) -> Verdict:
        verdicts = [one(results) for one in checks]
        return Verdict(every(v.holds for v in verdicts), "; ".join(v.figures for v in verdicts))

    return check


def _setting(results: Results, case: Case) -> str:
    """The fields in which this case differs from others of the same policy."""
    fields = varying(results.cases(policy=case.policy))
    return ", ".join(spell(n, getattr(case, n)) for n in fields) + (": " if fields else "")
