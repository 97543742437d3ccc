"""BKB at the cost of calandriello2019 §3.2, O(Am² + tm² + m³) a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from speed.paper.base import PaperPolicy
from stoic.checks import Array, IntArray
from stoic.features import draw_dictionary
from stoic.features.nystrom import negligible
from stoic.randomness import generator

__all__ = ["PaperBKB", "PaperSketch"]


class PaperSketch(PaperPolicy):
    """Nyström features of a dictionary that is drawn afresh each round from all plays.

    All arms are embedded, and V = λI + ΦᵀNΦ is built from the plays of all distinct arms, every
    round, as §3.2 counts it. Plays of one arm share a draw. To compare choices, the dictionaries
    may be ``given``, one for each round, in place of own draws.
    """

    given: Sequence[IntArray] | None = None

    def __init__(self, twin: Any, table: Array | None = None) -> None:
        super().__init__(twin, table)
        self._q = twin.q
        self.phi: Array = np.zeros((len(self.X), 0))  # (A, m)
        self.V: Array = np.zeros((0, 0))

    @property
    def features(self) -> int:
        """m, the number of features."""
        return int(self.phi.shape[1])

    def _embed(self, dictionary: IntArray) -> None:
        """φ(x) = (K_D^½)⁺k_D(x) at all arms, with the symmetric root."""
        values, vectors = np.linalg.eigh(self.k(dictionary, dictionary))
        kept = values > negligible(len(values), float(values.max(initial=0.0)))
        root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
        self.phi = self.k(dictionary).T @ root

    def _draw(self, var: Array) -> IntArray:
        if self.given is not None:
            return self.given[self.t - 1]
        q = self.schedule.inclusion() if self._q is None else self._q
        chance = q * var / (self.lam if self.schedule.per_ridge else 1.0)
        rng = generator(self.seed, self.t)
        return draw_dictionary(chance, self.counts(), rng, per_play=self.schedule.per_play)

    def _rebuild(self) -> None:
        """V from all plays, and the variance of all arms with the residual of the features."""
        counts = self.counts()
        played = np.flatnonzero(counts)
        Phi = self.phi[played]  # (min(t, A), m)
        self.V = (Phi.T * counts[played]) @ Phi
        self.V.flat[:: len(self.V) + 1] += self.lam
        self._factor: Array = cholesky(self.V, lower=True, check_finite=False)
        W = solve_triangular(self._factor, self.phi.T, lower=True, check_finite=False)
        residual = self.prior - np.einsum("ij,ij->i", self.phi, self.phi)
        explained = self.lam * np.einsum("ij,ij->j", W, W)
        self.var = np.maximum(residual, 0.0) + explained
        self.logdet = float((2.0 * np.log(np.diag(self._factor)) - np.log(self.lam)).sum())

    def _solve(self) -> None:
        for dictionary in (np.unique(self.arms), None):  # the exact variance draws the second
            self._embed(self._draw(self.var) if dictionary is None else dictionary)
            self._rebuild()


class PaperBKB(PaperSketch):
    """BKB (Algorithm 1)."""

    def tell(self, arm: int, payoffs: Array) -> None:
        payoffs = self._relative(payoffs)
        warming = self.learned is not None and self.learned.warming
        centre, var = self.location + float(self.mean[arm]), self.var
        self.arms = np.append(self.arms, arm)
        self._embed(self._draw(var))
        self._rebuild()
        if self.learned is not None:
            share = float(self.var[arm]) / self.setting.prior_var
            self._judge(arm, payoffs, centre, share, 1.0)
        self._append(arm, payoffs, warming=warming)
        Phi = self.phi[self.arms]
        moment = Phi.T @ (self.y[:, 0] - self.location)
        self.mean = self.phi @ cho_solve((self._factor, True), moment, check_finite=False)
