"""The posterior on finite features: fixed ones, or Nyström with any dictionary."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.features import Features, FixedMap, GrowingMap, NystromMap, SpanningMap
from stoic.kernels import Kernel
from stoic.loops import correlate, play
from stoic.posterior.base import Step, Track, agree, inverse_of
from stoic.posterior.root import Root
from stoic.schema import Reals, Schema, Wholes

__all__ = ["FeaturePosterior"]

Map = NystromMap | GrowingMap | FixedMap | SpanningMap


class FeaturePosterior(Track):
    """Ridge smoothing on features ψ: V = λI + Σ n_a ψ_aψ_aᵀ, one rank-one step per play.

    The variance is k(x, x) − ψᵀψ + λψᵀV⁻¹ψ, i.e. with the residual that the features leave
    out (deterministic training conditional): it is zero for Fourier and linear features, whose
    φᵀφ = k(x, x), and keeps Nyström features from being over-confident away from their
    dictionary.

    One play of a is, with v = V⁻¹ψ_a, d = 1 + ψ_aᵀv and c = Ψv,

        gain = c/d,  V⁻¹ −= vvᵀ/d,  σ² −= λc²/d,  logdet += ln d,

    and V and its eigenvectors are kept as well if ``root``. When the same arm is played
    again, v and c are known: the play has only shrunk them. From time to time everything is
    computed again from the counts, and whenever :meth:`rebase` does more than add features.
    With features that span the kernel at the points, this is the exact posterior.

    Cost per play: one pass over A × r numbers, or O(A + r²) if the arm was the last one played.
    Memory: A × r.
    """

    schema: ClassVar[Schema] = {
        "counts": Wholes("A"),
        "own": Wholes(names="own"),
        "dictionary": Wholes("m", below="own", optional=True),
        "base": Wholes(low=-1, optional=True),
        "var": Reals("A", low=0.0),
        "inverse": Reals("r", "r"),
        "logdet": Reals(low=0.0),
        "next_refresh": Wholes(),
        "latest": Wholes(low=-1, below="A"),
        "direction": Reals("r", optional=True),
        "column": Reals("A", optional=True),
        "root": Root.schema,
    }
    inverse: Array  # V⁻¹
    root: Root | None  # V^{-½}, where it is asked for
    renewed = False  # whether it was restored with other features than those of the state

    def __init__(
        self, kernel: Kernel, points: Array, lam: float, map: Map, *, root: bool = False
    ) -> None:
        super().__init__(points, lam)
        self._rooted = root
        self.kernel = kernel
        self._prior = kernel.diag(points)
        self._next_refresh = 1024
        self.map: Map = map
        self._take_features(map.features(points))
        self.refresh()

    @property
    def size(self) -> int:
        """m, the number of features that the paper counts."""
        return self.features.dimension

    def rebase(self, map: Map) -> None:
        """Change the features; means must then come from :meth:`smooth`.

        Everything is computed again from the counts, except where the map has only grown by a
        few columns, which are then added.
        """
        grown = isinstance(map, GrowingMap) and map.grown_from(self.map) and not self._rooted
        rank, self.map = self.features.rank if grown else 0, map
        self._take_features(map.features(self.points))
        if grown:
            for r in range(rank, self.features.rank):
                self._border(self.features.psi[:, :r], self.features.psi[:, r])
        else:
            self.refresh()

    def _border(self, psi: Array, column: Array) -> None:
        """Account for one more feature, with all plays so far.

        V gets a border b = Σ n ψψ_z and a corner c = λ + Σ n ψ_z². With s = c − bᵀV⁻¹b and
        e = ψ_z − ΨV⁻¹b, the variance grows by λe²/s and loses ψ_z², or what is left of the
        residual; logdet grows by ln(s/λ).
        """
        weighted = self.counts * column
        b = psi.T @ weighted
        v = self.inverse @ b
        s = self.lam + float(column @ weighted) - float(b @ v)
        e = column - psi @ v
        residual = self._residual(psi, self._prior)
        self.var += self.lam * e * e / s - np.minimum(residual, column * column)
        np.maximum(self.var, 0.0, out=self.var)
        corner = np.append(v, -1.0)
        inverse = np.zeros((len(corner), len(corner)))
        inverse[:-1, :-1] = self.inverse
        self.inverse = inverse + np.outer(corner, corner) / s
        self.logdet += math.log(s / self.lam)
        self._largest = None
        self._forget_play()

    def _take_features(self, features: Features) -> None:
        psi, basis = np.ascontiguousarray(features.psi), np.asfortranarray(features.basis)
        self.features = replace(features, psi=psi, basis=basis)
        self._own = len(features.psi)  # points that the features were made for

    def _forget_play(self) -> None:
        """Do not reuse v and c of the last play: the features or V have changed."""
        self._latest = -1  # the arm last played
        anchors, weights, order = self.features.parts
        self.parts = (anchors, weights, order)  # Numba unboxes it faster than a named tuple
        self._column, self._direction = (np.empty(n) for n in self.features.psi.shape)

    def refresh(self) -> None:
        """Compute V, V⁻¹, σ² and logdet again, from the counts."""
        psi = self.features.psi
        V = self._regularised()
        self.root = Root(V.copy()) if self._rooted else None
        factor: Array = np.linalg.cholesky(V).astype(float, copy=False)
        self.inverse = inverse_of(factor)
        self.var, self._largest = self._variance(psi, self._prior), None
        self.logdet = float((2.0 * np.log(np.diag(factor)) - math.log(self.lam)).sum())
        self._forget_play()
        self._next_refresh = self.t + max(1024, 20 * len(V))

    @property
    def V(self) -> Array:  # noqa: N802, as in the papers
        """λI + Σ n_a ψ_aψ_aᵀ: kept up to date, or formed when asked for."""
        return self._regularised() if self.root is None else self.root.V

    def _regularised(self) -> Array:
        played = np.flatnonzero(self.counts)
        rows = self.features.psi[played]
        V: Array = (rows.T * self.counts[played]) @ rows
        V.flat[:: len(V) + 1] += self.lam
        return np.ascontiguousarray(V)

    def _variance(self, psi: Array, prior: Array) -> Array:
        explained = self.lam * np.einsum("ij,ij->i", psi @ self.inverse, psi)
        var: Array = self._residual(psi, prior) + np.maximum(explained, 0.0)
        return var

    @staticmethod
    def _residual(psi: Array, prior: Array) -> Array:
        """The prior variance that the features leave out."""
        residual: Array = np.maximum(prior - np.einsum("ij,ij->i", psi, psi), 0.0)
        return residual

    def leverage(self, arms: IntArray) -> Array:
        """‖V^{-½}ψ‖ of tracked points: how much one play can weigh in any direction."""
        rows = self.features.psi[arms]
        squared: Array = np.einsum("ij,ij->i", rows @ self.inverse, rows)
        return np.sqrt(np.maximum(squared, 0.0))

    def solve(self, b: Array) -> Array:
        """V⁻¹b."""
        solution: Array = self.inverse @ b
        return solution

    def observe(self, arm: int, times: int = 1) -> Step:
        """Account for ``times`` more plays of a tracked point; ``gain`` is for their mean."""
        psi, inverse, direction = self.features.psi, self.inverse, self._direction
        if arm == self._latest:
            gain = self._column.copy()
        else:
            gain = np.empty(len(self.var))
            correlate(psi, self.parts, inverse, arm, direction, gain)
        noise = 1.0 / times
        explained, self._largest = play(
            psi[arm], inverse, self.var, noise, self.lam, direction, gain
        )
        self._latest, self._column = arm, gain if times == 1 else noise * gain
        if self.root is not None:
            self.root.add(psi[arm], times)
        self.logdet += math.log1p(times * explained)
        self.counts[arm] += times
        self.t = t = self.t + times
        refreshed = t >= self._next_refresh
        if refreshed:
            self.refresh()
        return Step(gain, refreshed)

    def track(self, points: Array) -> None:
        """Follow further points from now on."""
        psi = self.map(points)
        prior = self.kernel.diag(points)
        self.points = np.vstack([self.points, points])
        self.counts = np.concatenate([self.counts, np.zeros(len(points), dtype=np.int64)])
        self._prior = np.concatenate([self._prior, prior])
        self.features = Features(np.vstack([self.features.psi, psi]), self.features.basis)
        self.var = np.concatenate([self.var, self._variance(psi, prior)])
        self._largest = None
        self._forget_play()

    def smooth(self, sums: Array) -> Array:
        """The posterior means for per-point payoff sums, (A,) or (A, j)."""
        psi = self.features.psi
        means: Array = psi @ (self.inverse @ (psi.T @ sums))
        return means

    def predict(self, X: Array, sums: Array) -> tuple[Array, Array]:
        """Posterior mean(s) and std at any points, for per-point payoff sums."""
        psi = self.map(X)
        mean: Array = psi @ (self.inverse @ (self.features.psi.T @ sums))
        return mean, np.sqrt(self._variance(psi, self.kernel.diag(X)))

    @property
    def _dictionary(self) -> IntArray | None:
        return self.map.dictionary if isinstance(self.map, NystromMap | GrowingMap) else None

    @property
    def _base(self) -> int | None:
        return self.map.base if isinstance(self.map, NystromMap | GrowingMap) else None

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to continue bit by bit."""
        state = super().state()
        if self._latest < 0:  # the next play computes them
            del state["direction"], state["column"]
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`.

        Where the features come out differently (an earlier release left directions out, another
        BLAS rounds another way), all is computed again from the counts, and ``renewed`` is set.
        """
        if self._rooted != ("root" in state):
            raise InvalidState("expected a root in the state if and only if the policy has one")
        same, r = self._restore_features(state), self.features.rank
        self._forget_play()
        if same and state["inverse"].shape == (r, r):
            super().restore(state)
            return
        self.counts, self.t = state["counts"], int(state["counts"].sum())
        self.refresh()
        self.renewed = True

    def _restored(self, state: dict[str, Any]) -> None:
        super()._restored(state)
        if self._latest >= 0 and not {"direction", "column"} <= state.keys():
            raise InvalidState("expected direction and column of the last play in the state")

    def _restore_features(self, state: dict[str, Any]) -> bool:
        """Make the features of a state; whether their dictionary is in the state's order."""
        own, map, same = state["own"], self.map, True
        if own > len(self.points) or (self._own == len(self.points) != own):
            raise InvalidState(f"expected features of {len(self.points)} points, got {own}")
        if isinstance(map, NystromMap | GrowingMap):
            dictionary, base = state["dictionary"], state.get("base")
            if len(np.unique(dictionary)) < len(dictionary) or (base or 0) > len(dictionary):
                raise InvalidState("expected a dictionary of distinct points in a state")
            self.map = map.restored(self.points[:own], dictionary, base)
            same = np.array_equal(self.map.dictionary, dictionary)
        self._take_features(self.map.features(self.points[:own]))
        # as they were tracked, one by one: BLAS may round differently for several at once
        rows = [self.map(self.points[i : i + 1]) for i in range(own, len(self.points))]
        if rows:
            psi = np.vstack([self.features.psi, *rows])
            self.features = Features(psi, self.features.basis)
        return same

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from the plays."""
        fresh = self.copy()
        fresh.refresh()
        agree("the variance", self.var, fresh.var, float(self._prior.max(initial=0.0)))
        agree("the log-determinant", self.logdet, fresh.logdet, max(fresh.logdet, 1.0))
        agree("the inverse", self.inverse, fresh.inverse, 1.0 / self.lam)
        if self._latest >= 0:
            row = self.inverse @ self.features.psi[self._latest]
            agree("the last direction", self._direction, row, 1.0 / self.lam)
            column = self.features.psi @ row
            agree("the last column", self._column, column, float(self._prior.max()) / self.lam)
        if self.root is not None:
            self.root.verify(fresh.V, self.lam)
