"""Whether measurements come in copies: a monitor that repeats its last reading, a merged log.

Copies are not independent: five of each make every interval √5 times too narrow, and a group of
five far values looks put there. Rounding makes equal values too, but only where values are
dense. Hence the sign: values that lie alone, many rounding steps from their neighbours, occur
several times each, and about equally often.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array

__all__ = ["copies_of_each", "thinned"]

_STEPS = 3.0  # rounding steps from its neighbours that leave a value alone
_FEWEST = 8  # values that lie alone


def copies_of_each(ordered: Array) -> int:
    """How often a measurement seems to occur among sorted values; 1 is no copies.

    >>> y = np.sort(np.random.default_rng(0).normal(size=100).round(2))
    >>> copies_of_each(y), copies_of_each(np.repeat(y, 5))
    (1, 5)
    """
    values, counts = np.unique(ordered, return_counts=True)
    if len(values) < _FEWEST:
        return 1
    gaps = np.diff(values)
    alone = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf)) > _STEPS * gaps.min()
    if alone.sum() < _FEWEST:
        return 1
    few, often = np.quantile(counts[alone], [0.25, 0.75])
    return int(few) if few >= 2 and often <= 2 * few else 1


def thinned(ordered: Array, copies: int) -> Array:
    """Sorted values with each occurring a ``copies``-th as often, and once at least."""
    if copies == 1:
        return ordered
    values, counts = np.unique(ordered, return_counts=True)
    return np.repeat(values, np.maximum((counts + copies // 2) // copies, 1))
