"""What a limiter hands to an estimator."""

from __future__ import annotations

from typing import NamedTuple

from stoic.checks import Array, IntArray

__all__ = ["Level", "Limited", "Ruler"]


class Level(NamedTuple):
    """At which level payoffs are truncated in each direction of feature space."""

    b: float  # b_t
    safe: float  # the least level to come


class Ruler(NamedTuple):
    """About which estimates, and how far from them, payoffs are clipped in feature space.

    A payoff may be factor·√(residual² + σ² function²)·plays^growth from the centre of its arm, of
    variance σ².
    """

    centre: Array  # of each arm
    residual: float  # spread of the residuals
    function: float  # spread of the function, in prior stds
    factor: float
    growth: float


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
    level, ruler
        How an estimator that keeps its payoffs limits all of them: one of the two.
    weights
        What each payoff weighs, in (0, 1], where they differ: of ``anew``, or of ``payoffs``.
    """

    payoffs: Array
    location: float = 0.0
    anew: tuple[IntArray, Array] | None = None
    level: Level | None = None
    ruler: Ruler | None = None
    weights: Array | None = None
