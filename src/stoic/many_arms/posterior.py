"""The exact posterior on very many arms, computed in full only where it is needed."""

from __future__ import annotations

import copy
import math
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput, InvalidState
from stoic.kernels import Kernel
from stoic.many_arms import settings as defaults
from stoic.many_arms.blocks import Blocks
from stoic.many_arms.factor import Coordinate, cholesky
from stoic.many_arms.figures import Figures
from stoic.many_arms.rows import AnchorRows
from stoic.many_arms.settings import Settings
from stoic.many_arms.std_bounds import StdBounds
from stoic.posterior.base import Step, agree
from stoic.schema import Reals, Schema, Wholes

__all__ = ["ManyArmsPosterior"]


class ManyArmsPosterior(Figures):
    """Exact kernel ridge smoothing that does not touch most arms in most rounds.

    Each play τ of an arm a with noise ν (λ, or λ/n for n plays at once) adds one coordinate to
    every point,

        w_τ(x) = (k(x, a) − W(x)·W(a)) / l_τ,  l_τ² = ν + k(a, a) − ‖W(a)‖²,

    the rows W of the played points being those of the Cholesky factor L of K + ν
    (:class:`Factor`), and σ²(x) = k(x, x) − ‖W(x)‖². With every play coordinates are computed
    for the points played, for the anchors of all blocks (:class:`Blocks`) and for the points
    that a search follows (:class:`StdBounds`); for any other point by a solve, on request.

    Where few points are played again and again, L is replaced by that of the distinct points
    with noise λ/n.

    Cost per play: a pass over (A·p/n) × (coordinates). Memory: A·(p + 13) + (A·p/n) ×
    (coordinates) numbers, for blocks of n points with p anchors.

    Parameters
    ----------
    kernel, points, lam
        k, the (A, d) points and λ.
    settings
        Sizes of blocks and limits; ``stoic.many_arms.settings.DEFAULT`` where not given.
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

    last: Coordinate  # of the last play, from the first one on

    def __init__(
        self, kernel: Kernel, points: Array, lam: float, settings: Settings | None = None
    ) -> None:
        self._settings = settings = settings or defaults.DEFAULT
        self._fixed_bytes = 8 * (len(points) + settings.block_size) * (settings.anchors + 13)
        settings.check_memory(self._fixed_bytes, len(points))
        self.blocks = Blocks(kernel, points, settings.block_size, settings.anchors)
        self._may_refresh = True
        super().__init__(kernel, points, lam)

    def _clear(self) -> None:
        """Return to the state before the first play."""
        super()._clear()
        self.t = self.updates = 0  # plays, calls of observe
        self.logdet = 0.0
        self.anchors = AnchorRows(self.factor, self.blocks)
        self.std_bounds = StdBounds(self.blocks, self.factor, self._settings.followed)

    # -- plays --------------------------------------------------------------------------------

    def observe(self, arm: int, times: int = 1) -> Step:
        """Account for ``times`` more plays of an arm.

        The gain is that of the arms played. After ``refreshed`` all coordinates but the last
        have changed.
        """
        spare = self._settings.spare_coordinates
        refreshed = len(self.factor) > 2 * self.size + spare and self._may_refresh
        if refreshed:
            self.refresh()
        var, noise = self.var_at(arm), self.lam / times
        new = Coordinate(arm, self.row(arm), noise, var, math.sqrt(noise + var))
        self.reserve()
        self.factor.append(new)
        gain = self.played.extend(new)
        self.anchors.extend(new)
        self.std_bounds.extend(new)
        self.logdet += math.log1p(var / noise)
        self.counts[arm] += times
        self.t, self.updates = self.t + times, self.updates + 1
        self.last = new
        self._forget()
        return Step(gain, refreshed, self.played.arms)

    def reserve(self) -> None:
        """Make room for one more play, or raise an error and change nothing."""
        if len(self.factor) == self.factor.capacity:
            size = len(self.factor) + 1
            self._check_memory(size)
            self.factor.grow(size)
            self.anchors.grow()

    def _check_memory(self, size: int) -> None:
        """Refuse more coordinates than there is memory for."""
        room = self.factor.room(size)
        if self.anchors.capacity < room:
            columns = self.anchors.capacity + room  # old and new ones, while they are copied
            need = self._fixed_bytes + 8 * len(self.anchors) * columns
            self._settings.check_memory(need, len(self.points))

    def refresh(self) -> None:
        """Take one coordinate for each distinct point, with noise λ/n, and solve again.

        Coordinates of a mean about this posterior are invalid afterwards; where :meth:`observe`
        refreshes, its step has ``refreshed`` set.
        """
        played = self.played.arms
        noise = self.lam / self.counts[played]
        K = self.kernel(self.points[played], self.points[played])
        L = cholesky(K, noise)
        self.anchors.clear()  # before anything is allocated
        self.factor.replace(played, noise, L)
        self.played.solve(K)
        self.anchors.solve()
        self.std_bounds.unfollow()
        self._forget()

    def track(self, points: Array) -> None:
        """Refuse further points: all arms are tracked from the start."""
        del points
        raise InvalidInput("expected finite arms, got a box; use the exact posterior")

    # -- copies and states --------------------------------------------------------------------

    def copy(self, *, may_refresh: bool = True) -> ManyArmsPosterior:
        """An independent posterior in the same state.

        One that may not refresh keeps one coordinate for each play, so that plays without a
        payoff can be added.
        """
        fixed = (self.kernel, self.points, self.prior, self.blocks)
        twin = copy.deepcopy(self, {id(part): part for part in fixed})
        twin._may_refresh = may_refresh
        return twin

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to continue bit by bit."""
        played = self.played.arms
        return {
            "t": self.t,
            "logdet": self.logdet,
            "arms": self.factor.arms.copy(),
            "noise": self.factor.noise.copy(),
            "factor": self.factor.matrix.copy(),
            "played": played,
            "counts": self.counts[played],
            "rows": self.played.rows.copy(),
            "var": self.played.var.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`; bounds will be tightened when needed."""
        self._clear()
        arms, played, counts = state["arms"], state["played"], state["counts"]
        complete = len(np.unique(played)) == len(played) and counts.sum() == state["t"]
        if not complete or not np.array_equal(np.unique(arms), np.sort(played)):
            raise InvalidState("expected the played arms once each, with all plays, in a state")
        self.t, self.logdet = state["t"], state["logdet"]
        self.updates = len(arms)
        if not self.updates:
            return
        self._check_memory(len(arms))
        self.factor.replace(arms, state["noise"], state["factor"])
        self.factor.verify()
        self.counts[played] = counts
        self.played.replace(played, state["rows"], state["var"])
        self.anchors.solve()
        self.std_bounds.forget_norms()

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from the plays."""
        if not len(self.factor):
            return
        played, rows = self.played.arms, self.played.rows
        cross = self.kernel(self.points[played], self.points[self.factor.arms])
        agree("the rows", rows @ self.factor.matrix.T, cross, self.max_prior)
        fresh = np.maximum(self.prior[played] - (rows**2).sum(axis=1), 0.0)
        agree("the variance", self.played.var, fresh, self.max_prior)
        logdet = self.factor.logdet
        agree("the log-determinant", self.logdet, logdet, max(logdet, 1.0))
