"""Estimated deviations of all arms, from those of their anchors, and bounds on the errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.loops import interpolate, interpolation_error
from stoic.many_arms.coordinates import MeanCoordinates
from stoic.many_arms.posterior import ManyArmsPosterior

__all__ = ["DeviationBounds"]

_UNKNOWN_DRIFT = 1e300  # stands for a change without a bound
_RECENT_PLAYS = 16
_REMOTE_SHARE = 0.1  # of the largest ‖W‖: below it, a block counts as far from all plays


class DeviationBounds:
    """Bounds on the deviation of any arm, without a pass over its coordinates.

    Known are the smooths s of all anchors after every play, and of any other point after the
    play with which it was last computed. A point follows its anchors Z up to a residual: its
    w_τ(x) is c(x)ᵀ w_τ(Z) + r_τ with Σ_τ r_τ² ≤ ρ(x)². So the offset s(x) − c(x)ᵀ s(Z), which
    is kept, has changed since by no more than

        ρ(x) · (Σ_{τ since} (β_τ(y) − m̂ β_τ(1))²)^½,

    and by no more than Σ_{τ since} |r_τ β_τ|, for which :attr:`StdBounds.last_change` gives a
    bound.

    Parameters
    ----------
    mean, posterior
        The coordinates of the mean, and the posterior whose arms they are about.
    """

    def __init__(self, mean: MeanCoordinates, posterior: ManyArmsPosterior) -> None:
        self._mean, self._posterior = mean, posterior
        self._history: Array = np.zeros((3, 0))  # β(y), β(1) and the share of each play
        self._dual: tuple[Array, Array] = (np.zeros(0), np.zeros(0))  # β, and its dual weights
        self._clear()

    def _clear(self) -> None:
        blocks = self._posterior.blocks
        self._offset: Array = np.zeros((2, *blocks.arms.shape))  # of s(y) and s(1)
        self._computed_at: IntArray = np.zeros(blocks.arms.shape, dtype=np.int64)  # plays then
        self._anchors: Array = np.zeros((2, *blocks.anchors.shape))  # s(y), s(1) of the anchors
        self._drift: Array = np.zeros((2, len(blocks)))  # Σ |β_τ| last_change_τ
        self._drift_then: Array = np.zeros((2, *blocks.arms.shape))  # when last computed
        self._rounding: Array = np.zeros(2)  # of what was computed

    # -- plays --------------------------------------------------------------------------------

    def extend(self, beta: Array) -> None:
        """Account for β of the last play, which the mean has already."""
        posterior = self._posterior
        self._history = np.column_stack([self._history, [*beta, posterior.last.share]])
        self._anchors += beta[:, None, None] * posterior.anchors.last
        self._drift += np.abs(beta)[:, None] * posterior.std_bounds.last_change

    def solve_anchors(self) -> None:
        """Compute the smooths of all anchors again, for the coordinates of the mean."""
        beta = self._mean.beta
        smooths = self._posterior.anchors.values[:, : beta.shape[1]] @ beta.T
        self._anchors = np.ascontiguousarray(smooths.T).reshape(self._anchors.shape)

    def reset(self) -> None:
        """Start again with the coordinates of the mean: every arm may have changed."""
        beta = self._mean.beta
        self._history = np.vstack([beta, np.ones(beta.shape[1])])
        self._clear()
        if beta.size:
            self._drift_then[:] = -_UNKNOWN_DRIFT
            self.solve_anchors()

    # -- estimates ----------------------------------------------------------------------------

    def anchors(self) -> Array:
        """The (B, p) deviations of the anchors."""
        centred: Array = self._anchors[0] - self._mean.location * self._anchors[1]
        return centred

    def estimate(self, blocks_at_once: int, values: Array, errors: Array) -> Iterator[slice]:
        """Fill in estimated deviations of all arms, and bounds on their errors.

        Yields after some blocks at once, while their figures are in the processor's cache.
        """
        blocks, norm = self._posterior.blocks, self._posterior.std_bounds.norm
        anchors, drift, rounding = self.anchors(), self._drift_since(), self._total_rounding()
        for start in range(0, len(blocks), blocks_at_once):
            part = slice(start, start + blocks_at_once)
            offset, then, rho = self._offset[:, part], self._computed_at[part], blocks.rho[part]
            interpolate(
                blocks.weights[part], anchors[part], offset, self._mean.location, values[part]
            )
            interpolation_error(drift, then, rho, rounding[part], errors[part])
            if norm[part].min() < _REMOTE_SHARE * norm.max():
                remote = self._remote_drift(part) + rounding[part, None]
                np.minimum(errors[part], remote, out=errors[part])
            yield part

    def followed(self) -> tuple[Array, Array]:
        """Deviations of the arms that the posterior follows, and bounds on their errors."""
        bounds = self._posterior.std_bounds
        block = self._posterior.blocks.block_of(bounds.followed)
        return bounds.followed_rows @ self._mean.centred, self._total_rounding()[block]

    def compute(self, positions: IntArray, rows: Array | None = None) -> tuple[Array, Array]:
        """Deviations at some positions, and bounds on their errors; ``rows`` are W, if known."""
        blocks = self._posterior.blocks
        block = blocks.block_of(positions)
        smooths = self._smooths(positions) if rows is None else self._mean.beta @ rows.T
        weights = blocks.weights.reshape(-1, blocks.weights.shape[2])[positions]
        offset = smooths - np.array(
            [np.einsum("ij,ij->i", weights, each[block]) for each in self._anchors]
        )
        self._offset.reshape(2, -1)[:, positions] = offset
        self._computed_at.reshape(-1)[positions] = self._posterior.updates
        self._drift_then.reshape(2, -1)[:, positions] = self._drift[:, block]
        return smooths[0] - self._mean.location * smooths[1], self._total_rounding()[block]

    def is_recent(self, positions: IntArray) -> NDArray[np.bool_]:
        """Which of some positions were computed not long ago."""
        when = self._computed_at.reshape(-1)[positions]
        recent: NDArray[np.bool_] = (when > 0) & (when >= self._posterior.updates - _RECENT_PLAYS)
        return recent

    def _smooths(self, positions: IntArray) -> Array:
        """s(y) and s(1) at some positions, from the kernel."""
        posterior, beta = self._posterior, self._mean.beta
        if self._dual[0] is not beta:
            self._dual = (beta, posterior.played.dual(beta.T))
        alpha = self._dual[1]  # (u, 2)
        unit = 2.0**-52 * (len(alpha) + 16) * posterior.max_prior
        self._rounding = np.maximum(self._rounding, unit * np.abs(alpha).sum(axis=0))
        points = posterior.points[posterior.blocks.arms_at(positions)]
        return posterior.played.expand(points, alpha).T

    # -- bounds on errors ---------------------------------------------------------------------

    def _drift_since(self) -> Array:
        """For each play, by how many ρ a point may have left its anchors from it on.

        With the share g_τ of the play, |r_τ| ≤ ρ g_τ, so Σ |r_τ β_τ| is no more than
        ρ Σ g_τ|β_τ|, nor more than ρ (Σ β_τ²)^½.
        """
        beta = np.abs(self._history[0] - self._mean.location * self._history[1])
        unit = float(beta.max(initial=0.0)) or 1.0  # so that no square overflows
        beta = beta[::-1] / unit
        squares, sums = np.cumsum(beta**2), np.cumsum(beta * self._history[2, ::-1])
        drift = np.zeros(len(beta) + 1)
        drift[:-1] = np.minimum(np.sqrt(squares), sums)[::-1]
        return unit * drift * (1.0 + 1e-12)

    def _remote_drift(self, part: slice) -> Array:
        """The largest change of points that are far from all plays since they were computed."""
        max_weight = self._posterior.blocks.max_weight[part]
        with np.errstate(over="ignore"):
            drift = self._drift[:, part, None] * (1.0 + 1e-12)
            y, one = drift - self._drift_then[:, part]
            total = y + abs(self._mean.location) * one
            bound: Array = total * (1.0 + max_weight)[:, None]
        return bound

    def _total_rounding(self) -> Array:
        """For each block, what rounding does to estimates and to what was computed."""
        factor, blocks = self._posterior.factor, self._posterior.blocks
        share = 2.0 * factor.relative_error + 2.0**-52 * (len(factor) + 16)
        norm = self._posterior.std_bounds.norm
        estimated = share * self._mean.norm() * norm * (1.0 + blocks.max_weight)
        total: Array = estimated + self._rounding[0] + abs(self._mean.location) * self._rounding[1]
        return total
