"""Paired comparison of policies and of results.

Policies of the same trial get the same function and the same draws of noise. Their results are
therefore paired: the difference of two policies varies less than the regret of either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray, finite_array, integer, number
from stoic.errors import InvalidInput
from stoic.lab.experiments.groups import arranged, group
from stoic.lab.experiments.results import CASE, Results
from stoic.lab.experiments.spec import Case

__all__ = ["Difference", "Leader", "Row", "compare", "leaders", "paired_difference", "paired_ratio"]


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences, or a ratio of means, with a bootstrap interval."""

    mean: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True)
class Row:
    """Two cases with the same setting in two files; the difference is a − b."""

    a: Case
    b: Case
    trials: int
    mean_a: float
    mean_b: float
    difference: Difference


@dataclass(frozen=True)
class Leader:
    """The policy of the lowest mean regret in a setting, and the next.

    ``lead`` is the runner-up's regret minus the leader's; None without a second policy.
    """

    label: str
    best: Case
    regret: float
    trials: int
    rivals: int
    second: Case | None
    lead: Difference | None


def paired_difference(
    a: Array, b: Array, *, resamples: int = 10_000, seed: int = 0, level: float = 0.95
) -> Difference:
    """Mean of a − b over trials, with the percentile bootstrap's interval.

    With about ten trials the interval is slightly too short: about 90 % of the 95 % intervals
    contain the mean. A single pair has no information about the spread; its interval is (−∞, ∞).
    Memory: 8 bytes for each resample and trial.

    >>> paired_difference(np.array([3.0, 4.0, 5.0]), np.array([1.0, 2.0, 3.0]))
    Difference(mean=2.0, low=2.0, high=2.0)
    """
    a, b = finite_array(a, "a", ndim=1), finite_array(b, "b", ndim=1)
    if len(a) != len(b) or not len(a):
        raise InvalidInput(
            f"expected a and b with one value for each trial, got {len(a)} and {len(b)}"
        )
    integer(resamples, "resamples", at_least=1)
    tail = (1.0 - number(level, "level", above=0.0, at_most=1.0)) / 2.0
    differences = a - b
    mean = float(differences.mean())
    if len(differences) == 1:
        return Difference(mean, -np.inf, np.inf)
    drawn = np.random.default_rng(seed).integers(0, len(differences), (resamples, len(differences)))
    # Deviations from the mean: if all trials agree, the interval has width zero exactly.
    low, high = mean + np.quantile((differences - mean)[drawn].mean(axis=1), (tail, 1.0 - tail))
    return Difference(mean, float(low), float(high))


def paired_ratio(
    a: Array, b: Array, *, resamples: int = 10_000, seed: int = 0, level: float = 0.95
) -> Difference:
    """Mean of a over mean of b, b > 0, with the percentile bootstrap's interval over trials.

    A single pair has no information about the spread; its interval is (0, ∞).

    >>> paired_ratio(np.array([2.0, 4.0]), np.array([1.0, 2.0]))
    Difference(mean=2.0, low=2.0, high=2.0)
    """
    a, b = finite_array(a, "a", ndim=1), finite_array(b, "b", ndim=1)
    if len(a) != len(b) or not len(a) or not (b > 0.0).all():
        raise InvalidInput(
            "expected a and b with one value for each trial, those of b above 0, "
            f"got {len(a)} and {len(b)} with a least b of {b.min(initial=np.inf):g}"
        )
    tail = (1.0 - number(level, "level", above=0.0, at_most=1.0)) / 2.0
    ratio = float(a.mean() / b.mean())
    if len(a) == 1:
        return Difference(ratio, 0.0, np.inf)
    drawn = np.random.default_rng(seed).integers(0, len(a), (resamples, len(a)))
    ratios = a[drawn].mean(axis=1) / b[drawn].mean(axis=1)
    low, high = np.quantile(ratios, (tail, 1.0 - tail))
    return Difference(ratio, float(low), float(high))


def compare(a: Results, b: Results, column: str = "regret") -> list[Row]:
    """Compare the cases of two files, over the trials that both have.

    Two cases are a pair if problem, noise, attack, schedule, horizon and policy are equal; if that
    is ambiguous, the experiment must be equal too. If the files share no policy, the policies of a
    setting are paired if each file has exactly one.
    """
    pairs = _pairs(a.cases(), b.cases(), with_policy=True) or _pairs(
        a.cases(), b.cases(), with_policy=False
    )
    rows = [row for pair in pairs if (row := _row(a, b, *pair, column)) is not None]
    if not rows:
        raise InvalidInput(
            "expected cases or single policies of equal problem, noise, attack, schedule and "
            f"horizon with common trials, got {_contents(a)} in the first and {_contents(b)} in "
            "the second; compare results of the same settings"
        )
    return rows


def leaders(results: Results, column: str = "regret") -> list[Leader]:
    """For each setting, the policy of the lowest mean final regret and its lead."""
    found = []
    for setting in group(arranged(results)):
        ends = sorted(
            ((*_ends(results, case, column), case) for case in setting.cases),
            key=lambda entry: float(entry[1].mean()) if len(entry[1]) else np.inf,
        )
        trials, values, best = ends[0]
        second, lead = None, None
        if len(ends) > 1:
            others, theirs, second = ends[1]
            _, mine, yours = np.intersect1d(trials, others, return_indices=True)
            lead = paired_difference(theirs[yours], values[mine]) if len(mine) else None
        regret = float(values.mean()) if len(values) else np.nan
        found.append(Leader(setting.label, best, regret, len(values), len(ends) - 1, second, lead))
    return found


def _pairs(ours: list[Case], theirs: list[Case], *, with_policy: bool) -> list[tuple[Case, Case]]:
    first, second = _by_setting(ours, with_policy), _by_setting(theirs, with_policy)
    pairs = []
    for key, mine in first.items():
        yours = second.get(key, [])
        if len(mine) == len(yours) == 1:
            pairs.append((mine[0], yours[0]))
        elif with_policy:
            named = {case.experiment: case for case in yours}
            pairs += [(c, named[c.experiment]) for c in mine if c.experiment in named]
    return pairs


def _by_setting(cases: Iterable[Case], with_policy: bool) -> dict[tuple[Any, ...], list[Case]]:
    found: dict[tuple[Any, ...], list[Case]] = {}
    for case in cases:
        key = astuple(case)[1:] if with_policy else astuple(case)[1:-1]
        found.setdefault(key, []).append(case)
    return found


def _row(a: Results, b: Results, mine: Case, yours: Case, column: str) -> Row | None:
    trials_a, ends_a = _ends(a, mine, column)
    trials_b, ends_b = _ends(b, yours, column)
    common, in_a, in_b = np.intersect1d(trials_a, trials_b, return_indices=True)
    if not len(common):
        return None
    x, y = ends_a[in_a], ends_b[in_b]
    return Row(mine, yours, len(common), float(x.mean()), float(y.mean()), paired_difference(x, y))


def _ends(results: Results, case: Case, column: str) -> tuple[IntArray, Array]:
    """Trials with a known last value, and these values."""
    columns = [name for name in results.tables["curves"] if name not in (*CASE, "trial")]
    if column not in columns:
        raise InvalidInput(f"expected a column among {', '.join(columns)}, got {column!r}")
    curve = results.curve(case, column)
    known = np.isfinite(curve.end)
    return curve.trials[known], curve.end[known]


def _contents(results: Results) -> str:
    cases = results.cases()
    if not cases:
        return "nothing"
    trials = np.unique(results.tables["curves"]["trial"])
    parts = []
    for name in ("problem", "noise", "attack", "schedule", "horizon", "policy"):
        values = dict.fromkeys(str(getattr(case, name)) or "none" for case in cases)
        parts.append(f"{name} {'/'.join(values)}")
    return f"{', '.join(parts)}, trials {trials[0]} to {trials[-1]}"
