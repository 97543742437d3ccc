"""The tail index of values, with an interval.

Above a high threshold, excesses of almost any distribution follow a generalised Pareto distribution
with shape ξ (Pickands 1975). The tail index is α = 1/ξ: moments of order below α are finite, others
are not. A tail with ξ ≤ 0 is light: all moments are finite.

The estimate is that of Zhang & Stephens, *A new and efficient estimation method for the
generalized Pareto distribution*, Technometrics 2009: as precise as maximum likelihood, always
defined, with small bias. Since its standard deviation is (1 + ξ)/√k from k excesses, log(1 + ξ)
has deviation 1/√k for every ξ, and the interval is 1 + ξ ∈ (1 + ξ̂)·exp(±1.96/√k).
Excesses do not depend on location, nor the estimate on scale, so α is the same for a·y + b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from stoic.checks import Array

__all__ = ["Tail", "Verdict", "fit_tail", "spread_ties"]

Verdict = Literal["yes", "no", "unclear"]

_NORMAL_95 = 1.959963984540054
_MIN_EXCESSES = 10  # and as many different ones
_EXCESSES_OF_100 = 20  # of 100 values; the number grows with n^0.6, which keeps the bias small
_GROWTH_EXPONENT = 0.6
_MAX_EXCESSES = 20_000
_SHARES = (1.0, 0.7, 0.5, 0.35)  # of the largest number of excesses, tried in turn
_MAX_DISTANCE = 0.85  # √k·(Kolmogorov distance) of a fit; 5 % of correct fits exceed it
_MIN_XI = 0.05  # an index above 20 can't be distinguished from a light tail
_MAX_EXCESS = 1e250  # in units of the median excess


@dataclass(frozen=True)
class Tail:
    """A tail: its index α with a 95 % interval; an infinite α means no power tail.

    ``excesses`` is the number of farthest values that it is estimated from.
    """

    index: float
    interval: tuple[float, float]
    excesses: int

    @property
    def power(self) -> bool:
        """Whether a power tail is seen: the interval has a finite upper end."""
        return math.isfinite(self.interval[1])

    def finite_moment(self, order: float) -> Verdict:
        """Whether the absolute moment of an order is finite: "yes", "no" or "unclear"."""
        low, high = self.interval
        return "yes" if low > order else "no" if high <= order else "unclear"


def fit_tail(deviations: Array) -> Tail | None:
    """The tail of nonnegative deviations from a centre, or None with too few values.

    The number of excesses is the largest one, at most 20·(n/100)^0.6, at which Kolmogorov's
    distance between the fitted and the empirical distribution is within random variation.

    >>> quantiles = (np.arange(1000) + 0.5) / 1000
    >>> round(fit_tail(quantiles ** (-1 / 1.5)).index, 1)  # Pareto(1.5)
    1.5
    >>> fit_tail(-np.log(quantiles)).power  # exponential
    False
    """
    n = len(deviations)
    most = min(int(_EXCESSES_OF_100 * (n / 100.0) ** _GROWTH_EXPONENT), n // 3, _MAX_EXCESSES)
    if most < _MIN_EXCESSES:
        return None
    farthest = np.sort(deviations)[-4 * most :]  # the rest is not used
    if len(np.unique(farthest[-most:])) < _MIN_EXCESSES:
        return None
    farthest = spread_ties(farthest)
    best, nearest = (0.0, most), math.inf
    for share in _SHARES:
        k = max(int(share * most), _MIN_EXCESSES)
        excesses = _unit_free(farthest[-k:] - farthest[-k - 1])
        xi, sigma = _zhang_stephens(excesses)
        distance = math.sqrt(k) * _kolmogorov(excesses, xi, sigma)
        if distance < nearest:
            best, nearest = (xi, k), distance
        if distance <= _MAX_DISTANCE:
            best = (xi, k)
            break
    return _tail_of(*best)


def _tail_of(xi: float, k: int) -> Tail:
    factor = math.exp(_NORMAL_95 / math.sqrt(k))
    low, high = (1.0 + xi) / factor - 1.0, (1.0 + xi) * factor - 1.0
    least = 1.0 / max(high, _MIN_XI)
    if low <= _MIN_XI / 2.0:
        return Tail(math.inf, (least, math.inf), k)
    return Tail(1.0 / xi, (least, 1.0 / low), k)


def _unit_free(excesses: Array) -> Array:
    """Excesses divided by their median, within the range of floats."""
    unit = float(excesses[len(excesses) // 2])
    if unit <= 0.0:
        unit = float(excesses[-1]) or 1.0
    with np.errstate(over="ignore"):
        return np.clip(excesses / unit, 1e-9, _MAX_EXCESS)


def _zhang_stephens(x: Array) -> tuple[float, float]:
    """(ξ, σ) of sorted positive excesses: the posterior mean of θ = −ξ/σ on a grid."""
    k = len(x)
    nodes = min(20 + int(math.sqrt(k)), 80)
    quartile = x[max(int(k / 4.0 + 0.5) - 1, 0)]
    grid = 1.0 - np.sqrt(nodes / (np.arange(1, nodes + 1) - 0.5))
    theta = 1.0 / x[-1] + grid / (3.0 * quartile)
    theta = theta[theta < 1.0 / x[-1]]
    xi = np.array([float(np.log1p(-t * x).mean()) for t in theta])
    usable = (xi != 0.0) & (theta != 0.0)
    theta, xi = theta[usable], xi[usable]
    likelihood = k * (np.log(-theta / xi) - xi - 1.0)
    weights = np.exp(likelihood - likelihood.max())
    mean = float((theta * weights).sum() / weights.sum())
    if mean == 0.0:  # exactly exponential
        return 0.0, float(x.mean())
    shape = float(np.log1p(-mean * x).mean())
    return shape, -shape / mean


def _kolmogorov(x: Array, xi: float, sigma: float) -> float:
    """The largest distance between the fitted and the empirical distribution of the excesses."""
    k = len(x)
    if xi == 0.0:
        below = -np.expm1(-x / sigma)
    else:
        below = -np.expm1(-np.log1p(np.maximum(x * (xi / sigma), -1.0 + 1e-12)) / xi)
    steps = np.arange(k + 1) / k
    return float(max((steps[1:] - below).max(), (below - steps[:-1]).max()))


def spread_ties(ordered: Array) -> Array:
    """Sorted values, with equal ones spread evenly over their rounding cell.

    A cell ends halfway to the nearer neighbour.

    >>> spread_ties(np.array([1.0, 2.0, 2.0, 3.0])).tolist()
    [1.0, 1.75, 2.25, 3.0]
    """
    values, first, counts = np.unique(ordered, return_index=True, return_counts=True)
    if len(values) in (1, len(ordered)):
        return ordered
    gaps = np.diff(values)
    cells = np.minimum(np.append(gaps, gaps[-1]), np.insert(gaps, 0, gaps[0]))
    position = np.arange(len(ordered)) - np.repeat(first, counts)
    return ordered + np.repeat(cells, counts) * ((position + 0.5) / np.repeat(counts, counts) - 0.5)
