"""The eigenvectors of a matrix that grows by rank-one steps, as its root is made of them."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidState
from stoic.loops import turn
from stoic.posterior.base import agree
from stoic.schema import Reals, Schema, Wholes

__all__ = ["Root"]

_FRESH = 64  # steps after which the decomposition is made afresh


class Root:
    """What V^{-½} is made of, the eigenvectors of V, for V that grows by ψψᵀ.

    They are turned by each step, which takes a fraction of a decomposition afresh; not before
    somebody asks, though.
    """

    schema: ClassVar[Schema] = {
        "start": Reals("r", "r", optional=True),
        "steps": Reals("steps", "r", optional=True),
        "turned": Wholes(below=_FRESH + 1, optional=True),
        "values": Reals("decomposed", optional=True),
        "vectors": Reals("decomposed", "decomposed", optional=True),
    }

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
    def restored(cls, state: dict[str, Any]) -> Root:
        """The root of a state that fits :attr:`schema`."""
        if len(state) < len(cls.schema):
            raise InvalidState(f"expected {', '.join(cls.schema)} of a root in a state, got less")
        root = cls(state["start"])
        root._steps, root._turned = list(state["steps"]), state["turned"]
        root._values, root._vectors = state["values"], state["vectors"]
        side = len(root._start) if root._turned < _FRESH else len(root._values)
        if len(root._values) != side or (root._turned < _FRESH and root._turned > len(root._steps)):
            raise InvalidState(f"expected {side} eigenvectors of a root in a state, got another")
        return root

    def verify(self, V: Array, lam: float) -> None:
        """Raise :class:`InvalidState` unless this is the root of V, whose eigenvalues are ≥ λ."""
        agree("the matrix", self.V, V, float(np.abs(V).max(initial=0.0)))
        if self._turned == _FRESH:
            return
        vectors, values = self._vectors, self._values
        agree("the eigenvectors", vectors.T @ vectors, np.eye(len(vectors)), 1.0)
        agree("the eigenvalues", np.minimum(values, lam), np.full(len(values), lam), lam)
        turned = self._start + _squared([*self._steps[: self._turned], np.zeros(len(values))])
        product = (vectors * values) @ vectors.T
        agree("the eigenvectors", product, turned, float(np.abs(V).max(initial=0.0)))


def _squared(rows: list[Array]) -> Array:
    stacked = np.array(rows)
    square: Array = stacked.T @ stacked
    return square
