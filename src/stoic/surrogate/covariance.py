"""Covariance functions of the surrogate: a smooth one and a rough one, each with a micro part.

f = g + h. The covariance of g is a²·k, that of h is b²·m, a *micro* part of a length-scale that
is a tenth of those of k: what a smooth g does not explain, but measurements of one configuration
share. Both are functions of one distance between two points, in length-scales:

    SMOOTH   r² = Σ (Δ/ℓ)²   k = ρ·exp(−r²/2) + (1 − ρ)·(1 + z + z²/3)·exp(−z), z = √5·r
                             m = (1 + y)·exp(−y), y = √3·r/τ
    ROUGH    r = Σ |Δ|/ℓ     k = exp(−r), m = exp(−r/τ)

The squared exponential extrapolates best where functions are smooth; Matérn 5/2 does not overshoot
where they are rough; ρ is learned. The product of exponentials has no smoothness at all, and
treats every parameter by itself: it suits rugged functions and discrete spaces.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from stoic.checks import Array

__all__ = ["MICRO", "ROUGH", "SMOOTH", "Covariance"]

MICRO = 0.1  # τ, in length-scales


class Covariance(Protocol):
    """A covariance as a function of a distance."""

    power: int  # of differences in the distance: 2 or 1

    def total(self, r: Array, rho: float, a2: float, b2: float) -> Array:
        """a²·k + b²·m at distances ``r``."""
        ...

    def parts(
        self, r: Array, rho: float, buffers: Array | None = None
    ) -> tuple[Array, Array, Array, Array, Array]:
        """k, its derivatives by r and by ρ, m, and its derivative by r.

        ``buffers`` for six arrays of the shape of ``r`` may hold the results. They pay where the
        same shape recurs: new memory costs more than the arithmetic.
        """
        ...


class _Smooth:
    power = 2

    def total(self, r: Array, rho: float, a2: float, b2: float) -> Array:
        """Computed in three arrays, since new ones cost as much as exp."""
        z = 5.0 * r
        np.sqrt(z, out=z)
        rough = z * (1.0 / 3.0)
        rough += 1.0
        rough *= z
        rough += 1.0
        np.negative(z, out=z)
        rough *= np.exp(z, out=z)
        rough *= a2 * (1.0 - rho)
        smooth = np.multiply(-0.5, r, out=z)
        np.exp(smooth, out=smooth)
        smooth *= a2 * rho
        smooth += rough
        z = np.multiply(3.0 / MICRO**2, r, out=rough)
        np.sqrt(z, out=z)
        smooth += b2 * (1.0 + z) * np.exp(-z)
        return smooth

    def parts(
        self, r: Array, rho: float, buffers: Array | None = None
    ) -> tuple[Array, Array, Array, Array, Array]:
        k, dk, smooth, z, e1, m = np.empty((6, *r.shape)) if buffers is None else buffers[:6]
        np.exp(np.multiply(-0.5, r, out=smooth), out=smooth)
        np.sqrt(np.multiply(5.0, r, out=z), out=z)
        e = np.exp(np.negative(z, out=k), out=k)
        np.multiply(z, e, out=e1)
        e1 += e  # (1 + z)·exp(−z)
        z *= z
        z /= 3.0
        z *= e
        rough = np.add(e1, z, out=z)
        np.multiply(rho, smooth, out=k)
        k += np.multiply(1.0 - rho, rough, out=dk)
        np.multiply(-0.5 * rho, smooth, out=dk)
        e1 *= 5.0 / 6.0 * (1.0 - rho)
        dk -= e1
        smooth -= rough
        np.sqrt(np.multiply(3.0 / MICRO**2, r, out=m), out=m)
        dm = np.exp(np.negative(m, out=z), out=z)
        m += 1.0
        m *= dm
        dm *= -1.5 / MICRO**2
        return k, dk, smooth, m, dm


class _Rough:
    power = 1

    def total(self, r: Array, rho: float, a2: float, b2: float) -> Array:  # noqa: ARG002
        k = np.exp(-r)
        k *= a2
        micro = np.multiply(-1.0 / MICRO, r)
        np.exp(micro, out=micro)
        micro *= b2
        k += micro
        return k

    def parts(
        self,
        r: Array,
        rho: float,  # noqa: ARG002
        buffers: Array | None = None,
    ) -> tuple[Array, Array, Array, Array, Array]:
        k, dk, zero, m, dm = np.empty((5, *r.shape)) if buffers is None else buffers[:5]
        np.exp(np.negative(r, out=k), out=k)
        np.exp(np.multiply(-1.0 / MICRO, r, out=m), out=m)
        zero.fill(0.0)
        return k, np.negative(k, out=dk), zero, m, np.multiply(-1.0 / MICRO, m, out=dm)


SMOOTH: Covariance = _Smooth()
ROUGH: Covariance = _Rough()
