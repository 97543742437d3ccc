"""Which rows of an array are the same; much faster than sorting rows that are long."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray

__all__ = ["distinct", "first_rows"]


def distinct(X: Array) -> IntArray:
    """The number of each row's point, in the order in which the points first appear.

    >>> distinct(np.array([[0.3], [0.1], [0.3]])).tolist()
    [0, 1, 0]
    """
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in X], dtype=np.intp)


def first_rows(X: Array) -> IntArray:
    """The row in which each point first appears.

    >>> first_rows(np.array([[0.3], [0.1], [0.3]])).tolist()
    [0, 1]
    """
    _, rows = np.unique(distinct(X), return_index=True)
    first: IntArray = rows
    return first
