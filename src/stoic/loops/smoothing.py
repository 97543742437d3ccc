"""Smoothing of payoffs that are within their limits, about a centre for each arm."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled, compiled_form

__all__ = ["ByArm", "Limits", "Tail", "smooth_about"]


class Tail(NamedTuple):
    """Payoffs that may still be clipped, in order of arrival, and room for those that are."""

    payoffs: Array
    arms: IntArray
    hot: IntArray  # arms of those beyond their limits
    far: Array  # their distances from the centre, and their limits, as two rows


class ByArm(NamedTuple):
    """What is known of each arm."""

    counts: IntArray  # plays
    var: Array  # σ²
    centre: Array  # what its payoffs are clipped about
    settled: Array  # sum of the payoffs that will not be clipped any more
    settled_count: Array  # how many they are


class Limits(NamedTuple):
    """A payoff may be factor·√(residual² + σ² function²)·plays^growth from its arm's centre."""

    residual: float
    function: float
    factor: float
    growth: float


def smooth_about_numpy(
    tail: Tail,
    old: int,
    arms: ByArm,
    location: float,
    limits: Limits,
    psi: Array,
    inverse: Array,
    theta: Array,
) -> int:
    """Theta = V⁻¹Ψᵀ(payoff sums − counts·location); return how many payoffs are left out of it.

    Of all plays of an arm, some are settled; the payoffs of the others are in the tail. The first
    ``old`` of the tail get settled, clipped to their limits; others beyond their limits are left
    out, and count as the centre: they go to ``hot`` and ``far``.
    """
    at, counts, centre = tail.arms, arms.counts, arms.centre
    spread = np.hypot(limits.residual, np.sqrt(arms.var[at]) * limits.function)
    limit: Array = limits.factor * spread * counts[at] ** limits.growth
    off = tail.payoffs - centre[at]
    np.add.at(arms.settled, at[:old], centre[at[:old]] + np.clip(off, -limit, limit)[:old])
    np.add.at(arms.settled_count, at[:old], 1.0)
    off, limit, at = off[old:], limit[old:], at[old:]
    out = np.abs(off) > limit
    sums = arms.settled + (counts - arms.settled_count) * centre - counts * location
    np.add.at(sums, at[~out], off[~out])
    theta[:] = inverse @ (psi.T @ sums)
    many = int(np.count_nonzero(out))
    tail.hot[:many], tail.far[0, :many], tail.far[1, :many] = at[out], off[out], limit[out]
    return many


@compiled_form(smooth_about_numpy)
def smooth_about(
    tail: Tail,
    old: int,
    arms: ByArm,
    location: float,
    limits: Limits,
    psi: Array,
    inverse: Array,
    theta: Array,
) -> int:
    """Settle old payoffs, and smooth those that are within their limits."""
    payoffs, at, hot, far = tail
    counts, var, centre, settled, settled_count = arms
    for i in range(old):
        a = at[i]
        limit = _limit(var[a], counts[a], limits)
        settled[a] += min(max(payoffs[i], centre[a] - limit), centre[a] + limit)
        settled_count[a] += 1.0
    sums = np.zeros(len(settled))
    for a in range(len(sums)):
        if counts[a]:
            sums[a] = settled[a] + (counts[a] - settled_count[a]) * centre[a] - counts[a] * location
    many, least = 0, limits.factor * limits.residual  # no limit is below that
    for i in range(old, len(payoffs)):
        off = payoffs[i] - centre[at[i]]
        if abs(off) > least:
            limit = _limit(var[at[i]], counts[at[i]], limits)
            if abs(off) > limit:
                hot[many], far[0, many], far[1, many] = at[i], off, limit
                many += 1
                continue
        sums[at[i]] += off
    right = np.zeros(len(inverse))
    for a in range(len(sums)):
        if counts[a]:
            weight, row = sums[a], psi[a]
            for j in range(len(right)):
                right[j] += weight * row[j]
    np.dot(inverse, right, theta)
    return many


@compiled
def _limit(var: float, plays: int, limits: Limits) -> float:
    spread = math.hypot(limits.residual, math.sqrt(var) * limits.function)
    return float(limits.factor * spread * float(plays) ** limits.growth)
