"""One play on a covariance matrix whose rank-one steps are put off."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.loops.compiling import compiled_form
from stoic.loops.features import shrink

__all__ = ["late_play"]


def late_play_numpy(
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
    widest = shrink(var, gain, noise + own, 1.0)
    return own, widest


@compiled_form(late_play_numpy)
def late_play(
    covariance: Array, recent: Array, late: int, var: Array, arm: int, noise: float, gain: Array
) -> tuple[float, float]:
    """One play on a covariance that lags; see :func:`late_play_numpy`."""
    A = len(gain)
    for a in range(arm):
        gain[a] = covariance[arm, a]
    for a in range(arm, A):
        gain[a] = covariance[a, arm]
    for k in range(late):
        column = recent[:, k]
        own = column[arm]
        for a in range(A):
            gain[a] -= own * column[a]
    own = max(gain[arm], 0.0)
    share = 1.0 / (noise + own)
    column, root = recent[:, late], math.sqrt(share)
    for a in range(A):
        column[a] = root * gain[a]
    widest = 0.0
    for a in range(A):
        left = max(var[a] - share * gain[a] * gain[a], 0.0)
        var[a] = left
        gain[a] *= share
        widest = max(widest, left)
    return own, widest
