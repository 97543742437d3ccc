"""The smoothed mean on very many arms, and where it is largest, without a look at all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from stoic.checks import Array, IntArray
from stoic.estimators.limited import Limited
from stoic.estimators.truncation import check_sums
from stoic.loops import interpolate, interpolation_error
from stoic.posterior import Step
from stoic.posterior.base import agree
from stoic.posterior.lazy import LazyPosterior
from stoic.schema import Reals, Schema, Sums

__all__ = ["LazyMean"]

_ANY = 1e300  # a movement that may have been anything
_RECENT = 16  # plays
_CALM = 0.1  # share of the largest ‖W‖ below which a block counts as hardly touched


class LazyMean:
    """What :class:`SmoothedMean` is, for a :class:`LazyPosterior`.

    With one coordinate w_τ(x) for each play, the smoother of payoffs y is s(y) = W(x)·β(y) with
    β = L⁻¹y, one number for each play, and beside it runs β(1) of the constant one, so that

        deviation(x) = W(x)·(β(y) − m̂ β(1)).

    Known are the deviations of all anchors as of now, and of any other point as of when it was
    last worked out. A point follows its anchors Z up to a residual: its w_τ(x) is
    c(x)ᵀ w_τ(Z) + r_τ with Σ_τ r_τ² ≤ ρ(x)². So the offset s(x) − c(x)ᵀ s(Z), which is kept, has
    changed since by no more than

        ρ(x) · (Σ_{τ since} (β_τ(y) − m̂ β_τ(1))²)^½,

    and by no more than Σ_{τ since} |r_τ β_τ|, for which :attr:`LazyPosterior.touch` has a bound.

    Parameters
    ----------
    posterior
        Whose points are estimated.
    """

    schema: ClassVar[Schema] = {
        "location": Sums(),
        "sums": Sums("u"),
        "beta": Reals(2, "k"),
    }
    columns = 1

    def __init__(self, posterior: LazyPosterior) -> None:
        self.location = 0.0
        self.sums: Array = np.zeros(len(posterior.points))
        self._posterior = posterior
        self._beta: Array = np.zeros((2, 0))  # β(y), β(1) of each coordinate
        self._past: Array = np.zeros((3, 0))  # as they were when each play came, and its g
        self._dual: tuple[Array, Array] = (np.zeros(0), np.zeros(0))  # β, and its dual weights
        self._forget()

    def _forget(self) -> None:
        """Nothing is known of any point beyond the prior, nor how far it may have moved."""
        blocks = self._posterior.blocks
        self._offset: Array = np.zeros((2, *blocks.arms.shape))  # of s(y) and s(1)
        self._stamp: IntArray = np.zeros(blocks.arms.shape, dtype=np.int64)  # plays at that time
        self._anchors: Array = np.zeros((2, *blocks.anchors.shape))  # s(y), s(1) of the anchors
        self._moved: Array = np.zeros((2, len(blocks)))  # Σ |β_τ| touch_τ
        self._moved_then: Array = np.zeros((2, *blocks.arms.shape))  # when last worked out
        self._error: Array = np.zeros(2)  # of what was worked out, by rounding

    # -- payoffs ------------------------------------------------------------------------------

    def learn(self, arm: int, limited: Limited, step: Step, posterior: LazyPosterior) -> None:
        """Take in the payoff of the play that made ``step``, or all payoffs so far anew."""
        payoffs, anew, self.location = limited.payoffs, limited.anew, limited.location
        if anew is not None:
            self.replace(*anew, posterior)
            return
        if step.refreshed:
            self._rebase(posterior)
        (y,) = payoffs.tolist()
        self.sums[arm] += y
        row, pivot = posterior.last
        self._append((np.array([y, 1.0]) - self._beta @ row) / pivot, posterior)

    def suppose(self, posterior: LazyPosterior) -> None:
        """Take the last play as one whose payoff was as expected."""
        self._append(np.zeros(2), posterior)

    def _append(self, beta: Array, posterior: LazyPosterior) -> None:
        self._beta = np.column_stack([self._beta, beta])
        self._past = np.column_stack([self._past, [*beta, posterior.grip]])
        w = posterior.anchor_rows[:, -1].reshape(posterior.blocks.anchors.shape)
        self._anchors += beta[:, None, None] * w
        self._moved += np.abs(beta)[:, None] * posterior.touch

    def replace(self, arms: IntArray, payoffs: Array, posterior: LazyPosterior) -> None:
        """Forget all payoffs and take these instead, one for each play."""
        self.sums[arms] = 0.0
        np.add.at(self.sums, arms, payoffs.ravel())
        values = np.column_stack([payoffs.ravel(), np.ones(len(arms))])
        self._beta = posterior.solve(values).T
        self._past = np.vstack([self._beta, np.ones(self._beta.shape[1])])
        self._forget()
        self._moved_then[:] = -_ANY
        self._place_anchors(posterior)

    def _rebase(self, posterior: LazyPosterior) -> None:
        """New coordinates, one for each distinct point, before the last play."""
        k = posterior.columns - 1
        arms = posterior.arms[:k]
        before = posterior.counts[arms] - (arms == posterior.arms[k])
        values = np.zeros((k + 1, 2))
        values[:k, 0], values[:k, 1] = self.sums[arms] / before, 1.0
        self._beta = posterior.solve(values)[:k].T
        self._place_anchors(posterior)

    def _place_anchors(self, posterior: LazyPosterior) -> None:
        k = self._beta.shape[1]
        found = posterior.anchor_rows[:, :k] @ self._beta.T
        self._anchors = np.ascontiguousarray(found.T).reshape(self._anchors.shape)

    # -- one point, all points, any points ----------------------------------------------------

    def _centred(self) -> Array:
        centred: Array = self._beta[0] - self.location * self._beta[1]
        return centred

    def at(self, row: Array) -> float:
        """The deviation of a point with this row of the posterior."""
        return float(row @ self._centred())

    @property
    def played(self) -> Array:
        """The deviations of the points in :attr:`LazyPosterior.played`."""
        deviations: Array = self._posterior.played_rows @ self._centred()
        return deviations

    @property
    def deviation(self) -> Array:
        """Mean − location of all points."""
        return self._posterior.spread(self._centred())

    def predict(self, X: Array, posterior: LazyPosterior) -> Array:
        """The deviation from the location at any points."""
        centred: Array = posterior.rows_at(X) @ self._centred()
        return centred

    # -- bounds -------------------------------------------------------------------------------

    def anchors(self) -> Array:
        """The (B, p) deviations of the anchors."""
        centred: Array = self._anchors[0] - self.location * self._anchors[1]
        return centred

    def estimates(self, size: int, values: Array, doubts: Array) -> Iterator[slice]:
        """Fill in the deviations of all points, and how far off they may be.

        Gives way after every ``size`` blocks, while what it has found is in the cache.
        """
        posterior = self._posterior
        blocks, reach = posterior.blocks, posterior.reach
        anchors, since, slack = self.anchors(), self.since(), self.slack()
        for start in range(0, len(blocks), size):
            part = slice(start, start + size)
            interpolate(
                blocks.weights[part],
                anchors[part],
                self._offset[:, part],
                self.location,
                values[part],
            )
            interpolation_error(
                since, self._stamp[part], blocks.rho[part], slack[part], doubts[part]
            )
            if reach[part].min() < _CALM * reach.max():
                far = self._far(part) + slack[part, None]
                np.minimum(doubts[part], far, out=doubts[part])
            yield part

    def _far(self, part: slice) -> Array:
        """How far points that no play was near to can have moved."""
        gross = self._posterior.blocks.gross[part]
        with np.errstate(over="ignore"):
            moved = self._moved[:, part, None] * (1.0 + 1e-12)
            y, one = moved - self._moved_then[:, part]
            bound: Array = (y + abs(self.location) * one) * (1.0 + gross)[:, None]
        return bound

    def followed(self) -> tuple[Array, Array]:
        """Deviations of the points that the posterior follows, and how far off they may be."""
        posterior = self._posterior
        home = posterior.followed // posterior.blocks.arms.shape[1]
        return posterior.followed_rows @ self._centred(), self.slack()[home]

    def recent(self, places: IntArray) -> npt.NDArray[np.bool_]:
        """Which of some places were worked out not long ago."""
        when = self._stamp.reshape(-1)[places]
        found: npt.NDArray[np.bool_] = (when > 0) & (when >= self._posterior.version - _RECENT)
        return found

    def refresh(self, places: IntArray, rows: Array | None = None) -> tuple[Array, Array]:
        """Work out some points, given by place, as they are now; ``rows`` are W, if known.

        Their deviations, and how far off they may be.
        """
        posterior = self._posterior
        blocks = posterior.blocks
        home = places // blocks.arms.shape[1]
        found = self._worked_out(places) if rows is None else self._beta @ rows.T
        weights = blocks.weights.reshape(-1, blocks.weights.shape[2])[places]
        offset = found - np.array(
            [np.einsum("ij,ij->i", weights, each[home]) for each in self._anchors]
        )
        self._offset.reshape(2, -1)[:, places] = offset
        self._stamp.reshape(-1)[places] = posterior.version
        self._moved_then.reshape(2, -1)[:, places] = self._moved[:, home]
        return found[0] - self.location * found[1], self.slack()[home]

    def _worked_out(self, places: IntArray) -> Array:
        """s(y) and s(1) at some places, from the kernel."""
        posterior = self._posterior
        points = posterior.points[posterior.blocks.arms.reshape(-1)[places]]
        if self._dual[0] is not self._beta:
            self._dual = (self._beta, posterior.dual(self._beta.T))
        alpha = self._dual[1]  # (u, 2)
        unit = 2.0**-52 * (len(alpha) + 16) * float(posterior.prior.max())
        self._error = np.maximum(self._error, unit * np.abs(alpha).sum(axis=0))
        found: Array = (posterior.kernel(points, posterior.points[posterior.played]) @ alpha).T
        return found

    def since(self) -> Array:
        """For each play, by how many ρ a point may have left its anchors from it on.

        With g_τ² = σ²/(ν + σ²) of the point played, |r_τ| ≤ ρ g_τ, so Σ |r_τ β_τ| is no more
        than ρ Σ g_τ|β_τ|, nor more than ρ (Σ β_τ²)^½.
        """
        past = np.abs(self._past[0] - self.location * self._past[1])
        unit = float(past.max(initial=0.0)) or 1.0  # so that no square overflows
        past = past[::-1] / unit
        squares, sums = np.cumsum(past**2), np.cumsum(past * self._past[2, ::-1])
        tails = np.zeros(len(past) + 1)
        tails[:-1] = np.minimum(np.sqrt(squares), sums)[::-1]
        return unit * tails * (1.0 + 1e-12)

    def rounding(self) -> Array:
        """What rounding may do to what follows from the anchors of each block."""
        posterior = self._posterior
        y, one = _norm(self._beta[0]), abs(self.location) * _norm(self._beta[1])
        share = 2.0 * posterior.rel + 2.0**-52 * (posterior.columns + 16)
        error: Array = share * (y + one) * posterior.reach * (1.0 + posterior.blocks.gross)
        return error

    def slack(self) -> Array:
        """:meth:`rounding`, and that of what was worked out."""
        total: Array = self.rounding() + self._error[0] + abs(self.location) * self._error[1]
        return total

    # -- copies and states --------------------------------------------------------------------

    def copy(self, posterior: LazyPosterior) -> LazyMean:
        """An independent estimator for a copy of its posterior."""
        twin = LazyMean.__new__(LazyMean)
        twin.__dict__.update(self.__dict__)
        for name, value in self.__dict__.items():
            if isinstance(value, np.ndarray):
                setattr(twin, name, value.copy())
        twin._posterior = posterior
        return twin

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        played = self._posterior.played
        return {
            "location": self.location,
            "sums": self.sums[played],
            "beta": self._beta.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`; its posterior has been restored before."""
        self.location, self._beta = state["location"], state["beta"]
        self.sums = np.zeros_like(self.sums)
        self.sums[self._posterior.played] = state["sums"]
        self._past = np.vstack([self._beta, np.ones(self._beta.shape[1])])
        self._forget()
        if self._beta.size:
            self._moved_then[:] = -_ANY
            self._place_anchors(self._posterior)

    def verify(self, posterior: LazyPosterior) -> None:
        """Raise :class:`InvalidState` unless the means follow from the sums and the plays."""
        played, counts = posterior.played, posterior.counts[posterior.played].astype(float)
        if not len(played):
            return
        sums = self.sums[played]
        check_sums(sums, counts)
        fresh = posterior.at_played(np.column_stack([self.sums, posterior.counts]))
        found = posterior.played_rows @ self._beta.T
        agree("the means", found[:, 0], fresh[:, 0], float(np.abs(sums / counts).max()))
        agree("the smoothed ones", found[:, 1], fresh[:, 1], 1.0)
        # the sums do not tell single payoffs, so what β may be besides is only bounded
        check_sums(self._beta, np.full((2, 1), 10.0 * posterior.t / posterior.least_noise**0.5))


def _norm(values: Array) -> float:
    """‖v‖ without a square that could overflow."""
    unit = float(np.abs(values).max(initial=0.0))
    return unit * float(np.linalg.norm(values / unit)) if unit else 0.0
