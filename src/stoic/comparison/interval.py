"""Invert the evidence: all centres of the differences that no look has ruled out."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.comparison.evidence import log_evidence, shifted

__all__ = ["centre", "interval"]

_POINTS = 33  # of a grid; five rounds narrow a bound to 1e-7 of its first cell
_ROUNDS = 5
_MAX_EXACT = 1000  # differences whose pairwise means are all computed
_FAR = 1e6  # ranges of the differences that stand for infinity
_MAX_PLAIN = 1e250  # larger differences are scaled, so that all grids are finite


def interval(differences: Array, threshold: float) -> tuple[float, float]:
    """The lowest and the highest centre against which the evidence has never reached a threshold.

    It is the hull of a confidence sequence: the true centre of symmetry is in the intervals of all
    looks with the confidence that belongs to ``threshold``, the logarithm of 2/α.

    >>> import numpy as np
    >>> low, high = interval(np.random.default_rng(0).normal(3.0, 1.0, 200), np.log(40.0))
    >>> bool(2.5 < low < 3.0 < high < 3.5)
    True
    """
    finite = differences[np.isfinite(differences)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    unit = largest if largest > _MAX_PLAIN else 1.0
    scaled = differences / unit
    return unit * _lowest(scaled, threshold), -unit * _lowest(-scaled, threshold)


def _lowest(differences: Array, threshold: float) -> float:
    """The first centre, from below, that is not ruled out."""
    finite = differences[np.isfinite(differences)]
    if not finite.size:
        return -math.inf
    low, high = float(finite.min()), float(finite.max())
    range_ = max(high - low, abs(low) * 1e-9, 1e-300)
    far = low - _FAR * range_
    if not _ruled_out(differences, np.array([far]), threshold)[0]:
        return -math.inf
    ranks = np.linspace(0.0, 1.0, _POINTS - 2)
    grid = np.concatenate([[far, low - range_], np.quantile(finite, ranks)])
    for _ in range(_ROUNDS):
        out = _ruled_out(differences, grid, threshold)
        if out.all():
            return float(grid[-1])
        first = int(np.argmin(out))
        left, right = grid[max(first - 1, 0)], grid[first]
        grid = left + (right - left) * np.linspace(0.0, 1.0, _POINTS)
    return float(right)


def _ruled_out(differences: Array, centres: Array, threshold: float) -> Array:
    return np.asarray(log_evidence(shifted(differences, centres)).max(axis=1) >= threshold)


def centre(differences: Array) -> float:
    """The Hodges–Lehmann estimate: the median of all pairwise means; with very many, the median.

    >>> import numpy as np
    >>> centre(np.array([1.0, 2.0, 3.0, 1e9]))
    2.75
    """
    if not differences.size:
        return math.nan
    if len(differences) > _MAX_EXACT:
        return _middle(differences)
    i, j = np.triu_indices(len(differences))
    with np.errstate(invalid="ignore"):
        means = differences[i] / 2.0 + differences[j] / 2.0
    return _middle(means[~np.isnan(means)])  # NaN: the mean of −∞ and ∞


def _middle(values: Array) -> float:
    """The median; that of −∞ and ∞ is 0."""
    ordered = np.sort(values)
    half = len(ordered) // 2
    low, high = float(ordered[(len(ordered) - 1) // 2]), float(ordered[half])
    if low == high or math.isinf(low) != math.isinf(high):
        return low if math.isfinite(low) or low == high else high
    return 0.0 if math.isinf(low) else low / 2.0 + high / 2.0
