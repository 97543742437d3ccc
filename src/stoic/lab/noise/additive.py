"""Noises that are added to the expected payoff, and the formulas of their moments."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from stoic.checks import Array, finite_array, number
from stoic.lab.noise.base import Noise

__all__ = ["Additive"]

LARGEST_SHIFT = 1e20  # |f| in units of the noise beyond which E|f + X|^p is |f|^p to the last digit
MAX_EXPANDED_ORDER = 20.0  # even orders up to here are expanded


class Additive(Noise):
    """y = f + X, where X does not depend on the arm.

    E|f + X|^p is |f|^p if X = 0, f² + E X² for p = 2, and Σ_k C(p, 2k) f^{p−2k} E X^{2k}
    for even p and symmetric X; for other orders each noise integrates numerically, to about ten
    digits. A moment beyond the range of floats is ``inf``.
    """

    @property
    def tail_index(self) -> float:
        """Moments of this order and above are infinite."""
        return math.inf

    @property
    def symmetric(self) -> bool:
        """Whether X and −X are distributed alike."""
        return True

    @property
    def shift(self) -> float:
        """E X, zero by default."""
        return 0.0

    @abstractmethod
    def absolute_moment(self, order: float) -> float:
        """E|X|^order for 0 < order < tail index."""

    @abstractmethod
    def shifted_moment(self, order: float, f: Array) -> Array:
        """E|f + X|^order for 0 < order < tail index and distinct f (f ≥ 0 if X is symmetric)."""

    def raw_moment(self, order: float, f: Array) -> Array:
        order, f = number(order, "order", at_least=0.0), finite_array(f, "f")
        if order == 0.0:
            return np.ones_like(f)
        if order >= self.tail_index:
            return np.full_like(f, math.inf)
        with np.errstate(over="ignore"):
            if order == 2.0:
                return np.asarray(f**2 + 2.0 * f * self.shift + self.absolute_moment(2.0))
            values, where = np.unique(np.abs(f) if self.symmetric else f, return_inverse=True)
            if self.symmetric and order % 2.0 == 0.0 and order <= MAX_EXPANDED_ORDER:
                moments = self._expanded(int(order), values)
            else:
                moments = self.shifted_moment(order, values)
        return moments[where.reshape(-1)].reshape(f.shape)

    def central_moment(self, order: float, f: Array) -> Array:
        order, f = number(order, "order", at_least=0.0), finite_array(f, "f")
        if order == 0.0:
            return np.ones_like(f)
        if order >= self.tail_index:
            return np.full_like(f, math.inf)
        with np.errstate(over="ignore"):
            return np.full_like(f, self.absolute_moment(order))

    def _expanded(self, order: int, f: Array) -> Array:
        total = f**order
        for k in range(2, order + 1, 2):
            total = total + math.comb(order, k) * f ** (order - k) * self.absolute_moment(k)
        return np.asarray(total)


def in_units(f: Array, scale: float, largest: float = LARGEST_SHIFT) -> tuple[Array, Array]:
    """|f|/scale, at most ``largest``, and the unit max(|f|, scale) that keeps moments in range."""
    return np.minimum(np.abs(f) / scale, largest), np.maximum(np.abs(f), scale)
