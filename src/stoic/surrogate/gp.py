"""The fitted surrogate: predictions anywhere, with gradients."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtri, dtrtrs

from stoic.checks import Array
from stoic.surrogate.covariance import blend, correlation
from stoic.surrogate.distances import Coded, Scaled, between
from stoic.surrogate.evidence import JITTER
from stoic.surrogate.hyper import Hyper

__all__ = ["RobustGP", "prior_covariance"]


_FEW = 256  # measurements, up to which inverting C pays
_ROWS = 128  # of half a matrix, computed at a time
_BLOCK = 2**16  # elements computed at a time, which the processor's cache holds


def prior_covariance(X: Array, hyper: Hyper) -> Array:
    """a² k(X, X), of which the upper triangle is filled."""
    placed = Coded(X, hyper.groups).scaled(hyper.lengthscales)
    C = np.zeros((len(X), len(X)))
    for i in range(0, len(X), _ROWS):
        gaps = between(placed, placed, slice(i, i + _ROWS), slice(i, None))
        half = correlation(gaps, hyper.smoothness)
        np.multiply(hyper.amplitude, half, out=C[i : i + _ROWS, i:])
    return C


class RobustGP:
    """f | z for z_i = f(x_i) + error_i, error_i ~ N(0, s²/w_i), f ~ GP(μ, a² k).

    Parameters
    ----------
    X
        (n, d) points of the unit cube.
    z
        Their values, see :class:`stoic.surrogate.Scaling`.
    weights
        w, from 1 for ordinary measurements towards 0 for those not believed.
    hyper
        θ.
    prior
        The `prior_covariance` of X, where it is at hand.
    """

    def __init__(
        self, X: Array, z: Array, weights: Array, hyper: Hyper, prior: Array | None = None
    ) -> None:
        self.X, self.z, self.weights, self.hyper = X, z, weights, hyper
        self._placed = self._place(X)
        C = prior_covariance(X, hyper) if prior is None else prior.copy()
        C[np.diag_indices(len(X))] += hyper.noise / weights + JITTER * hyper.amplitude
        L, failed = dpotrf(C.T, lower=1, clean=1, overwrite_a=1)
        if failed:
            raise FloatingPointError("the covariance is not positive definite")
        self._L = L
        self._alpha: Array = dpotrs(L, z - hyper.mean, lower=1)[0]

    def __len__(self) -> int:
        return len(self.X)

    @cached_property
    def left_out(self) -> tuple[Array, Array]:
        """Mean and variance of f at each x_i, had z_i not been seen."""
        inverse = dtrtri(self._L, lower=1)[0]
        precision = np.einsum("ij,ij->j", inverse, inverse)
        variance = 1.0 / precision - self.hyper.noise / self.weights
        return self.z - self._alpha / precision, np.maximum(variance, 1e-12)

    @cached_property
    def _inverse(self) -> Array:
        """C⁻¹, for slopes only: variances next to measurements want the factor itself."""
        half: Array = dpotri(self._L, lower=1)[0]
        return half + np.tril(half, -1).T

    @property
    def evidence(self) -> float:
        """The logarithm of the density of z, up to a constant of n."""
        r = self.z - self.hyper.mean
        return -0.5 * float(r @ self._alpha) - float(np.log(np.diag(self._L)).sum())

    def mean(self, X: Array) -> Array:
        """Mean of f at the rows of X; the variance takes most of the time of `predict`."""
        mean: Array = self.hyper.mean + self._covariance(X) @ self._alpha
        return mean

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and variance of f at the rows of X."""
        mean, variance, _ = self._predict(X)
        return mean, variance

    def joint(self, X: Array) -> tuple[Array, Array]:
        """Mean and covariance matrix of f at the rows of X."""
        mean, _, V = self._predict(X)
        placed = self._place(X)
        K = self.hyper.amplitude * correlation(between(placed, placed), self.hyper.smoothness)
        return mean, K - V.T @ V

    def _place(self, X: Array) -> Scaled:
        return Coded(X, self.hyper.groups).scaled(self.hyper.lengthscales)

    def _covariance(self, X: Array) -> Array:
        """Between f at the rows of X and at the measurements."""
        h, placed = self.hyper, self._place(X)
        k, rows = np.empty((len(X), len(self))), max(_BLOCK // len(self), 1)
        for i in range(0, len(X), rows):
            gaps = between(placed, self._placed, slice(i, i + rows))
            part = correlation(gaps, h.smoothness)
            np.multiply(h.amplitude, part, out=k[i : i + rows])
        return k

    def _predict(self, X: Array) -> tuple[Array, Array, Array]:
        h, k = self.hyper, self._covariance(X)
        V, _ = dtrtrs(self._L, k.T, lower=1)
        variance = h.amplitude - np.einsum("ij,ij->j", V, V)
        return h.mean + k @ self._alpha, np.maximum(variance, 1e-12 * h.amplitude), V

    def slopes(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean and variance of f at the rows of X, and the gradients of both.

        There are none along the columns of wide categories.
        """
        h, placed = self.hyper, self._place(X)
        U, columns = placed.U, placed.points.plain
        k, dk, _ = blend(between(placed, self._placed), h.smoothness)
        k *= h.amplitude
        dk *= 2.0 * h.amplitude  # by u: dk·(u − u_i)
        mean = h.mean + k @ self._alpha
        B = k @ self._inverse if len(self) <= _FEW else dpotrs(self._L, k.T, lower=1)[0].T
        variance = np.maximum(h.amplitude - np.einsum("ij,ij->i", k, B), 1e-12 * h.amplitude)
        by_mean = dk * self._alpha
        by_variance = -2.0 * dk * B
        changes = [
            (by.sum(1)[:, None] * U - by @ self._placed.U) / h.lengthscales[columns]
            for by in (by_mean, by_variance)
        ]
        if placed.points.wide:
            inner, changes = changes, [np.zeros(X.shape), np.zeros(X.shape)]
            for change, part in zip(changes, inner, strict=True):
                change[:, columns] = part
        return mean, variance, changes[0], changes[1]

    def misfit(self, x: Array, worth: float) -> float:
        """The mean residual about x.

        Of the nearest measurements that together are worth so many ordinary ones: a systematic
        one shows what a smooth surrogate cannot follow, such as a sharp crest.
        """
        gaps = between(self._place(x[None]), self._placed)[0]
        near = np.argsort(gaps, kind="stable")
        worths = self.weights[near]
        worths = np.clip(worth - (np.cumsum(worths) - worths), 0.0, worths)
        near, worths = near[worths > 0.0], worths[worths > 0.0]
        residuals = self.z[near] - self.mean(self.X[near])
        return float(worths @ residuals) / float(worths.sum())

    def wary(self, shorter: float, taller: float) -> RobustGP:
        """The same measurements seen by one who trusts smoothness less."""
        return RobustGP(self.X, self.z, self.weights, self.hyper.wary(shorter, taller))

    def expecting(self, X: Array) -> RobustGP:
        """With measurements pending at the rows of X that come out as predicted."""
        if not len(X):
            return self
        z = np.concatenate([self.z, self.mean(X)])
        weights = np.concatenate([self.weights, np.ones(len(X))])
        return RobustGP(np.vstack([self.X, X]), z, weights, self.hyper)
