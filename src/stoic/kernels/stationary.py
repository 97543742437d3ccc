"""Stationary kernels: functions of the scaled distance r = ‖(x − z)/ℓ‖."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from stoic.checks import Array, describe, finite_array, number
from stoic.errors import InvalidInput
from stoic.forks import importing
from stoic.kernels.base import Kernel

__all__ = ["Matern", "SquaredExponential"]


_SHORT, _LONG = 1e-100, 1e100
_FAR = 1e12  # squared scaled distance at which every kernel here is zero


class Stationary(Kernel):
    """k(x, z) = κ(r²), with one length-scale, or one per dimension (ARD)."""

    def __init__(self, lengthscale: float | Array | list[float]) -> None:
        scales = finite_array(lengthscale, "lengthscale")
        if (
            scales.ndim > 1
            or scales.size == 0
            or not ((scales >= _SHORT) & (scales <= _LONG)).all()
        ):
            raise InvalidInput(
                f"expected lengthscale as a positive number from {_SHORT:g} to {_LONG:g}, or one "
                f"for each dimension, got {describe(lengthscale)}"
            )
        self.lengthscale: float | Array = float(scales) if scales.ndim == 0 else scales

    @abstractmethod
    def of_squared_distance(self, r2: Array) -> Array:
        """κ at an array of squared scaled distances."""

    def __call__(self, X: Array, Z: Array) -> Array:
        # Differences come first, before scaling and squaring: near-duplicates would lose their
        # digits to x/ℓ − z/ℓ, and half of all digits to ‖x‖² − 2xᵀz + ‖z‖².
        if isinstance(self.lengthscale, float):
            r2 = cdist(X, Z, "sqeuclidean") / self.lengthscale**2
        else:
            r2 = cdist(X, Z, "sqeuclidean", w=1.0 / self.lengthscale**2)
        return self.of_squared_distance(np.minimum(r2, _FAR))

    def diag(self, X: Array) -> Array:
        return np.ones(len(X))

    def check(self, X: Array) -> None:
        scales = np.atleast_1d(self.lengthscale)
        if scales.size not in (1, X.shape[1]):
            raise InvalidInput(
                f"expected points of {scales.size} dimensions, one per lengthscale, "
                f"got {X.shape[1]}; give one lengthscale, or one for each dimension"
            )
        with np.errstate(over="ignore"):
            reach = max(np.abs(X).max(initial=0.0), np.abs(X / scales).max(initial=0.0))
        if not reach < 1e100:
            raise InvalidInput(
                "expected coordinates below 1e100, and below 1e100 length-scales, "
                f"got {reach:g}; rescale the points"
            )

    def parameters(self) -> dict[str, Any]:
        return {"lengthscale": self.lengthscale}


class SquaredExponential(Stationary):
    """The squared exponential kernel exp(−r²/2), for very smooth functions.

    Parameters
    ----------
    lengthscale
        ℓ > 0, or one per dimension.

    >>> SquaredExponential(0.2)(np.array([[0.0]]), np.array([[0.2]])).round(4)
    array([[0.6065]])
    """

    def of_squared_distance(self, r2: Array) -> Array:
        return np.exp(-0.5 * r2)


class Matern(Stationary):
    """The Matérn kernel 2^{1−ν}/Γ(ν) · z^ν K_ν(z), z = √(2ν)·r.

    Closed forms at ν = 1/2, 3/2 and 5/2; any other ν > 0 by Bessel functions.
    The larger ν, the smoother the functions; ν = 5/2 is a good first guess.

    Parameters
    ----------
    nu
        Smoothness ν > 0.
    lengthscale
        ℓ > 0, or one per dimension.

    >>> Matern(0.5, 1.0)(np.array([[0.0]]), np.array([[1.0]])).round(4)
    array([[0.3679]])
    """

    def __init__(self, nu: float, lengthscale: float | Array | list[float]) -> None:
        super().__init__(lengthscale)
        self.nu = number(nu, "nu", above=0.0)

    def of_squared_distance(self, r2: Array) -> Array:
        if self.nu > 1e10:  # the limit, to rounding
            return np.exp(-0.5 * r2)
        z = np.sqrt(2.0 * self.nu * r2)
        if self.nu == 0.5:
            return np.exp(-z)
        if self.nu == 1.5:
            return (1.0 + z) * np.exp(-z)
        if self.nu == 2.5:
            return (1.0 + z + z * z / 3.0) * np.exp(-z)
        return _matern(self.nu, z)

    def parameters(self) -> dict[str, Any]:
        return {"nu": self.nu, "lengthscale": self.lengthscale}


# Above this order the uniform expansion is exact to rounding, and K_ν itself would overflow.
_LARGE_ORDER = 80.0


def _matern(nu: float, z: Array) -> Array:
    """2^{1−ν}/Γ(ν) z^ν K_ν(z) for z ≥ 0, in logarithms so that no factor overflows."""
    with importing:  # a third of a second: closed forms do without
        from scipy.special import gammaln, kve

    out = np.ones_like(z)
    positive = z > 0
    if nu > _LARGE_ORDER:
        out[positive] = _matern_large_order(nu, z[positive])
        return out
    zp = z[positive]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        bessel = kve(nu, zp)  # K_ν(z) e^z
        log_k = (1 - nu) * math.log(2) - gammaln(nu) + nu * np.log(zp) + np.log(bessel) - zp
        values = np.exp(log_k)
    # K_ν overflows only next to zero, where two terms of the series are exact; far out it is zero.
    values = np.where(np.isfinite(bessel), values, 1.0 - zp * zp / (4.0 * max(nu - 1.0, 1.0)))
    out[positive] = np.where(np.isfinite(values), np.minimum(values, 1.0), 0.0)
    return out


def _matern_large_order(nu: float, z: Array) -> Array:
    """The same by the uniform expansion of K_ν(ν x), Abramowitz & Stegun 9.7.8."""
    x = z / nu
    root = np.sqrt(1.0 + x * x)
    p = 1.0 / root
    p2 = p * p
    # η − 1 + ln 2 − ln x, without the cancellation of its terms near x = 0
    shape = (root - 1.0) - np.log1p((root - 1.0) / 2.0)
    u1 = p * (3 - 5 * p2) / 24
    u2 = p2 * (81 - 462 * p2 + 385 * p2**2) / 1152
    u3 = p * p2 * (30375 - 369603 * p2 + 765765 * p2**2 - 425425 * p2**3) / 414720
    u4 = (
        p2**2
        * (4465125 - 94121676 * p2 + 349922430 * p2**2 - 446185740 * p2**3 + 185910725 * p2**4)
        / 39813120
    )
    series = 1 - u1 / nu + u2 / nu**2 - u3 / nu**3 + u4 / nu**4
    # Γ(ν) = √(2π/ν) (ν/e)^ν · stirling; its expansion is the series at x = 0
    stirling = 1 + 1 / (12 * nu) + 1 / (288 * nu**2) - 139 / (51840 * nu**3)
    stirling -= 571 / (2488320 * nu**4)
    values: Array = np.minimum(np.exp(-nu * shape) * np.sqrt(p) * series / stirling, 1.0)
    return values
