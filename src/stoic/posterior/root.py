"""The eigenvectors of a matrix that grows by rank-one steps, as its root is made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.loops import turn

__all__ = ["Root"]

_FRESH = 64  # steps after which the decomposition is made afresh


class Root:
    """What V^{-½} is made of, the eigenvectors of V, for V that grows by ψψᵀ.

    They are turned by each step, which takes a fraction of a decomposition afresh; not before
    somebody asks, though.
    """

    def __init__(self, V: Array) -> None:
        self._start = V  # V, without the steps since
        self._steps: list[Array] = []
        self._turned = _FRESH  # steps that the vectors know; at first there are no vectors
        self._values: Array = np.zeros(0)
        self._vectors: Array = np.zeros((0, 0))

    @property
    def V(self) -> Array:  # noqa: N802, as in the papers
        """V as it is now."""
        return self._start + _squared(self._steps) if self._steps else self._start

    def add(self, row: Array, times: int) -> None:
        """Let V grow by ``times``·ψψᵀ."""
        self._steps.append(math.sqrt(times) * row)
        if len(self._steps) > _FRESH:
            self._start, self._steps, self._turned = self.V, [], _FRESH

    def eigen(self) -> tuple[Array, Array]:
        """The eigenvalues of V and, as columns, its eigenvectors."""
        if self._turned >= _FRESH:
            self._start, self._steps, self._turned = self.V, [], 0
            values, vectors = np.linalg.eigh(self._start)
            self._values, self._vectors = values, np.ascontiguousarray(vectors)
        for row in self._steps[self._turned :]:
            turn(self._values, self._vectors, row)
        self._turned = len(self._steps)
        return self._values, self._vectors

    def copy(self) -> Root:
        """An independent root in the same state."""
        twin = Root(self._start)
        twin._steps, twin._turned = list(self._steps), self._turned
        twin._values, twin._vectors = self._values.copy(), self._vectors.copy()
        return twin

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restored` needs to go on bit by bit."""
        return {
            "start": self._start.copy(),
            "steps": np.array(self._steps),
            "turned": self._turned,
            "values": self._values.copy(),
            "vectors": self._vectors.copy(),
        }

    @classmethod
    def restored(cls, state: dict[str, Any], r: int) -> Root:
        """The root of a state, of an (r, r) matrix."""
        root = cls(np.array(state["start"], dtype=float).reshape(r, r))
        root._steps = list(np.array(state["steps"], dtype=float).reshape(-1, r)) if r else []
        root._turned = int(state["turned"])
        root._values = np.array(state["values"], dtype=float)
        side = len(root._values)
        root._vectors = np.array(state["vectors"], dtype=float).reshape(side, side)
        return root


def _squared(rows: list[Array]) -> Array:
    stacked = np.array(rows)
    square: Array = stacked.T @ stacked
    return square
