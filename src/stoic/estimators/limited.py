"""What a limiter hands to an estimator."""

from __future__ import annotations

from typing import NamedTuple

from stoic.checks import Array, IntArray

__all__ = ["Limited"]


class Limited(NamedTuple):
    """The payoffs of one play as an estimator may learn them.

    Attributes
    ----------
    payoffs
        One for each column of the estimator.
    location
        What the estimate shrinks towards from now on.
    anew
        Arms and payoffs of all plays so far, this one included, to be learned in place of
        everything before: while a limiter warms up, it limits all of them again.
    """

    payoffs: Array
    location: float = 0.0
    anew: tuple[IntArray, Array] | None = None
