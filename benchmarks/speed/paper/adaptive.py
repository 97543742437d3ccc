"""ATA-GP-UCB (chowdhury2019, Algorithm 2): all payoffs tested in every direction, every round.

O((A + t)m² + m³) a round, with a root of V, and m directions of all t plays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from speed.paper.sketched import PaperSketch
from stoic.checks import Array, IntArray
from stoic.estimators import AdaptiveClipping

__all__ = ["PaperATA"]

RECENT_PAYOFFS = 256  # payoffs that the practical schedule tests again each round


class PaperATA(PaperSketch):
    """ATA-GP-UCB on quadrature Fourier or Nyström features, with all m coordinates."""

    clips_first = True

    def __init__(self, twin: Any, table: Array | None = None) -> None:
        self.quadrature = twin.features == "qff"
        super().__init__(twin, table)
        if self.quadrature:
            self.phi = twin.posterior.map.full(self.X)
        self.settled = 0  # oldest payoffs whose clipping is final, practical schedule only

    def _embed(self, dictionary: IntArray) -> None:
        if not self.quadrature:
            super()._embed(dictionary)

    def _draw(self, var: Array) -> IntArray:
        return self.arms if self.quadrature else super()._draw(var)

    def tell(self, arm: int, payoffs: Array) -> None:
        payoffs = self._relative(payoffs)
        warming = self.learned is not None and self.learned.warming
        centre, var = self.location + self.mean, self.var
        if self.learned is not None:
            share = float(var[arm]) / self.setting.prior_var
            plays = float((self.arms == arm).sum() + 1)
            self._judge(arm, payoffs, float(centre[arm]), share, plays)
        self.arms = np.append(self.arms, arm)
        self._embed(self._draw(var))
        self._rebuild()
        self._append(arm, payoffs, warming=warming)
        self._truncate(centre, warming=warming)

    def _truncate(self, centre: Array, *, warming: bool) -> None:
        """From the symmetric root of V on."""
        values, vectors = np.linalg.eigh(self.V)
        root = (vectors / np.sqrt(values)) @ vectors.T
        Phi = self.phi[self.arms]
        U = root @ Phi.T  # (m, t)
        if self.learned is None:
            b = self.schedule.truncation(self.t, self.features)
            weighted = U * self.y[:, 0]
            theta = root @ np.where(np.abs(weighted) <= b, weighted, 0.0).sum(axis=1)
        elif warming:
            theta = root @ (U @ (self.y[:, 0] - self.location))
        else:
            theta = root @ self._about(U, centre[self.arms], Phi, root)
        self.mean = self.phi @ theta

    def _about(self, U: Array, centre: Array, Phi: Array, root: Array) -> Array:
        """The practical truncation: y − centre is clipped, older payoffs once and for all."""
        assert isinstance(self.learned, AdaptiveClipping)
        _, residual, function, factor, growth = self.learned.ruler(centre, self._amplitude())
        spread = np.hypot(residual, np.sqrt(self.var[self.arms]) * function)
        limit = factor * spread * self.counts()[self.arms] ** growth
        y = self.y[:, 0]
        old = slice(self.settled, max(self.t - RECENT_PAYOFFS, self.settled))
        y[old] = centre[old] + np.clip(y[old] - centre[old], -limit[old], limit[old])
        self.settled = old.stop
        weighted = U * (y - centre)
        level = (limit * np.abs(U).max(axis=0))[self.settled :]
        weighted[:, self.settled :] = np.clip(weighted[:, self.settled :], -level, level)
        explained = Phi.T @ (centre - self.location)
        total: Array = weighted.sum(axis=1) + root @ explained
        return total

    def load(self, arms: IntArray, payoffs: Array) -> None:
        super().load(arms, payoffs)
        self.settled = max(len(arms) - RECENT_PAYOFFS, 0)
