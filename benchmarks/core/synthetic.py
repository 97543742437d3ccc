"""The synthetic problem of chowdhury2019 (fig. 1a) and noises to go with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import stoic

Array = NDArray[np.float64]

ARMS = np.linspace(0.0, 1.0, 100)
KERNEL = stoic.SquaredExponential(0.2)


def function(seed: int) -> Array:
    """F = Σ a_i k(·, x_i) over the 100 arms, a_i uniform on [−1, 1], not rescaled."""
    K = KERNEL(ARMS[:, None], ARMS[:, None])
    f: Array = K @ np.random.default_rng([1, seed]).uniform(-1.0, 1.0, len(ARMS))
    return f


def student_t3(rng: np.random.Generator, n: int) -> Array:
    """Student's t with three degrees of freedom: variance 3, no third moment."""
    return rng.standard_t(3, n)


def symmetric_pareto(rng: np.random.Generator, n: int, shape: float = 1.21) -> Array:
    """±(z − E z) with z Pareto(1.21): infinite variance (park2024, ε = 0.2)."""
    z = (1.0 - rng.random(n)) ** (-1.0 / shape)
    signs = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    noise: Array = signs * (z - shape / (shape - 1.0))
    return noise


NOISES = {"t3": student_t3, "pareto-1.21": symmetric_pareto}
