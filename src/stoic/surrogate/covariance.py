"""The correlation function of the surrogate: a blend of a smooth and a rough kernel.

k(r²) = ρ·exp(−r²/2) + (1 − ρ)·(1 + z + z²/3)·exp(−z), z = √5·r. The squared
exponential extrapolates best where functions are smooth; Matérn 5/2 does not overshoot where they
are rough. ρ is learned.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array

__all__ = ["blend", "correlation"]


def correlation(r2: Array, rho: float) -> Array:
    """The blend at squared distances; in two arrays, since new ones cost as much as exp."""
    z = 5.0 * r2
    np.sqrt(z, out=z)
    rough = z * (1.0 / 3.0)
    rough += 1.0
    rough *= z
    rough += 1.0
    np.negative(z, out=z)
    rough *= np.exp(z, out=z)
    smooth = np.multiply(-0.5, r2, out=z)
    np.exp(smooth, out=smooth)
    smooth *= rho
    rough *= 1.0 - rho
    smooth += rough
    return smooth


def blend(r2: Array, rho: float, buffers: Array | None = None) -> tuple[Array, Array, Array]:
    """k, its derivative by r², and its derivative by ρ.

    ``buffers`` for five arrays of the shape of ``r2`` hold the results in the first three. They
    pay where the same shape recurs: new memory costs more than the arithmetic.
    """
    k, dk, smooth, z, e1 = np.empty((5, *r2.shape)) if buffers is None else buffers[:5]
    np.exp(np.multiply(-0.5, r2, out=smooth), out=smooth)
    np.sqrt(np.multiply(5.0, r2, out=z), out=z)
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
    return k, dk, smooth
