"""Small tables of results: one row for each case, and thinned curves, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.files import write
from stoic.lab.experiments.groups import arranged
from stoic.lab.experiments.printed import Printed, gaps
from stoic.lab.experiments.results import Curve, Results
from stoic.lab.experiments.spec import Case

__all__ = ["slope_ratio", "spread", "summary", "thin", "write_curves", "write_summary"]

_MAX_CHECKPOINTS = 25  # of a thinned curve


def summary(results: Results, printed: Printed | None = None) -> list[dict[str, Any]]:
    """One row for each case.

    ``regret_…`` are statistics over trials of the final R_T, ``average_…`` of R_T/T; ``std`` is the
    sample standard deviation. ``slope_ratio`` is the slope of the mean cumulative regret over the
    second half of the rounds, divided by that over the first half: 1 is linear regret, 0 none in
    the second half. ``cpu_seconds`` is the mean of a whole run, if it was recorded. ``print`` is
    the last printed R_t/t that the run reaches, ``print_difference`` the largest absolute
    difference of our mean from a printed point; both are None for a case that is not printed.
    """
    timed = set(results.cases("seconds"))
    rows = []
    for case in arranged(results):
        curve = results.curve(case)
        row: dict[str, Any] = {**asdict(case), "trials": len(curve.trials)}
        row |= _figures("regret", curve.end)
        row |= _figures("average", curve.end / curve.t[-1])
        row["slope_ratio"] = slope_ratio(curve)
        row["cpu_seconds"] = (
            float(np.mean(results.curve(case, "seconds", "seconds").end))
            if case in timed
            else float("nan")
        )
        rows.append(row | _beside_print(results, case, printed))
    return rows


def _beside_print(results: Results, case: Case, printed: Printed | None) -> dict[str, Any]:
    found = gaps(results, printed, cases=(case,)) if printed is not None else []
    if not found:
        return {"print": None, "print_difference": None}
    largest = max(abs(gap.difference) for gap in found)
    return {"print": found[-1].printed, "print_difference": largest}


def write_summary(results: Results, path: str | Path, *, printed: Printed | None = None) -> Path:
    """Write :func:`summary` as CSV."""
    return _write(summary(results, printed), Path(path))


def write_curves(results: Results, path: str | Path, *, column: str = "regret") -> Path:
    """Write mean and standard deviation over trials of a column at no more than 25 checkpoints."""
    rows = []
    for case in arranged(results):
        curve = results.curve(case, column)
        mean, std = spread(curve.values)
        for i in thin(curve.t, _MAX_CHECKPOINTS, log=True).tolist():
            figures = {"t": int(curve.t[i]), "mean": float(mean[i]), "std": float(std[i])}
            rows.append({**asdict(case), **figures})
    return _write(rows, Path(path))


def spread(values: Array) -> tuple[Array, Array]:
    """Mean and sample standard deviation of each column, over its finite values.

    >>> spread(np.array([[1.0, 2.0], [3.0, np.nan]]))
    (array([2., 2.]), array([1.41421356, 0.        ]))
    """
    known = np.isfinite(values)
    n = known.sum(axis=0)
    mean = np.divide(
        np.where(known, values, 0.0).sum(axis=0), n, out=np.full(len(n), np.nan), where=n > 0
    )
    squares = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
    return mean, np.sqrt(squares / np.maximum(n - 1, 1))


def thin(t: IntArray, count: int, *, log: bool = False) -> IntArray:
    """Indices of at most ``count`` elements of the increasing ``t``, evenly spread, with both ends.

    >>> thin(np.array([1, 2, 3, 4, 100]), 3).tolist()
    [0, 3, 4]
    >>> thin(np.array([1, 2, 3, 10, 100]), 3, log=True).tolist()
    [0, 3, 4]
    """
    if len(t) <= count:
        return np.arange(len(t))
    space = np.geomspace if log else np.linspace
    # Both ends are kept exactly; between them, the nearest recorded rounds.
    wanted = space(max(t[0], 1), t[-1], count)
    right = np.clip(np.searchsorted(t, wanted), 1, len(t) - 1)
    nearer_left = wanted - t[right - 1] <= t[right] - wanted
    indices: IntArray = np.unique(np.r_[0, right - nearer_left, len(t) - 1])
    return indices


def _figures(name: str, end: Array) -> dict[str, float]:
    mean, std = spread(end[:, None])
    return {
        f"{name}_mean": float(mean[0]),
        f"{name}_std": float(std[0]),
        f"{name}_median": float(np.median(end)),
        f"{name}_min": float(end.min()),
        f"{name}_max": float(end.max()),
    }


def slope_ratio(curve: Curve) -> float:
    """Mean regret of the second half of the rounds divided by that of the first half."""
    mean, _ = spread(curve.values)
    middle = float(np.interp(curve.t[-1] / 2, np.r_[0, curve.t], np.r_[0.0, mean]))
    return (float(mean[-1]) - middle) / middle if middle else float("nan")


def _write(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _short(v) for k, v in row.items()} for row in rows)
    write(path, text.getvalue())
    return path


def _short(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
