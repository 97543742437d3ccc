"""Smoothing of payoffs that are within their limits, about a centre for each arm."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled, compiled_form

__all__ = ["ByArm", "Limits", "Tail", "smooth_about"]


# Plain tuples, which Numba unboxes faster than named ones.

# Payoffs that may still be clipped, in order of arrival; their arms; and room for those beyond
# their limits: their arms, and as two rows their distances from the centre and their limits.
Tail = tuple[Array, IntArray, IntArray, Array]
# Of each arm: plays, σ², the centre that its payoffs are clipped about, the sum of the payoffs
# that will not be clipped any more, and how many they are.
ByArm = tuple[IntArray, Array, Array, Array, Array]
# residual, function, factor, growth: a payoff may be
# factor·√(residual² + σ² function²)·plays^growth from its arm's centre.
Limits = tuple[float, float, float, float]


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
    payoffs, at, hot, far = tail
    counts, var, centre, settled, settled_count = arms
    residual, function, factor, growth = limits
    spread = np.hypot(residual, np.sqrt(var[at]) * function)
    limit: Array = factor * spread * counts[at] ** growth
    off = payoffs - centre[at]
    np.add.at(settled, at[:old], centre[at[:old]] + np.clip(off, -limit, limit)[:old])
    np.add.at(settled_count, at[:old], 1.0)
    off, limit, at = off[old:], limit[old:], at[old:]
    out = np.abs(off) > limit
    sums = settled + (counts - settled_count) * centre - counts * location
    np.add.at(sums, at[~out], off[~out])
    theta[:] = inverse @ (psi.T @ sums)
    many = int(np.count_nonzero(out))
    hot[:many], far[0, :many], far[1, :many] = at[out], off[out], limit[out]
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
    many, least = 0, limits[2] * limits[0]  # no limit is below that
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
    residual, function, factor, growth = limits
    spread = math.hypot(residual, math.sqrt(var) * function)
    return float(factor * spread * float(plays) ** growth)
