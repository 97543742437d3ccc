"""Values at the points of blocks, interpolated from a few anchors in each block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled_form

__all__ = ["interpolate", "interpolation_error"]


def interpolate_numpy(
    weights: NDArray[np.float32], anchors: Array, offset: Array, location: float, values: Array
) -> None:
    """Values = weights·anchors + offset₀ − location·offset₁, for the points of some blocks."""
    values[:] = (weights.astype(float) @ anchors[:, :, None])[:, :, 0]
    values += offset[0]
    values -= location * offset[1]


@compiled_form(interpolate_numpy)
def interpolate(
    weights: NDArray[np.float32], anchors: Array, offset: Array, location: float, values: Array
) -> None:
    """Values = weights·anchors + offset₀ − location·offset₁, for the points of some blocks."""
    count, n, p = weights.shape
    for b in range(count):
        anchor = anchors[b]
        for i in range(n):
            weight = weights[b, i]
            value = 0.0
            for j in range(p):
                value += weight[j] * anchor[j]
            values[b, i] = value + offset[0, b, i] - location * offset[1, b, i]


def interpolation_error_numpy(
    drift: Array, then: IntArray, rho: Array, rounding: Array, out: Array
) -> None:
    """Out = drift[then]·ρ + rounding: bounds on the errors of interpolated values."""
    np.multiply(drift[then], rho, out=out)
    out += rounding[:, None]


@compiled_form(interpolation_error_numpy)
def interpolation_error(
    drift: Array, then: IntArray, rho: Array, rounding: Array, out: Array
) -> None:
    """Out = drift[then]·ρ + rounding: bounds on the errors of interpolated values."""
    for b in range(len(then)):
        for i in range(then.shape[1]):
            out[b, i] = drift[then[b, i]] * rho[b, i] + rounding[b]
