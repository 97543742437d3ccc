"""All ways to say which values of a block belong to which of two contenders.

A block measures each of the two equally often, in random order. If both are alike, then each way is
equally probable, whatever the values are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from stoic.checks import Array
from stoic.randomness import generator

__all__ = ["arrangements", "block_sizes", "count_arrangements"]

_MAX_EXACT = 5000  # arrangements; of more, a random sample of this many: two blocks of four
_LARGEST = 4  # measurements of each in one block: more would hardly show gains more often


def block_sizes(each: int) -> list[int]:
    """How many measurements of each contender the blocks have, of ``each`` in all.

    Large blocks have more arrangements: four measurements of each in one block can show a
    difference at 5%, in four blocks of one they cannot. Small ones cancel drift.

    >>> [block_sizes(n) for n in (1, 4, 5, 6, 7, 10)]
    [[1], [4], [2, 3], [3, 3], [3, 4], [3, 3, 4]]
    """
    count = max(math.ceil(each / _LARGEST), 1)
    return [(each * (i + 1)) // count - (each * i) // count for i in range(count)]


def count_arrangements(sizes: Sequence[int]) -> int:
    """How many arrangements there are.

    >>> count_arrangements([4]), count_arrangements([1] * 5)
    (70, 32)
    """
    return math.prod(math.comb(2 * size, size) for size in sizes)


@lru_cache(maxsize=64)
def arrangements(sizes: tuple[int, ...]) -> Array:
    """A row for each arrangement: 1 where a value counts as the second contender's, else −1.

    Columns are the values of the first contender, block by block, and then those of the second.
    The first row is the true arrangement. With a row, its opposite is there. Of very many, the rows
    are a sample: a test by it has the stated error, too.

    >>> arrangements((1, 1)).tolist()
    [[-1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0], [1.0, 1.0, -1.0, -1.0]]
    """
    if count_arrangements(sizes) <= _MAX_EXACT:
        rows = [np.ones((1, 0)), np.ones((1, 0))]
        for size in sizes:
            ways = _of_block(size)
            old, new = ways[:, :size], ways[:, size:]
            rows = [
                np.hstack([np.repeat(rows[0], len(ways), axis=0), np.tile(old, (len(rows[0]), 1))]),
                np.hstack([np.repeat(rows[1], len(ways), axis=0), np.tile(new, (len(rows[1]), 1))]),
            ]
        return _frozen(np.hstack(rows))
    half = _MAX_EXACT // 2
    rng = generator(0, sum(sizes))
    drawn = []
    for size in sizes:
        places = np.argsort(rng.random((half, 2 * size)), axis=1)
        places[0] = np.arange(2 * size)
        drawn.append(np.where(places < size, -1.0, 1.0))
    parts = [
        *(way[:, :size] for way, size in zip(drawn, sizes, strict=True)),
        *(way[:, size:] for way, size in zip(drawn, sizes, strict=True)),
    ]
    sample = np.hstack(parts)
    return _frozen(np.vstack([sample, -sample]))


def _of_block(size: int) -> Array:
    """The arrangements of one block, the true one first."""
    chosen = [list(each) for each in combinations(range(2 * size), size)]
    ways = np.ones((len(chosen), 2 * size))
    for way, first in zip(ways, chosen, strict=True):
        way[first] = -1.0
    return ways


def _frozen(rows: Array) -> Array:
    rows.setflags(write=False)
    return rows
