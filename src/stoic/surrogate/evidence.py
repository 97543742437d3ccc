"""The log posterior of the hyper-parameters, given measurements and their weights.

log p(θ | z) = −½ (z − μ)ᵀ C⁻¹ (z − μ) − ½ log|C| + log prior, C = a² K + diag(1/(w/s² + q)):
w are the measurements' weights, q precisions of them that do not change with the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from stoic.checks import Array, IntArray
from stoic.surrogate.covariance import blend
from stoic.surrogate.distances import Coded, apart, between
from stoic.surrogate.hyper import Hyper, Prior

__all__ = ["JITTER", "negative_evidence"]

JITTER = 1e-8  # of the amplitude, on the diagonal: duplicates stay invertible
_HOPELESS = 1e10


def negative_evidence(
    X: Array, groups: IntArray, prior: Prior
) -> Callable[[Array, Array, Array, Array], tuple[float, Array]]:
    """A function of (θ, z, w, q) that gives −log p(θ | z) and its gradient."""
    n = len(X)
    count = int(groups.max()) + 1
    centre, spread = prior.centre(count), prior.spread(count)
    points = Coded(X, groups)
    along = [apart(points, points, k) for k in range(len(points.wide))]
    members: Any = np.eye(count)[groups[points.plain]]  # (columns, groups)
    diagonal = np.diag_indices(n)
    below = np.tri(n, k=-1, dtype=bool)
    room = np.empty((6, n, n))

    def value_and_gradient(theta: Array, z: Array, w: Array, q: Array) -> tuple[float, Array]:
        h = Hyper(theta, groups)
        rho, a2 = h.smoothness, h.amplitude
        placed = points.scaled(h.lengthscales)
        U = placed.U
        K, dK, dK_rho = blend(between(placed, placed), rho, room)
        C, Q = np.multiply(a2, K, out=room[3]), room[4]
        noise = h.noise / (w + h.noise * q)
        C[diagonal] += noise + JITTER * a2
        L, failed = dpotrf(C.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return _HOPELESS, np.zeros_like(theta)
        r = z - h.mean
        alpha = dpotrs(L, r, lower=1)[0]
        half = math.fsum(np.log(L[diagonal]))
        inverse = dpotri(L, lower=1, overwrite_c=1)[0]
        # Q = ααᵀ − C⁻¹, symmetric, of which LAPACK fills one half; d log p = ½ tr(Q dC)
        np.copyto(Q, inverse.T)
        np.copyto(Q, inverse, where=below)
        np.subtract(np.multiply(alpha[:, None], alpha, out=room[5]), Q, out=Q)
        W = np.multiply(Q, dK, out=dK)
        by_column = 2.0 * (W.sum(1) @ (U * U)) - 2.0 * (U * (W @ U)).sum(0)  # Σ W (u_i − u_j)²
        gradient = np.empty_like(theta)
        gradient[:-4] = a2 * (by_column @ members)
        for group, weight, gaps in zip(points.wide, placed.weights, along, strict=True):
            gradient[group] = a2 * weight * np.vdot(W, gaps)
        gradient[-4] = -0.5 * a2 * np.vdot(Q, K)
        gradient[-3] = -0.5 * (Q[diagonal] @ (noise * noise * w)) / h.noise
        gradient[-2] = -alpha.sum()
        gradient[-1] = -0.5 * a2 * rho * (1.0 - rho) * np.vdot(Q, dK_rho)
        u = (theta - centre) / spread
        return 0.5 * float(r @ alpha) + half + 0.5 * float(u @ u), gradient + u / spread

    return value_and_gradient
