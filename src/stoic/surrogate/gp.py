"""The fitted surrogate: predictions anywhere, with gradients."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtri, dtrtrs

from stoic.checks import Array
from stoic.surrogate.distances import Coded, Scaled, between
from stoic.surrogate.evidence import JITTER
from stoic.surrogate.hyper import Hyper

__all__ = ["RobustGP", "prior_covariance"]


_MAX_INVERTED = 256  # measurements up to which gradients are faster with C⁻¹ than with its factor
_BLOCK_ROWS = 128  # of the upper triangle of a covariance, computed at a time
_BLOCK_ELEMENTS = 2**16  # of a covariance, computed at a time: they fit into the processor's cache


def prior_covariance(X: Array, hyper: Hyper) -> Array:
    """a² k + b² m of all pairs of X, of which the upper triangle is filled."""
    scaled = Coded(X, hyper.groups).scaled(hyper.lengthscales)
    C = np.zeros((len(X), len(X)))
    for i in range(0, len(X), _BLOCK_ROWS):
        C[i : i + _BLOCK_ROWS, i:] = _covariance(
            scaled, scaled, hyper, slice(i, i + _BLOCK_ROWS), slice(i, None)
        )
    return C


def _covariance(
    a: Scaled, b: Scaled, hyper: Hyper, rows: slice = slice(None), columns: slice = slice(None)
) -> Array:
    """Between f at the ``rows`` of a and the ``columns`` of b."""
    form = hyper.covariance
    r = between(a, b, rows, columns, form.power)
    return form.total(r, hyper.smoothness, hyper.amplitude, hyper.micro)


class RobustGP:
    """f | z for z_i = f(x_i) + error_i, error_i ~ N(0, s²/w_i), f ~ GP(μ, a² k + b² m).

    Parameters
    ----------
    X
        (n, d) points of the unit cube.
    z
        Their values, see :class:`stoic.surrogate.Scaling`.
    weights
        w, from 1 for ordinary measurements towards 0 for outliers.
    hyper
        θ.
    prior
        The `prior_covariance` of X, where it is at hand.
    """

    def __init__(
        self, X: Array, z: Array, weights: Array, hyper: Hyper, prior: Array | None = None
    ) -> None:
        self.X, self.z, self.weights, self.hyper = X, z, weights, hyper
        self._scaled = self._scale(X)
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
    def usualness(self) -> Array:
        """The weights as multiples of that of an ordinary measurement of the same value."""
        usualness: Array = self.weights * self.hyper.noise_law.scales(self.left_out[0]) ** 2
        return usualness

    @cached_property
    def _inverse(self) -> Array:
        """C⁻¹, for gradients only: variances next to measurements need the factor itself."""
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
        scaled = self._scale(X)
        return mean, _covariance(scaled, scaled, self.hyper) - V.T @ V

    def _scale(self, X: Array) -> Scaled:
        return Coded(X, self.hyper.groups).scaled(self.hyper.lengthscales)

    def _covariance(self, X: Array) -> Array:
        """Between f at the rows of X and at the measurements."""
        h, scaled = self.hyper, self._scale(X)
        k, rows = np.empty((len(X), len(self))), max(_BLOCK_ELEMENTS // len(self), 1)
        for i in range(0, len(X), rows):
            k[i : i + rows] = _covariance(scaled, self._scaled, h, slice(i, i + rows))
        return k

    def _predict(self, X: Array) -> tuple[Array, Array, Array]:
        h, k = self.hyper, self._covariance(X)
        V, _ = dtrtrs(self._L, k.T, lower=1)
        variance = h.variance - np.einsum("ij,ij->j", V, V)
        return h.mean + k @ self._alpha, np.maximum(variance, 1e-12 * h.variance), V

    def slopes(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean and variance of f at the rows of X, and the gradients of both.

        There are none along the columns of wide categories. Only for the smooth covariance, whose
        derivative by u is 2 dk/dr²·(u − u_i).
        """
        h, scaled = self.hyper, self._scale(X)
        U, columns = scaled.U, scaled.points.narrow
        k, dk, _, m, dm = h.covariance.parts(between(scaled, self._scaled), h.smoothness)
        k, dk = h.amplitude * k + h.micro * m, 2.0 * (h.amplitude * dk + h.micro * dm)
        mean = h.mean + k @ self._alpha
        B = k @ self._inverse if len(self) <= _MAX_INVERTED else dpotrs(self._L, k.T, lower=1)[0].T
        variance = np.maximum(h.variance - np.einsum("ij,ij->i", k, B), 1e-12 * h.variance)
        by_mean = dk * self._alpha
        by_variance = -2.0 * dk * B
        changes = [
            (by.sum(1)[:, None] * U - by @ self._scaled.U) / h.lengthscales[columns]
            for by in (by_mean, by_variance)
        ]
        if scaled.points.wide:
            inner, changes = changes, [np.zeros(X.shape), np.zeros(X.shape)]
            for change, part in zip(changes, inner, strict=True):
                change[:, columns] = part
        return mean, variance, changes[0], changes[1]

    def nearness(self, x: Array) -> Array:
        """The prior correlation of f at x and at each measurement."""
        nearness: Array = self._covariance(x[None])[0] / self.hyper.variance
        return nearness

    def mean_residual(self, x: Array, total_weight: float) -> float:
        """The weighted mean residual of the measurements nearest to x.

        Of as many as have a weight of ``total_weight`` together. Where it is not near 0, the
        surrogate is too smooth to follow the measurements, as at a sharp top.
        """
        gaps = between(self._scale(x[None]), self._scaled, power=self.hyper.covariance.power)[0]
        near = np.argsort(gaps, kind="stable")
        weights = self.weights[near]
        weights = np.clip(total_weight - (np.cumsum(weights) - weights), 0.0, weights)
        near, weights = near[weights > 0.0], weights[weights > 0.0]
        residuals = self.z[near] - self.mean(self.X[near])
        return float(weights @ residuals) / float(weights.sum())

    def rescaled(self, lengthscale_factor: float, amplitude_factor: float) -> RobustGP:
        """The same measurements under other length-scales and another amplitude."""
        hyper = self.hyper.rescaled(lengthscale_factor, amplitude_factor)
        return RobustGP(self.X, self.z, self.weights, hyper)

    def with_pending(self, X: Array) -> RobustGP:
        """With measurements at the rows of X whose values are as predicted."""
        if not len(X):
            return self
        z = np.concatenate([self.z, self.mean(X)])
        ordinary = self.hyper.noise_law.scales(self.mean(X)) ** -2.0
        weights = np.concatenate([self.weights, ordinary])
        return RobustGP(np.vstack([self.X, X]), z, weights, self.hyper)
