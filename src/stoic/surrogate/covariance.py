"""The correlation of the surrogate: between rough and very smooth, as the data say.

k(r²) = ρ·exp(−r²/2) + (1 − ρ)·(1 + z + z²/3)·exp(−z), z = √5·r: a blend of the squared
exponential, which extrapolates best where functions are smooth, and of Matérn 5/2, which
does not ring where they are not. ρ is learned.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array

__all__ = ["blend", "correlation"]


def correlation(r2: Array, rho: float) -> Array:
    """The blend at squared distances; in two arrays, since fresh ones cost as much as exp."""
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


def blend(r2: Array, rho: float) -> tuple[Array, Array, Array]:
    """k, its derivative by r², and its derivative by ρ."""
    smooth = np.exp(-0.5 * r2)
    z = np.sqrt(5.0 * r2)
    e = np.exp(-z)
    e1 = e + z * e
    rough = e1 + (z * z / 3.0) * e
    return (
        rho * smooth + (1.0 - rho) * rough,
        (-0.5 * rho) * smooth - (5.0 / 6.0 * (1.0 - rho)) * e1,
        smooth - rough,
    )
