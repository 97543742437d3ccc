"""Expected improvement, on a logarithmic scale so that it has a slope everywhere."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from stoic.checks import Array
from stoic.surrogate import RobustGP

__all__ = ["log_improvement", "log_improvement_slopes"]

_FAR = -6.0
_ROOT = math.sqrt(2.0 * math.pi)


def log_improvement(mean: Array, variance: Array, best: float) -> Array:
    """The logarithm of E[max(f − best, 0)] for normal f."""
    std = np.sqrt(variance)
    value, _ = _log_h((mean - best) / std)
    return np.log(std) + value


def log_improvement_slopes(gp: RobustGP, X: Array, best: float) -> tuple[Array, Array]:
    """The same at points, and its gradient."""
    mean, variance, d_mean, d_variance = gp.slopes(X)
    std = np.sqrt(variance)
    u = (mean - best) / std
    value, slope = _log_h(u)
    d_std = d_variance / (2.0 * std[:, None])
    d_u = (d_mean - u[:, None] * d_std) / std[:, None]
    return np.log(std) + value, d_std / std[:, None] + slope[:, None] * d_u


def _log_h(u: Array) -> tuple[Array, Array]:
    """log(φ(u) + u Φ(u)) and its derivative; far below zero by the asymptote."""
    near = np.maximum(u, _FAR)
    cdf = ndtr(near)
    h = np.exp(-0.5 * near * near) / _ROOT + near * cdf
    value, slope = np.log(h), cdf / h
    far = u < _FAR
    if far.any():
        v = u[far]
        q = 1.0 / (v * v)
        rest = -3.0 * q + 15.0 * q**2 - 105.0 * q**3
        mills = 1.0 - q + 3.0 * q**2 - 15.0 * q**3
        value[far] = -0.5 * v * v - math.log(_ROOT) - 2.0 * np.log(-v) + np.log1p(rest)
        slope[far] = -v * mills / (1.0 + rest)
    return value, slope
