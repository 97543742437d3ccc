"""Random Fourier features of a stationary kernel.

Rahimi & Recht, *Random features for large-scale kernel machines*, NeurIPS 2007; as in Remark 3 of
chowdhury2019, which has no sublinear bound of the regret for them.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, integer
from stoic.errors import InvalidInput
from stoic.features.fixed import FixedMap, unscaled
from stoic.kernels import Kernel, Matern, SquaredExponential
from stoic.randomness import generator

__all__ = ["RandomFourierMap"]

_STREAM = 3  # of random numbers, for frequencies
_MAX_NU = 1e10  # beyond it the kernel is the squared exponential up to rounding
_MIN_CHI2 = 1e-200  # of χ² with few degrees of freedom: frequencies stay finite


class RandomFourierMap(FixedMap):
    """φ(x) = √(v/m)·[cos(ω_iᵀx), sin(ω_iᵀx)] with m frequencies from the kernel's spectrum.

    ω = z/ℓ with z normal for the squared exponential kernel, and from Student's t distribution
    with 2ν degrees of freedom for the Matérn kernel. φᵀφ = k(x, x) exactly, but the error of
    φ(x)ᵀφ(z) decreases as 1/√m only. The features span at most 2m directions: after as many
    plays the variance is small everywhere, also where nothing was played (variance starvation).

    Parameters
    ----------
    kernel
        A squared exponential or Matérn kernel, with a factor v or not.
    dimension
        d, of the points.
    frequencies
        m; there are 2m features.
    seed
        Of the frequencies.

    >>> map = RandomFourierMap(SquaredExponential(0.2), 1, 50, seed=0)
    >>> map.full(np.array([[0.3]])).shape
    (1, 100)
    """

    def __init__(self, kernel: Kernel, dimension: int, frequencies: int, *, seed: int) -> None:
        variance, stationary = unscaled(kernel)
        if not isinstance(stationary, SquaredExponential | Matern):
            raise InvalidInput(
                "expected a SquaredExponential or Matern kernel for random Fourier features, "
                f"got {kernel!r}; use features='nystrom' for any other kernel"
            )
        m = integer(frequencies, "the number of frequencies", at_least=1, at_most=10_000)
        super().__init__(2 * m)
        rng = generator(seed, 0, _STREAM)
        z = rng.standard_normal((m, dimension))
        if isinstance(stationary, Matern):
            freedom = 2.0 * min(stationary.nu, _MAX_NU)
            chi2 = np.maximum(rng.chisquare(freedom, (m, 1)), _MIN_CHI2)
            z *= np.sqrt(freedom / chi2)
        self.omega: Array = z / stationary.lengthscale
        self._root_weight = float(np.sqrt(variance / m))

    def full(self, X: Array) -> Array:
        """φ at points, all 2m coordinates."""
        angle = X @ self.omega.T
        return self._root_weight * np.hstack([np.cos(angle), np.sin(angle)])
