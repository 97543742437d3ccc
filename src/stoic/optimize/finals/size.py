"""How many evaluations the finals take, unless the caller says so.

They are as small as a verdict allows. How many measurements of each contender would show the gain
is simulated (:mod:`stoic.optimize.finals.needed`): eight evaluations where the answer is better by
many standard deviations of the noise, more where it is nearer to the baseline. Without a baseline
there is nothing to decide: finals of four evaluations among the best candidates cost more regret
than they saved (benchmarks/robust/endings.py), so there are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["LEAST_EACH", "Confirm", "finals_size"]

Confirm = int | Literal["auto"]

LEAST_EACH = 4  # measurements of each, with which a verdict withstands an outlier


@dataclass(frozen=True)
class SizeRule:
    """The size of finals; chosen with benchmarks/core/verdicts.py and benchmarks/robust."""

    share: float = 1 / 10  # of all evaluations, at least: many make the interval narrow
    most_of_few: float = 0.35  # of all evaluations, where they are few
    most_share: float = 1 / 5  # of all evaluations, where they are many
    most_if_near: int = 24  # evaluations, where a fifth is fewer
    most: int = 100


_RULE = SizeRule()


def finals_size(
    confirm: Confirm, evaluations: int, *, has_baseline: bool, each: int | None = None
) -> int:
    """The evaluations of the finals among so many in all.

    ``each`` is how many measurements of each contender are needed; as many as possible by default.

    >>> [finals_size("auto", n, has_baseline=True) for n in (3, 20, 30, 60, 100, 1000)]
    [0, 6, 10, 20, 24, 100]
    >>> [finals_size("auto", n, has_baseline=True, each=4) for n in (3, 20, 30, 60, 100, 1000)]
    [0, 6, 8, 8, 10, 100]
    >>> [finals_size(confirm, 60, has_baseline=False) for confirm in ("auto", 8)]
    [0, 8]
    """
    r = _RULE
    if confirm != "auto":
        return min(confirm, evaluations)
    if not has_baseline:
        return 0
    most = min(max(int(r.most_share * evaluations), r.most_if_near), r.most)
    wanted = most if each is None else max(2 * each, int(r.share * evaluations))
    size = min(wanted, int(r.most_of_few * evaluations), most)
    return size - size % 2  # the answer and the baseline equally often
