"""How much of a wide test is done: a part in ``make test``, all of it in ``make soak``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

__all__ = ["SOAK", "pairwise", "sized"]

SOAK = bool(os.environ.get("STOIC_SOAK"))


def sized(part: int, whole: int) -> int:
    """The number of runs, seeds or examples."""
    return whole if SOAK else part


def pairwise(choices: Mapping[str, Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Combinations in which any two values of different choices meet; all of them in a soak.

    The greedy construction: each row is the one that brings the most pairs that are still
    missing, the first of equals.
    """
    names = list(choices)
    rows = list(product(*choices.values()))
    if SOAK:
        return rows
    pairs = {row: _pairs(names, row) for row in rows}
    missing = set().union(*pairs.values())
    chosen = []
    while missing:
        best = max(rows, key=lambda row: len(pairs[row] & missing))
        chosen.append(best)
        missing -= pairs[best]
    return chosen


def _pairs(names: list[str], row: tuple[Any, ...]) -> set[tuple[tuple[str, Any], ...]]:
    return set(combinations(zip(names, row, strict=True), 2))
