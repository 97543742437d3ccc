"""Coordinates of the smoothed payoffs, one for each play, from which all means follow."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array

__all__ = ["MeanCoordinates"]


class MeanCoordinates:
    """β(y) = L⁻¹y and β(1) = L⁻¹1, and the location m̂ that the mean shrinks towards.

    The smoother of payoffs y is s(x) = W(x)·β(y), and that of the constant one W(x)·β(1), so

        deviation(x) = mean(x) − m̂ = W(x)·(β(y) − m̂ β(1)).
    """

    def __init__(self) -> None:
        self.location = 0.0  # m̂
        self.beta: Array = np.zeros((2, 0))  # β(y), β(1); replaced, never changed in place

    @property
    def centred(self) -> Array:
        """β(y) − m̂ β(1)."""
        centred: Array = self.beta[0] - self.location * self.beta[1]
        return centred

    def relocate(self, location: float) -> None:
        """Let the mean shrink towards another location."""
        self.location = location

    def replace(self, beta: Array) -> None:
        """Take other coordinates instead of all present ones."""
        self.beta = beta

    def append(self, beta: Array) -> None:
        """Add the coordinate of a play."""
        self.beta = np.column_stack([self.beta, beta])

    def norm(self) -> float:
        """‖β(y)‖ + |m̂| ‖β(1)‖, a bound on ‖β(y) − m̂ β(1)‖."""
        return _norm(self.beta[0]) + abs(self.location) * _norm(self.beta[1])


def _norm(values: Array) -> float:
    """‖v‖ without a square that could overflow."""
    unit = float(np.abs(values).max(initial=0.0))
    return unit * float(np.linalg.norm(values / unit)) if unit else 0.0
