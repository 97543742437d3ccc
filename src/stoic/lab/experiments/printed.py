"""Points of a printed figure, to be drawn and compared with our curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.lab.datasets.printed import Band
from stoic.lab.experiments.results import Curve, Results
from stoic.lab.experiments.spec import Case

__all__ = ["Gap", "Printed", "gaps", "per_round_at"]


@dataclass(frozen=True)
class Printed:
    """The printed mean regret per round of some policies, or their printed confidence bands.

    Attributes
    ----------
    points
        For each policy, by its label in the results: rounds t and printed R_t/t.
    where
        The fields of the cases that they belong to, such as ``{"schedule": "paper"}``.
    bands
        For each policy: the printed estimate and the band about it.
    """

    points: Mapping[str, tuple[Array, Array]]
    where: Mapping[str, Any] = field(default_factory=dict)
    bands: Mapping[str, Band] = field(default_factory=dict)

    def about(self, case: Case) -> bool:
        """Whether the print shows the setting of this case."""
        return all(getattr(case, name) == value for name, value in self.where.items())

    def of(self, case: Case) -> tuple[Array, Array] | None:
        """Rounds and printed values of a case, if the print shows it."""
        return self.points.get(case.policy) if self.about(case) else None

    def band(self, case: Case) -> Band | None:
        """The printed band of a case, if the print shows it."""
        return self.bands.get(case.policy) if self.about(case) else None


@dataclass(frozen=True)
class Gap:
    """Our R_t/t at one printed round: mean and standard deviation over trials, and the print."""

    policy: str
    t: int
    printed: float
    mean: float
    std: float
    trials: int

    @property
    def difference(self) -> float:
        """Ours minus the print."""
        return self.mean - self.printed


def per_round_at(curve: Curve, t: Array) -> Array:
    """R_t/t of each trial at given rounds; between checkpoints R_t is interpolated linearly."""
    known = np.r_[0.0, curve.t]
    rows = [np.interp(t, known, np.r_[0.0, row]) for row in curve.values]
    return np.asarray(np.array(rows) / t)


def gaps(
    results: Results,
    printed: Printed,
    *,
    cases: Iterable[Case] | None = None,
    trial: int | None = None,
) -> list[Gap]:
    """Every printed point that the results reach, beside ours; by default, of all cases.

    With ``trial``, ours is that trial alone.
    """
    found = []
    for case in results.cases() if cases is None else cases:
        points = printed.of(case)
        if points is None:
            continue
        curve = results.curve(case)
        reached = points[0] <= curve.t[-1]
        t, y = points[0][reached], points[1][reached]
        values = per_round_at(curve, t)
        if trial is not None:
            values = values[curve.trials == trial]
        n = len(values)
        if not n:
            continue
        std = values.std(axis=0, ddof=1) if n > 1 else np.full(len(t), np.nan)
        rows = zip(t.tolist(), y.tolist(), values.mean(axis=0).tolist(), std.tolist(), strict=True)
        found += [Gap(case.policy, int(at), was, mean, dev, n) for at, was, mean, dev in rows]
    return found
