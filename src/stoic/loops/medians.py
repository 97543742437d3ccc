"""Medians of many short columns at once."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.loops.compiling import compiled

__all__ = ["median_of_rows", "medians"]

_MAX_ROWS_COMPARED, _MIN_COLUMNS_COMPARED = 7, 400  # comparing whole rows beats sorting columns
_MAX_ROWS_EXCHANGED = 24  # sorted by exchanges in compiled loops
_BLOCK_COLUMNS = 64  # whose rows the nearest cache holds


def median_of_rows(rows: Array) -> Array:
    """The median of each column; several times faster than ``numpy.median`` for few rows.

    >>> median_of_rows(np.array([[1.0, 5.0], [9.0, 4.0], [2.0, 6.0]]))
    array([2., 5.])
    """
    n, half = len(rows), len(rows) // 2
    low: Array = rows[0]
    if n == 1:
        return low
    if n > _MAX_ROWS_COMPARED or rows.shape[1] < _MIN_COLUMNS_COMPARED:
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


@compiled
def medians(rows: Array, out: Array) -> None:
    """The median of each column, in compiled loops."""
    if len(rows) == 1:
        for a in range(len(out)):
            out[a] = rows[0, a]
    elif len(rows) == 5:
        _medians_of_five(rows, out)
    elif len(rows) <= _MAX_ROWS_EXCHANGED:
        _medians_by_exchanges(rows, out)
    else:
        for a in range(len(out)):
            out[a] = np.median(rows[:, a])


@compiled
def _medians_of_five(rows: Array, out: Array) -> None:
    """The median of each of five rows: the least and the greatest of four drop out."""
    v, w, x, y, z = rows[0], rows[1], rows[2], rows[3], rows[4]
    for a in range(len(out)):
        low = max(min(v[a], w[a]), min(x[a], y[a]))
        high = min(max(v[a], w[a]), max(x[a], y[a]))
        out[a] = max(min(z[a], low), min(max(z[a], low), high))


@compiled
def _medians_by_exchanges(rows: Array, out: Array) -> None:
    """The median of each column, by exchanges without a branch, a block of columns at a time."""
    n = len(rows)
    block = np.empty((n, _BLOCK_COLUMNS))
    for start in range(0, len(out), _BLOCK_COLUMNS):
        size = min(_BLOCK_COLUMNS, len(out) - start)
        for i in range(n):
            for a in range(size):
                block[i, a] = rows[i, start + a]
        for sweep in range(n):
            for i in range(sweep % 2, n - 1, 2):
                lower, upper = block[i], block[i + 1]
                for a in range(size):
                    x, y = lower[a], upper[a]
                    lower[a] = x if x < y else y
                    upper[a] = y if x < y else x
        for a in range(size):
            middle = block[n // 2, a]
            out[start + a] = middle if n % 2 else 0.5 * (block[n // 2 - 1, a] + middle)
