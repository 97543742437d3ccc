"""Medians of many short columns at once."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array

__all__ = ["median_of_rows"]

_FEW_ROWS, _MANY_COLUMNS = 7, 400  # where comparing whole rows beats sorting each column


def median_of_rows(rows: Array) -> Array:
    """The median of each column; several times faster than ``numpy.median`` for few rows.

    >>> median_of_rows(np.array([[1.0, 5.0], [9.0, 4.0], [2.0, 6.0]]))
    array([2., 5.])
    """
    n, half = len(rows), len(rows) // 2
    low: Array = rows[0]
    if n == 1:
        return low
    if n > _FEW_ROWS or rows.shape[1] < _MANY_COLUMNS:
        middle = np.partition(rows, half if n % 2 else (half - 1, half), axis=0)
        low, high = middle[(n - 1) // 2], middle[half]
    else:
        low, high = _middle_rows(rows)
    return low if n % 2 else 0.5 * (low + high)


def _middle_rows(rows: Array) -> tuple[Array, Array]:
    """The two middle order statistics (one and the same if the rows are odd in number).

    Of half the rows and two more, neither the least nor the largest can be the median: both are
    dropped, and another row comes in.
    """
    waiting = [row.copy() for row in rows]
    held = [waiting.pop() for _ in range(min(len(waiting), len(waiting) // 2 + 2))]
    while len(held) > 2:
        for i in range(1, len(held)):
            _order(held, 0, i)
        for i in range(1, len(held) - 1):
            _order(held, i, -1)
        held = held[1:-1]
        if waiting:
            held.append(waiting.pop())
    if len(held) == 2:
        _order(held, 0, 1)
    return held[0], held[-1]


def _order(held: list[Array], low: int, high: int) -> None:
    less = np.minimum(held[low], held[high])
    np.maximum(held[low], held[high], out=held[high])
    held[low] = less
