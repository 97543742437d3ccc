"""Smoothing of payoffs that are within their limits, about a centre for each arm."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled, compiled_form

__all__ = ["smooth_about"]


def smooth_about_numpy(
    tail: Array,
    arms: IntArray,
    old: int,
    centre: Array,
    settled: Array,
    settled_count: Array,
    counts: IntArray,
    location: float,
    psi: Array,
    inverse: Array,
    var: Array,
    residual: float,
    function: float,
    factor: float,
    growth: float,
    theta: Array,
    hot: IntArray,
    far: Array,
) -> int:
    """Theta = V⁻¹Ψᵀ(payoff sums − counts·location); return how many payoffs are left out of it.

    Of ``counts`` plays of each arm, the payoffs of ``settled_count`` are summed up in ``settled``;
    the others are in the ``tail``. A payoff's limit is its distance from its arm's centre of
    factor·√(residual² + σ² function²)·plays^growth. The first ``old`` of the tail are settled,
    clipped to it; others beyond it are left out, and count as the centre: their arms go to
    ``hot``, distances and limits to ``far``.
    """
    spread = np.hypot(residual, np.sqrt(var[arms]) * function)
    limit: Array = factor * spread * counts[arms] ** growth
    off = tail - centre[arms]
    np.add.at(settled, arms[:old], centre[arms[:old]] + np.clip(off, -limit, limit)[:old])
    np.add.at(settled_count, arms[:old], 1.0)
    out, off, limit, arms = np.abs(off) > limit, off[old:], limit[old:], arms[old:]
    out = out[old:]
    sums = settled + (counts - settled_count) * centre - counts * location
    np.add.at(sums, arms[~out], off[~out])
    theta[:] = inverse @ (psi.T @ sums)
    many = int(np.count_nonzero(out))
    hot[:many], far[0, :many], far[1, :many] = arms[out], off[out], limit[out]
    return many


@compiled_form(smooth_about_numpy)
def smooth_about(
    tail: Array,
    arms: IntArray,
    old: int,
    centre: Array,
    settled: Array,
    settled_count: Array,
    counts: IntArray,
    location: float,
    psi: Array,
    inverse: Array,
    var: Array,
    residual: float,
    function: float,
    factor: float,
    growth: float,
    theta: Array,
    hot: IntArray,
    far: Array,
) -> int:
    """Settle old payoffs, and smooth those that are within their limits."""
    for i in range(old):
        a = arms[i]
        limit = _limit(var[a], counts[a], residual, function, factor, growth)
        settled[a] += min(max(tail[i], centre[a] - limit), centre[a] + limit)
        settled_count[a] += 1.0
    sums = np.zeros(len(settled))
    for a in range(len(sums)):
        if counts[a]:
            sums[a] = settled[a] + (counts[a] - settled_count[a]) * centre[a] - counts[a] * location
    many = 0
    for i in range(old, len(tail)):
        off = tail[i] - centre[arms[i]]
        if abs(off) > factor * residual:  # no limit is below that
            limit = _limit(var[arms[i]], counts[arms[i]], residual, function, factor, growth)
            if abs(off) > limit:
                hot[many], far[0, many], far[1, many] = arms[i], off, limit
                many += 1
                continue
        sums[arms[i]] += off
    right = np.zeros(len(inverse))
    for a in range(len(sums)):
        if counts[a]:
            weight, row = sums[a], psi[a]
            for j in range(len(right)):
                right[j] += weight * row[j]
    np.dot(inverse, right, theta)
    return many


@compiled
def _limit(
    var: float, plays: int, residual: float, function: float, factor: float, growth: float
) -> float:
    spread = math.hypot(residual, math.sqrt(var) * function)
    return float(factor * spread * float(plays) ** growth)
