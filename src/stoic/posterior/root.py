"""Eigenvectors, and so the root, of a matrix that grows by rank-one steps."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidState
from stoic.loops import turn
from stoic.posterior.base import agree
from stoic.schema import Reals, Schema, Stateful, Wholes

__all__ = ["Root"]

_MAX_STEPS = 64  # after which V is decomposed again


class Root(Stateful):
    """The eigenvectors of V, which give V^{-½}, for V that grows by ψψᵀ.

    When they are asked for, they are turned by the steps since, which takes a fraction of the
    time of a new decomposition.
    """

    schema: ClassVar[Schema] = {
        "start": Reals("r", "r", optional=True),
        "steps": Reals("steps", "r", optional=True),
        "turned": Wholes(below=_MAX_STEPS + 1, optional=True),
        "values": Reals("decomposed", optional=True),
        "vectors": Reals("decomposed", "decomposed", optional=True),
    }

    def __init__(self, V: Array) -> None:
        self._start = V  # V, without the steps since
        self._rows: list[Array] = []  # of these steps
        self._turned = _MAX_STEPS  # steps that the vectors include; at first there are no vectors
        self._values: Array = np.zeros(0)
        self._vectors: Array = np.zeros((0, 0))

    @property
    def _steps(self) -> Array:
        return np.array(self._rows)

    @property
    def V(self) -> Array:  # noqa: N802, as in the papers
        """V as it is now."""
        return self._start + _squared(self._rows) if self._rows else self._start

    def add(self, row: Array, times: int) -> None:
        """Let V grow by ``times``·ψψᵀ."""
        self._rows.append(math.sqrt(times) * row)
        if len(self._rows) > _MAX_STEPS:
            self._start, self._rows, self._turned = self.V, [], _MAX_STEPS

    def eigen(self) -> tuple[Array, Array]:
        """The eigenvalues of V and, as columns, its eigenvectors."""
        if self._turned >= _MAX_STEPS:
            self._start, self._rows, self._turned = self.V, [], 0
            values, vectors = np.linalg.eigh(self._start)
            self._values, self._vectors = values, np.ascontiguousarray(vectors)
        for row in self._rows[self._turned :]:
            turn(self._values, self._vectors, row)
        self._turned = len(self._rows)
        return self._values, self._vectors

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`, and is whole."""
        if len(state) < len(self.schema):
            raise InvalidState(f"expected {', '.join(self.schema)} of a root in a state, got less")
        super().restore(state)

    def _restored(self, state: dict[str, Any]) -> None:
        self._rows = list(state["steps"])
        decomposed = self._turned < _MAX_STEPS
        side = len(self._start) if decomposed else len(self._values)
        if len(self._values) != side or (decomposed and self._turned > len(self._rows)):
            raise InvalidState(f"expected {side} eigenvectors of a root in a state, got another")

    def verify(self, V: Array, lam: float) -> None:
        """Raise :class:`InvalidState` unless this is the root of V, whose eigenvalues are ≥ λ."""
        agree("the matrix", self.V, V, float(np.abs(V).max(initial=0.0)))
        if self._turned == _MAX_STEPS:
            return
        vectors, values = self._vectors, self._values
        agree("the eigenvectors", vectors.T @ vectors, np.eye(len(vectors)), 1.0)
        agree("the eigenvalues", np.minimum(values, lam), np.full(len(values), lam), lam)
        turned = self._start + _squared([*self._rows[: self._turned], np.zeros(len(values))])
        product = (vectors * values) @ vectors.T
        agree("the eigenvectors", product, turned, float(np.abs(V).max(initial=0.0)))


def _squared(rows: list[Array]) -> Array:
    stacked = np.array(rows)
    square: Array = stacked.T @ stacked
    return square
