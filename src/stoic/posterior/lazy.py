"""The exact posterior on very many arms, brought up to date block by block, where it is needed."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri, dtrtrs

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput, InvalidState
from stoic.kernels import Kernel
from stoic.posterior.base import Step, agree, grown
from stoic.posterior.blocks import Blocks
from stoic.schema import Reals, Schema, Wholes

__all__ = ["ANCHORS", "BUDGET", "FOLLOWED", "SIZE", "SPARE", "LazyPosterior"]

SIZE, ANCHORS = 1024, 32  # of the blocks
BUDGET = 6 * 2**30  # bytes, for all that grows with the number of arms
FOLLOWED = 8192  # arms that are followed besides the anchors, for long
SPARE = 256  # coordinates beyond twice the distinct points, before a fresh factor


class LazyPosterior:
    """Exact kernel ridge smoothing that leaves most arms alone most of the time.

    Each play τ of an arm a with noise ν (λ, or less for several plays at once) adds one
    coordinate to every point,

        w_τ(x) = (k(x, a) − W(x)·W(a)) / l_τ,  l_τ² = ν + k(a, a) − ‖W(a)‖²,

    the rows W of the played points being those of the Cholesky factor L of K + ν, and
    σ²(x) = k(x, x) − ‖W(x)‖². Coordinates are worked out with every play for the points played
    and for the anchors of all blocks (:class:`Blocks`); for any other point by a solve, and only
    when somebody asks. Since σ never grows, what was found then remains a bound.

    Where few points are played again and again, L is replaced by that of the distinct points
    with noise λ/n.

    Cost per play: a pass over (A·p/n) × (coordinates). Memory: A·(p + 13) + (A·p/n) ×
    (coordinates) numbers.

    Parameters
    ----------
    kernel, points, lam
        k, the (A, d) points and λ.
    size, anchors
        n and p of the blocks.
    """

    schema: ClassVar[Schema] = {
        "t": Wholes(),
        "logdet": Reals(low=0.0),
        "arms": Wholes("k", below="A"),
        "noise": Reals("k", low=1e-300),
        "factor": Reals("k", "k"),
        "played": Wholes("u", below="A"),
        "counts": Wholes("u", low=1),
        "rows": Reals("u", "k"),
        "var": Reals("u", low=0.0),
    }

    def __init__(
        self,
        kernel: Kernel,
        points: Array,
        lam: float,
        *,
        size: int | None = None,
        anchors: int | None = None,
    ) -> None:
        size, anchors = size or SIZE, anchors or ANCHORS
        self.kernel, self.points, self.lam = kernel, points, lam
        self.hold = False  # whether coordinates must stay one for each play
        self._fixed = 8 * (len(points) + size) * (anchors + 13)
        _afford(self._fixed, len(points))
        self.blocks = Blocks(kernel, points, size, anchors)
        self.prior: Array = kernel.diag(points)
        self._largest = float(self.prior.max())
        self._clear()

    def _clear(self) -> None:
        """As before the first play."""
        blocks = self.blocks
        count, p = blocks.anchors.shape
        self.counts: IntArray = np.zeros(len(self.points), dtype=np.int64)
        self.t = self.version = self.columns = 0  # plays, calls of observe, coordinates
        self.logdet = 0.0
        self._factor: Array = np.zeros((0, 0), order="F")  # L, with ones to fill its diagonal
        self._noise: Array = np.zeros(0)
        self._arms: IntArray = np.zeros(0, dtype=np.int64)  # of the coordinates
        self._slots: dict[int, int] = {}  # played arm → its place among the played
        self._played_rows: Array = np.zeros((0, 0), order="F")
        self._played_var: Array = np.zeros(0)
        self._anchor_rows: Array = np.zeros((count * p, 0))
        self.anchor_var: Array = self.prior[blocks.anchors]
        self.upper: Array = np.sqrt(blocks.prior)  # (B, n) bounds on σ
        self.top: Array = self.upper.max(axis=1)
        self.reach: Array = np.zeros(count)  # bound on ‖W(x)‖ over a block
        self.grip = 1.0  # (σ²/(ν + σ²))^½ of the last play
        self.touch: Array = np.zeros(count)  # bound on |w(x)| over a block, of the last play
        self._all = (0, self.prior)
        self._asked: dict[int, Array] = {}  # rows of single arms, until the next play
        self._unfollow()

    def _unfollow(self) -> None:
        self.followed: IntArray = np.zeros(0, dtype=np.int64)  # places in the blocks
        self.follows = np.zeros(self.blocks.arms.size, dtype=bool)  # whether, by place
        self._followed_rows: Array = np.zeros((0, 0))
        self._followed_known: Array = np.zeros(0)  # ‖W‖²

    # -- what it knows exactly ----------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number of distinct points played."""
        return len(self._slots)

    @property
    def played(self) -> IntArray:
        """The distinct points played, in order of their first play."""
        return np.fromiter(self._slots, dtype=np.int64, count=self.size)

    @property
    def played_var(self) -> Array:
        """σ² at :attr:`played`."""
        return self._played_var[: self.size]

    @property
    def played_rows(self) -> Array:
        """W at :attr:`played`."""
        return self._played_rows[: self.size, : self.columns]

    @property
    def anchor_rows(self) -> Array:
        """W at the anchors, block by block."""
        return self._anchor_rows[:, : self.columns]

    @property
    def arms(self) -> IntArray:
        """The point of each coordinate."""
        return self._arms[: self.columns]

    @property
    def last(self) -> tuple[Array, float]:
        """The row of the last coordinate's point before its play, and l."""
        k = self.columns - 1
        return self._factor[k, :k], float(self._factor[k, k])

    @property
    def rel(self) -> float:
        """The largest relative error of a row W, as a vector, by backward error analysis.

        Rounding changes k(x, ·) = L W by no more than k^{3/2} units of ‖L_τ‖‖W‖, and
        ‖L⁻¹‖ ≤ ν^{-1/2} for the smallest noise ν.
        """
        share = math.sqrt(1.0 + self._largest / self.least_noise)
        return 2.0**-52 * math.pow(self.columns + 4, 1.5) * share

    @property
    def least_noise(self) -> float:
        """The smallest noise of a coordinate."""
        return float(self._noise[: self.columns].min()) if self.columns else self.lam

    def slot(self, arm: int) -> int:
        """The place of a played arm in :attr:`played`."""
        return self._slots[arm]

    def row(self, arm: int) -> Array:
        """W(x) of one arm, by itself, so that it does not depend on what was synced."""
        slot, k = self._slots.get(arm), self.columns
        if slot is not None:
            return self._played_rows[slot, :k]
        if not k:
            return np.zeros(0)
        if arm not in self._asked:
            self._asked[arm] = self.solve(self._cross(self.points[arm : arm + 1])[0])
        return self._asked[arm]

    def var_at(self, arm: int, row: Array | None = None) -> float:
        """σ² of one arm; ``row`` is its row, if known."""
        slot = self._slots.get(arm)
        if slot is not None:
            return float(self._played_var[slot])
        row = self.row(arm) if row is None else row
        return max(float(self.prior[arm]) - float(row @ row), 0.0)

    def solve(self, values: Array, *, transposed: bool = False) -> Array:
        """L⁻¹ (or L⁻ᵀ) applied to values per coordinate, (k,) or (k, j)."""
        k = self.columns
        if not values.size:
            return values
        padded = np.zeros((len(self._factor), values[:1].size), order="F")
        padded[:k] = values.reshape(k, -1)
        solved, _ = dtrtrs(self._factor, padded, lower=1, trans=int(transposed), overwrite_b=1)
        found: Array = solved[:k].reshape(values.shape)
        return found

    def _cross(self, X: Array) -> Array:
        return self.kernel(X, self.points[self._arms[: self.columns]])

    # -- plays --------------------------------------------------------------------------------

    def observe(self, arm: int, times: int = 1) -> Step:
        """Account for ``times`` more plays of an arm.

        ``gain`` is that of the points in :attr:`played`. After ``refreshed`` all coordinates
        but the last have changed.
        """
        refreshed = self.columns > 2 * self.size + SPARE and not self.hold
        if refreshed:
            self.rebuild()
        row, var, k = self.row(arm), self.var_at(arm), self.columns
        noise = self.lam / times
        pivot = math.sqrt(noise + var)
        self._append(arm, row, noise, pivot)
        gain = self._extend_played(arm, row, var, noise, pivot)
        w = self._extend(self.blocks.anchors.ravel(), self._anchor_rows, arm, row, pivot)
        w = w.reshape(self.blocks.anchors.shape)
        self.anchor_var = np.maximum(self.anchor_var - w * w, 0.0)
        self._extend_followed(arm, row, pivot)
        close = self.blocks.nearest(self.points[arm])
        self.touch = (close + self.reach * np.linalg.norm(row)) / pivot
        self.reach = np.minimum(np.hypot(self.reach, self.touch), math.sqrt(self._largest))
        self.grip = math.sqrt(var) / pivot
        self.logdet += math.log1p(var / noise)
        self.counts[arm] += times
        self.t, self.version, self.columns = self.t + times, self.version + 1, k + 1
        self._asked = {}
        return Step(gain, refreshed)

    def reserve(self) -> None:
        """Make room for one more play, or raise an error and change nothing."""
        if self.columns == len(self._factor):
            self._make_room(self.columns + 1)

    def _append(self, arm: int, row: Array, noise: float, pivot: float) -> None:
        k = self.columns
        self.reserve()
        self._factor[k, :k], self._factor[k, k] = row, pivot
        self._noise[k], self._arms[k] = noise, arm

    def _make_room(self, k: int) -> None:
        """Room for k coordinates, by steps that depend on k alone."""
        room = max(64, -(-k // 128) * 128)
        if self._anchor_rows.shape[1] < room:
            more = self._anchor_rows.shape[1] + room
            _afford(self._fixed + 8 * len(self._anchor_rows) * more, len(self.points))
        used = min(len(self._factor), room)
        factor = np.zeros((room, room), order="F")
        factor[:used, :used] = self._factor[:used, :used]
        factor.flat[used * (room + 1) :: room + 1] = 1.0
        self._factor = factor
        self._noise = np.concatenate([self._noise[:used], np.zeros(room - used)])
        self._arms = np.concatenate([self._arms[:used], np.zeros(room - used, dtype=np.int64)])
        self._anchor_rows = self._widened(self._anchor_rows, len(self._anchor_rows))

    def _extend(self, arms: IntArray, rows: Array, arm: int, row: Array, pivot: float) -> Array:
        """The new coordinate of arms whose rows are up to date."""
        k = self.columns
        new = self.kernel(self.points[arms], self.points[arm : arm + 1])[:, 0]
        new -= rows[: len(arms), :k] @ row
        new /= pivot
        rows[: len(arms), k] = new
        return new

    def _extend_played(self, arm: int, row: Array, var: float, noise: float, pivot: float) -> Array:
        k = self.columns
        slot = self._slots.setdefault(arm, self.size)
        self._played_rows = grown(self._played_rows, (self.size, k + 1))
        self._played_rows[slot, :k] = row
        if len(self._played_var) < self.size:
            self._played_var = np.concatenate([self._played_var, np.zeros(self.size)])
        new = self._extend(self.played, self._played_rows, arm, row, pivot)
        new[slot] = self._played_rows[slot, k] = var / pivot
        left = np.maximum(self.played_var - new * new, 0.0)
        left[slot] = var * (noise / pivot) / pivot  # as a product, it keeps its digits
        self._played_var[: self.size] = left
        return new / pivot

    def rebuild(self) -> None:
        """One coordinate for each distinct point, with noise λ/n, instead of one for each play."""
        played = self.played
        u = len(played)
        noise = self.lam / self.counts[played]
        K = self.kernel(self.points[played], self.points[played])
        factor = _cholesky(K, noise)
        self._factor = np.zeros((0, 0), order="F")
        self._anchor_rows = np.zeros((len(self._anchor_rows), 0))
        self._make_room(u)
        self._factor[:u, :u], self._noise[:u], self._arms[:u] = factor, noise, played
        self.columns = u
        self._played_rows = np.asfortranarray(self.solve(K).T)
        inverse, _ = dtrtri(factor, lower=1)
        # σ² as ν − ν²(K + ν)⁻¹ has the right digits where the noise is the smaller one
        small = noise - noise**2 * (inverse**2).sum(axis=0)
        large = K.diagonal() - (self._played_rows**2).sum(axis=1)
        self._played_var = np.maximum(np.where(noise < K.diagonal(), small, large), 0.0)
        self._place_anchors()
        self._unfollow()
        self._asked = {}

    # -- bounds -------------------------------------------------------------------------------

    def refresh(self, places: IntArray) -> Array:
        """Make the bounds on σ tight at some points, given by their places; their rows.

        From now on these points are followed: their rows grow with every play, which costs a
        fraction of a solve.
        """
        W = self.rows_at(self.points[self.blocks.arms.ravel()[places]])
        known = np.einsum("ij,ij->i", W, W)
        self._tighten(places, known)
        new = ~self.follows[places]
        first, last = len(self.followed), len(self.followed) + int(new.sum())
        if last > 2 * FOLLOWED:
            return W
        self._followed_rows = self._widened(self._followed_rows, last)
        self._followed_rows[first:last, : self.columns] = W[new]
        self.follows[places[new]] = True
        self.followed = np.concatenate([self.followed, places[new]])
        self._followed_known = np.concatenate([self._followed_known, known[new]])
        return W

    def _widened(self, rows: Array, count: int) -> Array:
        """Rows with room for ``count`` of them, and for as many coordinates as L has."""
        room = len(self._factor)
        if len(rows) >= count and rows.shape[1] >= room:
            return rows
        wide = np.zeros((max(count, len(rows)), max(room, rows.shape[1])))
        wide[: len(rows), : rows.shape[1]] = rows
        return wide

    def keep_following(self, some: IntArray) -> None:
        """Follow none but some of the points that are followed."""
        self._followed_rows[: len(some), : self.columns] = self.followed_rows[some]
        self.follows[self.followed] = False
        self.followed, self._followed_known = self.followed[some], self._followed_known[some]
        self.follows[self.followed] = True

    @property
    def followed_rows(self) -> Array:
        """W at the points that are followed."""
        return self._followed_rows[: len(self.followed), : self.columns]

    def _extend_followed(self, arm: int, row: Array, pivot: float) -> None:
        if not len(self.followed):
            return
        self._followed_rows = self._widened(self._followed_rows, len(self.followed))
        arms = self.blocks.arms.ravel()[self.followed]
        w = self._extend(arms, self._followed_rows, arm, row, pivot)
        self._followed_known += w * w
        self._tighten(self.followed, self._followed_known)

    def _tighten(self, places: IntArray, known: Array) -> None:
        prior = self.blocks.prior.reshape(-1)[places]
        tight = np.sqrt(np.clip(prior - known * (1.0 - 2.02 * self.rel), 0.0, prior))
        upper = self.upper.reshape(-1)
        upper[places] = np.minimum(upper[places], tight)

    # -- all points ---------------------------------------------------------------------------

    @property
    def var(self) -> Array:
        """The posterior variances of all points, by a fresh solve."""
        version, var = self._all
        if version != self.version:
            var = np.empty(len(self.points))
            for part in self._parts():
                var[part] = self._var(self.points[part])
            var[self.played] = self.played_var
            self._all = (self.version, var)
        return var

    @property
    def std(self) -> Array:
        """The posterior standard deviations of all points, by a fresh solve."""
        return np.sqrt(self.var)

    def smooth(self, sums: Array) -> Array:
        """The posterior means for per-point payoff sums, (A,) or (A, j)."""
        return self.spread(self._whiten(sums))

    def at_played(self, sums: Array) -> Array:
        """The posterior means of the points in :attr:`played`, for per-point payoff sums."""
        means: Array = self.played_rows @ self._whiten(sums)
        return means

    def spread(self, beta: Array) -> Array:
        """W(x)·β at all points, for β of each coordinate, (k,) or (k, j)."""
        weights, played = self.dual(beta), self.points[self.played]
        parts = [self.kernel(self.points[part], played) @ weights for part in self._parts()]
        everywhere: Array = np.concatenate(parts)
        return everywhere

    def dual(self, beta: Array) -> Array:
        """The weights α of the played points with W(x)·β = k(x, played)·α."""
        weights = np.zeros((self.size, *beta.shape[1:]))
        slots = [self._slots[arm] for arm in self.arms.tolist()]
        np.add.at(weights, slots, self.solve(beta, transposed=True))
        return weights

    def predict(self, X: Array, sums: Array) -> tuple[Array, Array]:
        """Posterior mean(s) and std at any points, for per-point payoff sums."""
        W = self.rows_at(X)
        means: Array = W @ self._whiten(sums)
        return means, np.sqrt(self._var(X, W))

    def rows_at(self, X: Array) -> Array:
        """W at any points."""
        return self.solve(self._cross(X).T).T

    def _whiten(self, sums: Array) -> Array:
        # each of n plays may stand for their mean: the posterior is the same
        arms = self._arms[: self.columns]
        counts = self.counts[arms]
        return self.solve((sums[arms].T / counts).T)

    def _var(self, X: Array, W: Array | None = None) -> Array:
        W = self.rows_at(X) if W is None else W
        left: Array = np.maximum(self.kernel.diag(X) - np.einsum("ij,ij->i", W, W), 0.0)
        return left

    def _parts(self) -> list[slice]:
        step = 2048
        return [slice(start, start + step) for start in range(0, len(self.points), step)]

    def track(self, points: Array) -> None:
        """All arms are tracked from the first."""
        del points
        raise InvalidInput(
            "expected finite arms for a lazy posterior, got a box; use the exact one"
        )

    # -- copies and states --------------------------------------------------------------------

    def copy(self) -> LazyPosterior:
        """An independent posterior in the same state."""
        twin = LazyPosterior.__new__(LazyPosterior)
        twin.__dict__.update(self.__dict__)
        for name, value in self.__dict__.items():
            if isinstance(value, np.ndarray) and name not in ("points", "prior"):
                setattr(twin, name, value.copy(order="K"))
        twin._slots, twin._asked = dict(self._slots), {}
        return twin

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        k, played = self.columns, self.played
        return {
            "t": self.t,
            "logdet": self.logdet,
            "arms": self._arms[:k].copy(),
            "noise": self._noise[:k].copy(),
            "factor": self._factor[:k, :k].copy(),
            "played": played,
            "counts": self.counts[played],
            "rows": self.played_rows.copy(),
            "var": self.played_var.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`.

        Blocks will be brought up to date when they are needed.
        """
        self._clear()
        arms, played, counts = state["arms"], state["played"], state["counts"]
        k = len(arms)
        whole = len(np.unique(played)) == len(played) and counts.sum() == state["t"]
        if not whole or not np.array_equal(np.unique(arms), np.sort(played)):
            raise InvalidState("expected the played arms once each, with all plays, in a state")
        self.t, self.logdet = state["t"], state["logdet"]
        self.version = self.columns = k
        if not k:
            return
        self._make_room(k)
        self._arms[:k], self._noise[:k] = arms, state["noise"]
        self._factor[:k, :k] = state["factor"]
        self._verify_factor()
        self.counts[played] = counts
        self._slots = {arm: slot for slot, arm in enumerate(played.tolist())}
        self._played_rows = np.asfortranarray(state["rows"])
        self._played_var = state["var"]
        self._place_anchors()
        self.reach[:] = math.sqrt(self._largest)

    def _verify_factor(self) -> None:
        k = self.columns
        L, noise = self._factor[:k, :k], self._noise[:k]
        points = self.points[self.arms]
        gram = self.kernel(points, points) + np.diag(noise)
        unit = float(np.abs(gram).max())
        agree("the noise", np.minimum(noise, self.lam), noise, 0.0)  # λ/n for n plays
        agree("the factor", L @ L.T, gram, unit)
        agree("the factor", np.triu(L, 1), 0.0, unit)
        pivots = L.diagonal()
        agree("the pivots", np.maximum(pivots, 0.999 * np.sqrt(noise)), pivots, unit)

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from the plays."""
        if not self.columns:
            return
        k, played = self.columns, self.played
        cross = self.kernel(self.points[played], self.points[self.arms])
        product = self.played_rows @ self._factor[:k, :k].T
        agree("the rows", product, cross, self._largest)
        fresh = np.maximum(self.prior[played] - (self.played_rows**2).sum(axis=1), 0.0)
        agree("the variance", self.played_var, fresh, self._largest)
        pivots, noise = self._factor.diagonal()[:k], self._noise[:k]
        logdet = float((2.0 * np.log(pivots) - np.log(noise)).sum())
        agree("the log-determinant", self.logdet, logdet, max(logdet, 1.0))

    def _place_anchors(self) -> None:
        """The rows and variances of all anchors, by a solve."""
        anchors, k = self.blocks.anchors.ravel(), self.columns
        var = np.empty(len(anchors))
        for start in range(0, len(anchors), 4096):
            part = slice(start, start + 4096)
            W = self.rows_at(self.points[anchors[part]])
            self._anchor_rows[part, :k] = W
            var[part] = self.prior[anchors[part]] - np.einsum("ij,ij->i", W, W)
        self.anchor_var = np.maximum(var, 0.0).reshape(self.blocks.anchors.shape)


def _cholesky(K: Array, noise: Array) -> Array:
    """The lower Cholesky factor of K + diag(noise)."""
    for share in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        # K is positive semi-definite only up to rounding, which a tiny noise brings up
        B = K.copy(order="F")
        B.flat[:: len(B) + 1] += noise + share * np.trace(K)
        factor, failed = dpotrf(B, lower=1, clean=1, overwrite_a=1)
        if not failed:
            done: Array = factor
            return done
    raise InvalidInput("expected a positive semi-definite kernel, got one that is not")


def _afford(need: int, arms: int) -> None:
    """Refuse what would take more memory than allowed."""
    if need > BUDGET:
        raise InvalidInput(
            f"expected arms whose bounds fit into {BUDGET / 2**30:.3g} GiB, got {arms} arms, which "
            f"need {need / 2**30:.3g} GiB now; give fewer arms or a Box, or raise "
            "stoic.posterior.lazy.BUDGET"
        )
