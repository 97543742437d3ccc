"""The surrogate of a history: a function of the history alone, whatever happened on the way.

Hyper-parameters are learned from a cold start at *anchors* (every trial at first, then ever
rarer), and from the last anchor's fit in between. A study that was stopped and resumed
therefore has the same surrogate, bit by bit, as one that never stopped.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from stoic.checks import Array, IntArray
from stoic.optimize.history import History
from stoic.surrogate import RobustGP, Scaling, fit
from stoic.surrogate.fitting import Fit

__all__ = ["Model", "Modeller"]

_MOST = 2000  # measurements that the surrogate looks at


class Model:
    """A fitted surrogate with the scaling of its values."""

    def __init__(self, fitted: Fit, scaling: Scaling, rows: IntArray) -> None:
        self.fit, self.scaling = fitted, scaling
        self.rows = rows  # which successful trials it has seen

    @cached_property
    def gp(self) -> RobustGP:
        """The surrogate."""
        return self.fit.gp


class Modeller:
    """Fits models of a growing history."""

    def __init__(self, history: History, first: int) -> None:
        self.history, self.first = history, first
        self._cache: dict[int, Model] = {}

    def model(self) -> Model:
        """The model of all that was told."""
        n = self.history.successes
        return self._model(n, self._anchor(n))

    def _anchor(self, n: int) -> int:
        """The last count at which hyper-parameters were learned from a cold start."""
        gap = 1 if n < 16 else 5 if n < 100 else max(5, 2 ** int(np.log2(n)) // 16)
        return max(min(n, 2), n - n % gap)

    def _model(self, n: int, anchor: int) -> Model:
        if n not in self._cache:
            warm = None if n == anchor else self._model(anchor, anchor)
            made = self._fit(n, warm)
            self._cache = {k: v for k, v in self._cache.items() if k == anchor} | {n: made}
        return self._cache[n]

    def _fit(self, n: int, warm: Model | None) -> Model:
        y = self.history.values(n)
        scaling = Scaling.of(y, self.first)
        rows = _thinned(scaling.z(y))
        X, z = self.history.points(n)[rows], scaling.z(y)[rows]
        start = None
        if warm is not None and np.array_equal(warm.rows, rows[: len(warm.rows)]):
            start = warm.fit
        groups = self.history.space.groups
        return Model(fit(X, z, groups, warm=start), scaling, rows)


def _thinned(z: Array) -> IntArray:
    """All measurements, or of very many the better half of what fits and an even choice."""
    n = len(z)
    if n <= _MOST:
        return np.arange(n)
    best = np.argsort(-z, kind="stable")[: _MOST // 2]
    rest = np.setdiff1d(np.arange(n), best)
    even = rest[np.linspace(0, len(rest) - 1, _MOST // 2).astype(int)]
    return np.sort(np.concatenate([best, even]))
