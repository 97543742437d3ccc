"""Small worlds that tests play in: kernels, arms, functions, noises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import stoic
from stoic.kernels import Kernel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """Arms with a kernel, the kernel's matrix by another code, and a function on the arms."""

    name: str
    domain: stoic.Arms
    kernel: Kernel
    K: Array
    f: Array


def near_duplicates() -> World:
    """Twelve points on [0, 1], eight of them again at distances of 1e-7 to 1e-3; SE, l = 0.3."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.random(12))
    twins = x[:8] + np.array([1e-7, -1e-7, 1e-6, 1e-5, -1e-5, 1e-4, 1e-3, -1e-3])
    X = np.clip(np.concatenate([x, twins]), 0.0, 1.0)[:, None]
    K = np.exp(-((X - X.T) ** 2) / (2 * 0.3**2))
    return World("se", stoic.Arms(X), stoic.SquaredExponential(0.3), K, np.sin(5 * X[:, 0]))


def plane() -> World:
    """Twenty-five random points of the unit square; Matérn 5/2, l = 0.4."""
    rng = np.random.default_rng(2)
    X = rng.random((25, 2))
    r = np.sqrt(5.0) * np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1)) / 0.4
    K = (1 + r + r**2 / 3) * np.exp(-r)
    f = np.cos(3 * X[:, 0]) * np.sin(4 * X[:, 1])
    return World("matern", stoic.Arms(X), stoic.Matern(2.5, 0.4), K, f)


def given_matrix() -> World:
    """Fifteen arms known by a covariance of rank nine plus a little."""
    rng = np.random.default_rng(3)
    factor = rng.standard_normal((15, 9))
    K = factor @ factor.T / 9 + 0.05 * np.eye(15)
    f = K @ rng.standard_normal(15) / 2
    return World("matrix", stoic.Arms.matrix(K), stoic.MatrixKernel(K), K, f)


def linear() -> World:
    """Twenty random directions of three dimensions; the linear kernel, and a linear function."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((20, 3))
    return World("linear", stoic.Arms(X), stoic.Linear(), X @ X.T, X @ np.array([0.6, -0.3, 0.5]))


WORLDS: dict[str, Callable[[], World]] = {
    "se": near_duplicates,
    "matern": plane,
    "matrix": given_matrix,
}

NOISES: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "gaussian": lambda rng, n: 0.5 * rng.standard_normal(n),
    "t3": lambda rng, n: rng.standard_t(3, n),
}
