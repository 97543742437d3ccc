"""The passes in NumPy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.loops.blas import add_outer
from stoic.loops.medians import median_of_rows
from stoic.loops.plain_spreads import clip_payoffs, take_in
from stoic.loops.spreads import LOCATION

__all__ = [
    "absorb",
    "clip_directions",
    "clip_payoffs",
    "cut_directions",
    "deviate",
    "highest",
    "interpolate",
    "late_play",
    "norm",
    "outlive",
    "play",
    "pull",
    "smooth_about",
    "spread",
    "take_in",
    "turn",
]


def play(
    psi: Array,
    parts: tuple[Array, Array, IntArray],
    inverse: Array,
    var: Array,
    arm: int,
    noise: float,
    lam: float,
    again: bool,
    direction: Array,
    column: Array,
    gain: Array,
) -> tuple[float, float]:
    """One play on features: V⁻¹ and σ² in place, the gain, and ψᵀV⁻¹ψ with the largest σ².

    With v = V⁻¹ψ_a, d = noise + ψ_aᵀv and c = Ψv: gain = c/d, V⁻¹ −= vvᵀ/d, σ² −= λc²/d.
    After the play v and c are noise/d of what they were: so they are left in ``direction`` and
    ``column``, where a play of the same arm ``again`` finds them. ``parts`` are anchors (Bp, r),
    weights (B, p, n) and an order (Bn) that give Ψv for less, or nothing.
    """
    row = psi[arm]
    if not again:
        np.dot(inverse, row, out=direction)
        _multiply(psi, parts, direction, column)
    explained = float(row @ direction)
    d = noise + explained
    if len(direction):
        add_outer(inverse.T, -1.0 / d, direction, direction)
    direction *= noise / d
    gain[:] = column
    widest = _shrink(var, gain, d, lam)
    np.multiply(gain, noise, out=column)
    return explained, widest


def _multiply(psi: Array, parts: tuple[Array, Array, IntArray], v: Array, out: Array) -> None:
    """Out = Ψv."""
    anchors, weights, order = parts
    if len(order):
        B, p, _ = weights.shape
        out[order] = ((anchors @ v).reshape(B, 1, p) @ weights).ravel()
    else:
        np.dot(psi, v, out=out)


def late_play(
    covariance: Array, recent: Array, late: int, var: Array, arm: int, noise: float, gain: Array
) -> tuple[float, float]:
    """One play on a covariance that lags: the gain, and σ²(a) with the largest σ².

    With G the first ``late`` columns of ``recent``, the present covariance is C − GGᵀ; c is its
    column of the arm and d = noise + c_a. Then G gets the column c/√d, gain = c/d, σ² −= c²/d.
    Of C, the lower half is read.
    """
    gain[:arm] = covariance[arm, :arm]
    gain[arm:] = covariance[arm:, arm]
    if late:
        G = recent[:, :late]
        gain -= G @ G[arm]
    own = max(float(gain[arm]), 0.0)
    np.divide(gain, math.sqrt(noise + own), out=recent[:, late])
    widest = _shrink(var, gain, noise + own, 1.0)
    return own, widest


def _shrink(var: Array, gain: Array, d: float, lam: float) -> float:
    """σ² −= λc²/d and gain = c/d, for c in ``gain``; the largest σ²."""
    c = gain.copy()
    gain /= d
    c *= gain
    if lam != 1.0:
        c *= lam
    var -= c
    np.maximum(var, 0.0, out=var)
    return float(var.max(initial=0.0))


def absorb(
    values: Array,
    marks: Array,
    clipped: bool,
    streak: int,
    centre: float,
    std: float,
    amplitude: float,
    factor: float,
    insistence: float,
    few: int,
    rows: Array,
    sums: Array,
    gain: Array,
    arm: int,
    targets: Array,
    out: Array,
) -> tuple[int, float, float]:
    """Clip the targets, all but the last, by what is known of payoffs, and :func:`pull`.

    Return the arm's new streak (see :func:`clip_payoffs`), the location that the payoffs then
    have, and how far the deviations from it range.
    """
    payoffs = targets[:-1]
    streak = clip_payoffs(
        values, marks, payoffs, clipped, streak, centre, std, amplitude, factor, insistence, few
    )
    location = float(marks[0, LOCATION])
    return streak, location, pull(rows, sums, gain, arm, targets, location, out)


def pull(
    rows: Array,
    sums: Array,
    gain: Array,
    arm: int,
    targets: Array,
    location: float,
    out: Array,
) -> float:
    """Add the targets, all but the last, to the arm's sums, and pull all rows towards them.

    Rows += (targets − rows[:, arm]) gainᵀ, in place; then :func:`deviate`.
    """
    sums[arm] += targets[:-1]
    add_outer(rows.T, 1.0, gain, targets - rows[:, arm])
    return deviate(rows, location, out)


def deviate(rows: Array, location: float, out: Array) -> float:
    """Out = median of all rows but the last − location·last; return how far that ranges."""
    np.multiply(rows[-1], -location, out=out)
    out += median_of_rows(rows[:-1])
    return float(out.max() - out.min()) if len(out) else 0.0


def norm(gain: Array, counts: IntArray, p: float) -> float:
    """Return (Σ n_a |gain_a|^p)^{1/p}."""
    weights = np.abs(gain)
    largest = float(weights.max(initial=0.0))
    if largest == 0.0:
        return 0.0
    weights /= largest
    h: float = largest * float((counts * weights**p).sum()) ** (1.0 / p)
    return h


def outlive(
    variates: Array, limits: Array, q: float, out: float, held: IntArray
) -> tuple[int, int]:
    """Set variates beyond q·limits to ``out``; how many are left, of all and of those held."""
    variates[variates > q * limits] = out
    inside = variates < out
    return int(np.count_nonzero(inside)), int(np.count_nonzero(inside[held]))


def highest(deviation: Array, var: Array, width: float) -> int:
    """Return argmax of deviation + width·σ, the first of equals."""
    index = np.sqrt(var)
    index *= width
    index += deviation
    return int(index.argmax())


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


def clip_directions(
    values: Array,
    vectors: Array,
    basis: Array,
    psi: Array,
    arms: IntArray,
    payoffs: Array,
    limit: Array,
    theta: Array,
) -> None:
    """Theta += V^{-½}Σ of the payoffs' parts in each direction, clipped.

    With V = Q diag(values) Qᵀ and u = P V^{-½}ψ of each payoff y, its parts are u_i y. They are
    clipped where the heaviest direction, of the largest |u_i|, allows ±limit.
    """
    U = _rooted(values, vectors, psi[arms]) @ basis.T
    level = limit[:, None] * np.abs(U).max(axis=1, initial=0.0, keepdims=True)
    parts = np.clip(U * payoffs[:, None], -level, level).sum(axis=0)
    theta += _rooted(values, vectors, parts @ basis)


def cut_directions(
    values: Array,
    vectors: Array,
    basis: Array,
    psi: Array,
    arms: IntArray,
    payoffs: Array,
    level: float,
    theta: Array,
) -> None:
    """Do the same with parts beyond the level left out."""
    parts = _rooted(values, vectors, psi[arms]) @ basis.T * payoffs[:, None]
    inside = np.where(np.abs(parts) <= level, parts, 0.0).sum(axis=0)
    theta += _rooted(values, vectors, inside @ basis)


def _rooted(values: Array, vectors: Array, rows: Array) -> Array:
    """Rows·V^{-½}."""
    turned: Array = (rows @ vectors / np.sqrt(values)) @ vectors.T
    return turned


def spread(psi: Array, parts: tuple[Array, Array, IntArray], theta: Array, out: Array) -> float:
    """Out = Ψθ, by its ``parts`` as in :func:`play`; return how far that ranges."""
    _multiply(psi, parts, theta, out)
    return float(out.max() - out.min()) if len(out) else 0.0


def interpolate(
    weights: NDArray[np.float32],
    anchors: Array,
    offset: Array,
    location: float,
    since: Array,
    stamp: IntArray,
    rho: Array,
    slack: Array,
    values: Array,
    doubts: Array,
) -> None:
    """Fill in what follows from the anchors of some blocks, and how far off it may be.

    Values = weights·anchors + offset₀ − location·offset₁, doubts = since[stamp]·ρ + slack.
    """
    values[:] = (weights.astype(float) @ anchors[:, :, None])[:, :, 0]
    values += offset[0]
    values -= location * offset[1]
    np.multiply(since[stamp], rho, out=doubts)
    doubts += slack[:, None]


def turn(values: Array, vectors: Array, row: Array) -> None:
    """Decompose Q diag(values) Qᵀ + ψψᵀ, for Q = ``vectors`` and ψ = ``row``, in place."""
    z = vectors.T @ row
    found, rotation = np.linalg.eigh(np.diag(values) + np.outer(z, z))
    values[:], vectors[:] = found, vectors @ rotation
