"""The symmetric root of a matrix that grows by rank-one steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.loops import turn
from stoic.loops.blas import add_outer

__all__ = ["Root"]

_FRESH = 64  # steps after which the decomposition is made afresh


class Root:
    """What V^{-½} is made of, the eigenvectors of V, for V that grows by ψψᵀ.

    They are turned by each step, which takes a fraction of a decomposition afresh; not before
    somebody asks, though.
    """

    def __init__(self, V: Array) -> None:
        self.V = V
        self._steps = _FRESH  # since the decomposition; at first there is none
        self._late: list[Array] = []  # steps that it does not know yet
        self._values: Array = np.zeros(0)
        self._vectors: Array = np.zeros((0, 0))

    def add(self, row: Array, times: int) -> None:
        """Let V grow by ``times``·ψψᵀ."""
        if not len(row):
            return
        add_outer(self.V.T, float(times), row, row)
        self._steps += 1
        if self._steps < _FRESH:
            self._late.append(math.sqrt(times) * row)

    def eigen(self) -> tuple[Array, Array]:
        """The eigenvalues of V and, as columns, its eigenvectors."""
        if self._steps >= _FRESH:
            values, vectors = np.linalg.eigh(self.V)
            self._values, self._vectors = values, np.ascontiguousarray(vectors)
            self._steps, self._late = 0, []
        for row in self._late:
            turn(self._values, self._vectors, self._vectors.T @ row)
        self._late = []
        return self._values, self._vectors

    def copy(self) -> Root:
        """An independent root in the same state."""
        twin = Root(self.V.copy())
        twin._steps, twin._late = self._steps, list(self._late)
        twin._values, twin._vectors = self._values.copy(), self._vectors.copy()
        return twin

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restored` needs to go on bit by bit."""
        return {
            "V": self.V.copy(),
            "steps": self._steps,
            "late": np.array(self._late),
            "values": self._values.copy(),
            "vectors": self._vectors.copy(),
        }

    @classmethod
    def restored(cls, state: dict[str, Any], r: int) -> Root:
        """The root of a state, of an (r, r) matrix."""
        root = cls(np.array(state["V"], dtype=float).reshape(r, r))
        root._steps = int(state["steps"])
        root._late = list(np.array(state["late"], dtype=float).reshape(-1, r)) if r else []
        root._values = np.array(state["values"], dtype=float)
        side = len(root._values)
        root._vectors = np.array(state["vectors"], dtype=float).reshape(side, side)
        return root
