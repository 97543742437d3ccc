"""Continuous boxes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from stoic.checks import Array, finite_array
from stoic.errors import InvalidArm, InvalidInput
from stoic.forks import importing
from stoic.spaces.sobol import sobol

__all__ = ["Box"]


class Box:
    """The points between ``low`` and ``high``, coordinate by coordinate.

    >>> Box([0.0, 0.0], [1.0, 2.0]).dimension
    2
    """

    def __init__(self, low: Any, high: Any) -> None:
        self.low: Array = np.atleast_1d(finite_array(low, "low"))
        self.high: Array = np.atleast_1d(finite_array(high, "high"))
        if self.low.ndim != 1 or self.low.shape != self.high.shape or self.low.size == 0:
            raise InvalidInput(
                "expected low and high as vectors of one length, "
                f"got shapes {self.low.shape} and {self.high.shape}"
            )
        if not (self.low < self.high).all():
            raise InvalidInput(f"expected low below high everywhere, got {low!r} and {high!r}")
        if not np.isfinite(self.high - self.low).all():
            raise InvalidInput("expected sides of finite length; use a smaller box")

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return int(self.low.size)

    def landmarks(self) -> Array:
        """Corners (all of them in few dimensions) and a point inside."""
        d = self.dimension
        picks = list(product((0.0, 1.0), repeat=d)) if d <= 8 else [(0.0,) * d, (1.0,) * d]
        unit = np.array([*picks, (0.6180339887498949,) * d])
        return self.clip(self.low + unit * (self.high - self.low))

    def point(self, x: object) -> Array:
        """``x`` as a point of the box, or a typed error."""
        point = np.atleast_1d(finite_array(x, "arm", error=InvalidArm))
        if point.shape != self.low.shape:
            raise InvalidArm(
                f"expected a point of {self.dimension} coordinates, got shape {point.shape}"
            )
        if not ((self.low <= point) & (point <= self.high)).all():
            raise InvalidArm(
                f"expected a point within {self.low.tolist()} … {self.high.tolist()}, "
                f"got {point.tolist()}"
            )
        return point

    def clip(self, X: Array) -> Array:
        """The nearest points of the box."""
        return np.clip(X, self.low, self.high)

    def spread(self, n: int, seed: int) -> Array:
        """``n`` quasi-random points that fill the box evenly (a scrambled Sobol sequence)."""
        unit = sobol(self.dimension, n, seed)
        return self.clip(self.low + unit * (self.high - self.low))

    def maximise(
        self,
        score: Callable[[Array], Array],
        seed: int,
        starts: Array | None = None,
        candidates: int = 512,
    ) -> Array:
        """A point of high score: the best of many candidates, refined by a quasi-Newton method.

        Parameters
        ----------
        score
            Maps (n, d) points to n values.
        seed
            Of the candidates.
        starts
            Further candidates, e.g. points known to be good.
        candidates
            How many quasi-random points to begin with.
        """
        with importing:  # slow: only where it is used
            from scipy.optimize import minimize

        X = self.spread(candidates, seed)
        if starts is not None and len(starts):
            X = np.vstack([X, starts])
        values = score(X)
        side = self.high - self.low
        step = 1e-6 * np.eye(self.dimension)

        def loss(unit: Array) -> tuple[float, Array]:
            # central differences, all of them in one call
            batch = np.vstack([unit[None], unit + step, unit - step])
            f = score(self.low + np.clip(batch, 0.0, 1.0) * side)
            d = self.dimension
            return -float(f[0]), -(f[1 : d + 1] - f[d + 1 :]) / 2e-6

        best: Array = X[int(np.argmax(values))]
        best_value = float(values.max())
        for start in X[np.argsort(-values, kind="stable")[:3]]:
            found = minimize(
                loss,
                (start - self.low) / side,
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, 1.0)] * self.dimension,
                options={"maxiter": 30},
            )
            point = self.clip(self.low + found.x * side)
            value = float(score(point[None])[0])
            if value > best_value:
                best, best_value = point, value
        return best

    def __repr__(self) -> str:
        return f"Box({self.low.tolist()}, {self.high.tolist()})"
