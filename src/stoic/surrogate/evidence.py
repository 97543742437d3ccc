"""The log posterior of the hyper-parameters, given measurements and their weights.

log p(θ | z) = −½ (z − μ)ᵀ C⁻¹ (z − μ) − ½ log|C| + log prior, C = a² K + b² M + diag(1/(w/s² + q)):
w are the measurements' weights, q the part of their precisions that does not depend on s².
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from stoic.checks import Array, IntArray
from stoic.surrogate.covariance import Covariance
from stoic.surrogate.distances import Coded, Scaled, apart, between
from stoic.surrogate.hyper import Hyper, Prior

__all__ = ["JITTER", "negative_evidence"]

JITTER = 1e-8  # times the amplitude, on the diagonal of C: duplicates stay invertible
_LOSS_IF_SINGULAR = 1e10  # nats, where C has no Cholesky factor: the search turns back


def negative_evidence(
    X: Array, groups: IntArray, prior: Prior, covariance: Covariance
) -> Callable[[Array, Array, Array, Array], tuple[float, Array]]:
    """A function of (θ, z, w, q) that gives −log p(θ | z) and its gradient."""
    n = len(X)
    count = int(groups.max()) + 1
    centre, spread = prior.centre(count), prior.spread(count)
    points = Coded(X, groups)
    along = _sums_along(points, groups, covariance.power)
    diagonal = np.diag_indices(n)
    below = np.tri(n, k=-1, dtype=bool)
    buffers = np.empty((9, n, n))

    def value_and_gradient(theta: Array, z: Array, w: Array, q: Array) -> tuple[float, Array]:
        h = Hyper(theta, groups, covariance)
        rho, a2, b2 = h.smoothness, h.amplitude, h.micro
        scaled = points.scaled(h.lengthscales)
        r = between(scaled, scaled, power=covariance.power)
        K, dK, dK_rho, M, dM = covariance.parts(r, rho, buffers)
        C, Q, part = buffers[6:9]
        np.multiply(a2, K, out=C)
        C += np.multiply(b2, M, out=part)
        noise = h.noise / (w + h.noise * q)
        C[diagonal] += noise + JITTER * a2
        L, failed = dpotrf(C.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return _LOSS_IF_SINGULAR, np.zeros_like(theta)
        e = z - h.mean
        alpha = dpotrs(L, e, lower=1)[0]
        half = math.fsum(np.log(L[diagonal]))
        inverse = dpotri(L, lower=1, overwrite_c=1)[0]
        # Q = ααᵀ − C⁻¹, symmetric, of which LAPACK fills one half; d log p = ½ tr(Q dC)
        np.copyto(Q, inverse.T)
        np.copyto(Q, inverse, where=below)
        np.subtract(np.multiply(alpha[:, None], alpha, out=part), Q, out=Q)
        dK *= a2
        dK += np.multiply(b2, dM, out=part)
        W = np.multiply(Q, dK, out=dK)  # by r, which falls by power·|Δ/ℓ|^power with log ℓ
        gradient = np.empty_like(theta)
        gradient[:-5] = 0.5 * covariance.power * along(W, scaled)
        gradient[-5] = -0.5 * a2 * np.vdot(Q, K)
        gradient[-4] = -0.5 * (Q[diagonal] @ (noise * noise * w)) / h.noise
        gradient[-3] = -alpha.sum()
        gradient[-2] = -0.5 * a2 * rho * (1.0 - rho) * np.vdot(Q, dK_rho)
        gradient[-1] = -0.5 * b2 * np.vdot(Q, M)
        u = (theta - centre) / spread
        return 0.5 * float(e @ alpha) + half + 0.5 * float(u @ u), gradient + u / spread

    return value_and_gradient


def _sums_along(points: Coded, groups: IntArray, power: int) -> Callable[[Array, Scaled], Array]:
    """A function of (W, points in length-scales): Σ W_ij·|u_i − u_j|^power along each parameter."""
    count = int(groups.max()) + 1
    members: Any = np.eye(count)[groups[points.narrow]]  # (columns, groups)
    levels = [apart(points, points, k) for k in range(len(points.wide))]
    X = points.X[:, points.narrow]
    n, d = X.shape
    gaps = np.abs(X.T[:, :, None] - X.T[:, None, :]).reshape(d, n * n) if power == 1 else X

    def along(W: Array, scaled: Scaled) -> Array:
        U = scaled.U
        if power == 1:
            by_column = (gaps @ W.ravel()) / scaled.lengthscales[points.narrow]
        else:
            by_column = 2.0 * (W.sum(1) @ (U * U)) - 2.0 * (U * (W @ U)).sum(0)
        sums: Array = by_column @ members
        for group, weight, gap in zip(points.wide, scaled.weights, levels, strict=True):
            sums[group] = weight ** (power / 2.0) * np.vdot(W, gap)
        return sums

    return along
