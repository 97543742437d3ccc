"""How many evaluations the finals take, unless the caller says so.

With seven blocks, gains of two standard deviations of the noise are nearly always shown, but only
two thirds of those of one and a half. So finals are larger where the answer seems to be near the
baseline. Without a baseline there is nothing to decide: finals of four evaluations among the best
candidates cost more regret than they saved (benchmarks/robust/endings.py), so there are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Confirm", "finals_size"]

Confirm = int | Literal["auto"]


@dataclass(frozen=True)
class SizeRule:
    """The size of finals; chosen with benchmarks/core/verdicts.py and benchmarks/robust."""

    share: float = 1 / 5  # of all evaluations
    more: int = 2  # evaluations beside this share: with 60, seven blocks of two
    least: int = 14  # seven blocks of two, of which two may be spoilt by outliers
    most_of_few: float = 0.35  # of all evaluations, where they are few
    most: int = 100
    least_if_near: int = 24  # evaluations where the answer is near the baseline


_RULE = SizeRule()


def finals_size(
    confirm: Confirm, evaluations: int, *, has_baseline: bool, near: bool = False
) -> int:
    """The evaluations of the finals among so many in all; ``near``: see `near_baseline`.

    >>> [finals_size("auto", n, has_baseline=True) for n in (3, 20, 30, 60, 100, 1000)]
    [0, 6, 10, 14, 22, 100]
    >>> [finals_size("auto", n, has_baseline=True, near=True) for n in (3, 20, 30, 60, 100, 1000)]
    [0, 6, 10, 20, 24, 100]
    >>> [finals_size(confirm, 60, has_baseline=False) for confirm in ("auto", 8)]
    [0, 8]
    """
    r = _RULE
    if confirm != "auto":
        return min(confirm, evaluations)
    if not has_baseline:
        return 0
    least = r.least_if_near if near else r.least
    wanted = max(round(r.share * evaluations) + r.more, least)
    size = min(wanted, int(r.most_of_few * evaluations), r.most)
    return size - size % 2  # whole blocks of the answer and the baseline
