"""The distinct arms played, of which rows and variances are known exactly after every play."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dtrtri

from stoic.checks import Array, IntArray
from stoic.many_arms.factor import Coordinate, Factor
from stoic.posterior.base import grown

__all__ = ["PlayedArms"]


class PlayedArms:
    """Rows W and variances σ² of the distinct arms played, in order of their first play.

    Notation: u distinct arms.
    """

    def __init__(self, factor: Factor) -> None:
        self._factor = factor
        self._slots: dict[int, int] = {}  # arm → its index
        self._rows: Array = np.zeros((0, 0), order="F")
        self._var: Array = np.zeros(0)

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def arms(self) -> IntArray:
        """The (u,) arms."""
        return np.fromiter(self._slots, dtype=np.int64, count=len(self._slots))

    @property
    def rows(self) -> Array:
        """W at :attr:`arms`."""
        return self._rows[: len(self), : len(self._factor)]

    @property
    def var(self) -> Array:
        """σ² at :attr:`arms`."""
        return self._var[: len(self)]

    def __contains__(self, arm: int) -> bool:
        return arm in self._slots

    def index(self, arm: int) -> int:
        """The index of an arm in :attr:`arms`."""
        return self._slots[arm]

    def row(self, arm: int) -> Array:
        """W of one of the arms."""
        row: Array = self._rows[self._slots[arm], : len(self._factor)]
        return row

    def var_at(self, arm: int) -> float:
        """σ² of one of the arms."""
        return float(self._var[self._slots[arm]])

    def dual(self, beta: Array) -> Array:
        """The weights α of the arms with W(x)·β = k(x, arms)·α, for β (k,) or (k, j)."""
        alpha = np.zeros((len(self), *beta.shape[1:]))
        slots = [self._slots[arm] for arm in self._factor.arms.tolist()]
        np.add.at(alpha, slots, self._factor.solve(beta, transposed=True))
        return alpha

    def expand(self, X: Array, alpha: Array) -> Array:
        """k(x, arms)·α at any points."""
        values: Array = self._factor.kernel(X, self._factor.points[self.arms]) @ alpha
        return values

    def extend(self, new: Coordinate) -> Array:
        """Add the coordinate of a play, which the factor has already, and return the gain."""
        k = len(new.row)
        slot = self._slots.setdefault(new.arm, len(self))
        count = len(self)
        self._rows = grown(self._rows, (count, k + 1))
        self._rows[slot, :k] = new.row
        if len(self._var) < count:
            self._var = np.concatenate([self._var, np.zeros(count)])
        w = self._factor.coordinate(new, self.arms, self._rows[:count, :k])
        w[slot] = new.var / new.pivot
        self._rows[:count, k] = w
        var = np.maximum(self.var - w * w, 0.0)
        var[slot] = new.var * (new.noise / new.pivot) / new.pivot  # a product keeps its digits
        self._var[:count] = var
        return w / new.pivot

    def replace(self, arms: IntArray, rows: Array, var: Array) -> None:
        """Take these arms, rows and variances instead of all present ones."""
        self._slots = {arm: slot for slot, arm in enumerate(arms.tolist())}
        self._rows, self._var = np.asfortranarray(rows), var

    def solve(self, K: Array) -> None:
        """Compute W and σ² again, for a factor whose coordinates are :attr:`arms`."""
        rows = np.asfortranarray(self._factor.solve(K).T)
        noise, prior = self._factor.noise, K.diagonal()
        inverse, _ = dtrtri(self._factor.matrix, lower=1)
        # σ² as ν − ν²(K + ν)⁻¹ has the right digits where the noise is the smaller one
        small = noise - noise**2 * (inverse**2).sum(axis=0)
        large = prior - (rows**2).sum(axis=1)
        var = np.maximum(np.where(noise < prior, small, large), 0.0)
        self.replace(self.arms, rows, var)
