"""Detects copies of measurements, e.g. from a monitor that repeats its last reading.

Copies are not independent: five copies of each value make every interval √5 times too narrow, and
five equal far values look like a separate group. Rounding also makes equal values, but only where
values are dense. The test is therefore: isolated values, many rounding steps from their
neighbours, occur several times each, and about equally often.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array

__all__ = ["copies_of_each", "thinned"]

_ISOLATION_STEPS = 3.0  # rounding steps between an isolated value and its neighbours
_MIN_ISOLATED_VALUES = 8


def copies_of_each(ordered: Array) -> int:
    """The estimated number of copies of each measurement in sorted values; 1 means no copies.

    >>> y = np.sort(np.random.default_rng(0).normal(size=100).round(2))
    >>> copies_of_each(y), copies_of_each(np.repeat(y, 5))
    (1, 5)
    """
    values, counts = np.unique(ordered, return_counts=True)
    if len(values) < _MIN_ISOLATED_VALUES:
        return 1
    gaps = np.diff(values)
    isolated = (
        np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf))
        > _ISOLATION_STEPS * gaps.min()
    )
    if isolated.sum() < _MIN_ISOLATED_VALUES:
        return 1
    low, high = np.quantile(counts[isolated], [0.25, 0.75])
    return int(low) if low >= 2 and high <= 2 * low else 1


def thinned(ordered: Array, copies: int) -> Array:
    """Sorted values, each repeated 1/``copies`` times as often, and at least once."""
    if copies == 1:
        return ordered
    values, counts = np.unique(ordered, return_counts=True)
    return np.repeat(values, np.maximum((counts + copies // 2) // copies, 1))
