"""Decide by evidence: better, worse or equal within a margin, at the first block that shows it."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.comparison.evidence import log_evidence, shifted

__all__ = ["DECISIONS", "Decision", "Paths", "first_decisions", "paths"]

Decision = Literal["better", "equal", "worse", "undecided"]
"""What is known of a contender against the reference: ``equal`` is within the margin."""

DECISIONS: tuple[Decision, ...] = ("better", "worse", "equal", "undecided")

NEVER = np.iinfo(np.int64).max


class Paths(NamedTuple):
    """The largest log evidence so far, block by block, for three statements about the gain."""

    better: Array
    """The gain is above 0."""
    worse: Array
    """The gain is below −margin."""
    equal: Array
    """The gain is above −margin and below the margin: the weaker evidence of the two."""


def paths(gains: Array, margin: float) -> Paths:
    """The evidence of the three statements for gains of shape (…, n) and a margin ≥ 0."""
    better = _highest(log_evidence(gains))
    worse = _highest(log_evidence(-shifted(gains, -margin)))
    if not margin:
        return Paths(better, worse, np.full_like(better, -np.inf))
    above = _highest(log_evidence(shifted(gains, -margin)))
    below = _highest(log_evidence(-shifted(gains, margin)))
    return Paths(better, worse, np.minimum(above, below))


def first_decisions(found: Paths, threshold: float) -> tuple[IntArray, IntArray]:
    """For each row, the index in `DECISIONS` and the number of blocks to the decision.

    The number is 0 where nothing is decided. If two statements are shown by the same block, the
    first of `DECISIONS` counts.

    >>> import numpy as np
    >>> code, blocks = first_decisions(paths(np.ones((1, 9)), 0.02), np.log(40.0))
    >>> DECISIONS[code[0]], int(blocks[0])
    ('better', 7)
    """
    firsts = np.stack([_first(np.atleast_2d(path) >= threshold) for path in found])
    code = firsts.argmin(axis=0)
    blocks = firsts.min(axis=0)
    undecided = blocks == NEVER
    return np.where(undecided, 3, code), np.where(undecided, 0, blocks)


def _highest(path: Array) -> Array:
    return np.asarray(np.maximum.accumulate(path, axis=-1))


def _first(reached: NDArray[np.bool_]) -> IntArray:
    blocks = reached.argmax(axis=-1) + 1
    return np.asarray(np.where(reached.any(axis=-1), blocks, NEVER), dtype=np.int64)
