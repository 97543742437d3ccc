"""The interface of posteriors: all that depends on the arms played, and on no payoff."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from scipy.linalg.lapack import dpotri

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.schema import Schema, Stateful

__all__ = ["Posterior", "Step", "Track", "agree", "grown", "inverse_of"]

# Share of its unit by which a figure of a saved state may differ from a fresh solve. Rounding
# stays below 1e-7 of it (tests/policies/test_sound_states.py); more is damage.
_ROUNDING = 1e-4


class Step(NamedTuple):
    """The effect of one play on the posterior.

    ``gain`` is the vector with mean[arms] ← mean[arms] + gain · (y − mean[arm]) for the tracked
    points in ``arms``: all of them, or those played, where others are computed on request
    only. After ``refreshed`` the recursion has been replaced by a fresh solve (or the features
    have changed), and means must come from :meth:`Posterior.smooth`.
    """

    gain: Array
    refreshed: bool
    arms: slice | IntArray = slice(None)


class Posterior(Protocol):
    """The smoother of ridge regression with kernel k and ridge λ on tracked points.

    Notation: A tracked points (all arms of a finite domain; the points played, of a
    box), n_a plays of point a, σ² the posterior variance without a factor 1/λ.
    """

    lam: float
    counts: IntArray  # (A,) plays of each tracked point
    var: Array  # (A,) posterior variance σ², never negative
    logdet: float  # ln det(I + K_t/λ) over all plays
    t: int  # plays in all

    @property
    def std(self) -> Array:
        """The posterior standard deviations σ of the tracked points."""

    @property
    def size(self) -> int:
        """The number of features or distinct points that the posterior rests on."""

    def reserve(self) -> None:
        """Make room for one more play, or raise an error before anything has changed."""

    def observe(self, arm: int, times: int = 1) -> Step:
        """Account for ``times`` more plays of a tracked point; ``gain`` is for their mean."""

    def track(self, points: Array) -> None:
        """Follow further points from now on, or raise where all arms are known from the start."""

    def smooth(self, sums: Array) -> Array:
        """The posterior means for per-point payoff sums, (A,) or (A, j)."""

    def predict(self, X: Array, sums: Array) -> tuple[Array, Array]:
        """Posterior mean(s) and std at any points, for per-point payoff sums."""

    def copy(self) -> Posterior:
        """An independent posterior in the same state."""

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to continue bit by bit."""

    schema: ClassVar[Schema]  # of the state, with "A" tracked points

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from the plays."""


class Track(Stateful):
    """The tracked points and their counts, which every posterior keeps."""

    shared = frozenset({"points", "_prior"})

    def __init__(self, points: Array, lam: float) -> None:
        self.lam = lam
        self.points = points
        self.counts: IntArray = np.zeros(len(points), dtype=np.int64)
        self.t = 0
        self.logdet = 0.0

    var: Array
    _largest: float | None = None  # of var, where known

    @property
    def std(self) -> Array:
        """The posterior standard deviations σ of the tracked points."""
        return np.sqrt(self.var)

    @property
    def widest(self) -> float:
        """The largest posterior standard deviation of all."""
        if self._largest is None:
            self._largest = float(self.var.max(initial=0.0))
        return math.sqrt(self._largest)

    def reserve(self) -> None:
        """Make room for one more play: there always is."""

    def _restored(self, state: dict[str, Any]) -> None:
        del state
        self.t, self._largest = int(self.counts.sum()), None

    def _count(self, arm: int, times: int = 1) -> None:
        self.counts[arm] += times
        self.t += times


def grown(array: Array, shape: tuple[int, int]) -> Array:
    """``array`` inside a zeroed Fortran-order one of at least ``shape``, growing by doubling."""
    if array.shape[0] >= shape[0] and array.shape[1] >= shape[1]:
        return array
    sides = [
        old if old >= new else max(new, 2 * old, 8)
        for old, new in zip(array.shape, shape, strict=True)
    ]
    out: Array = np.zeros(sides, order="F")
    out[: array.shape[0], : array.shape[1]] = array
    return out


def agree(name: str, found: Array | float, fresh: Array | float, unit: float) -> None:
    """Raise unless what a state holds is what its plays give, up to rounding."""
    error = float(np.max(np.abs(np.subtract(found, fresh)), initial=0.0))
    if not error <= _ROUNDING * unit:
        raise InvalidState(
            f"expected {name} of the posterior to follow from the plays in the state, got a "
            f"difference of {error:.3g}; it is damaged"
        )


def inverse_of(factor: Array) -> Array:
    """The inverse of LLᵀ, symmetric to the bit and in C order.

    The order matters: BLAS sums in another order for the other layout, and a restored posterior
    must continue bit by bit.
    """
    if not len(factor):
        return np.zeros((0, 0))
    lower, _ = dpotri(factor, lower=1)  # above the diagonal it is zero, as the factor was
    inverse: Array = np.ascontiguousarray(lower + lower.T)
    inverse.flat[:: len(inverse) + 1] *= 0.5
    return inverse
