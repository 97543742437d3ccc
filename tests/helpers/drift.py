"""How far a posterior drifts from a solve in extended precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stoic.estimators import Limited, SmoothedMean
from stoic.kernels import Kernel
from stoic.posterior import ExactPosterior, Posterior

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drift:
    """Largest absolute errors over all arms, and 100·cond·eps of the solve."""

    mean: float
    var: float
    logdet: float
    smallest_var: float
    bound: float


def drift(
    kernel: Kernel,
    points: Array,
    lam: float,
    rounds: int,
    seed: int = 0,
    make: Callable[[Kernel, Array, float], Posterior] = ExactPosterior,
) -> Drift:
    """Play ``rounds`` unevenly chosen arms with t₃ payoffs; compare with a fresh solve."""
    rng = np.random.default_rng(seed)
    arms = rng.choice(len(points), rounds, p=rng.dirichlet(np.full(len(points), 0.2)))
    payoffs = rng.standard_t(3, rounds)
    posterior = make(kernel, points, lam)
    estimator = SmoothedMean(len(points))
    smallest = np.inf
    for arm, payoff in zip(arms.tolist(), payoffs.tolist(), strict=True):
        estimator.learn(arm, Limited(np.array([payoff])), posterior.observe(arm), posterior)
        smallest = min(smallest, posterior.var.min())
    mean, var, logdet, cond = fresh(kernel, points, lam, posterior.counts, estimator.sums[:, 0])
    return Drift(
        float(np.abs(estimator.deviation - mean).max()),
        float(np.abs(posterior.var - var).max()),
        float(abs(posterior.logdet - logdet)),
        float(smallest),
        100 * cond * float(np.finfo(float).eps),
    )


def fresh(
    kernel: Kernel, points: Array, lam: float, counts: NDArray[np.int64], sums: Array
) -> tuple[Array, Array, float, float]:
    """Mean, variance and logdet by a Cholesky factor in long double; condition of K + λ/n."""
    U = np.flatnonzero(counts)
    K = kernel(points, points)
    wide = K.astype(np.longdouble)
    root = np.sqrt(counts[U].astype(np.longdouble))
    B = np.eye(len(U), dtype=np.longdouble) + root[:, None] * wide[np.ix_(U, U)] * root / lam
    L = np.zeros_like(B)
    right = np.column_stack([root[:, None] * wide[U], sums[U] / root])
    solved = np.zeros_like(right)
    for j in range(len(U)):
        L[j, j] = np.sqrt(B[j, j] - L[j, :j] @ L[j, :j])
        L[j + 1 :, j] = (B[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
        solved[j] = (right[j] - L[j, :j] @ solved[:j]) / L[j, j]
    W, z = solved[:, :-1], solved[:, -1]
    mean = (W.T @ z / lam).astype(float)
    var = (np.diag(wide) - (W * W).sum(axis=0) / lam).astype(float)
    cond = float(np.linalg.cond(K[np.ix_(U, U)] + lam * np.diag(1.0 / counts[U])))
    return mean, var, float(2 * np.log(np.diag(L)).sum()), cond
