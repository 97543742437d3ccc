"""GP-UCB, TGP-UCB, CA-TGP-UCB and MoM-GP-UCB on t×t kernel matrices, O(t³ + t²A) a round.

chowdhury2019 Algorithm 1; park2024 Algorithms 1 and 2.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from speed.paper.base import PaperPolicy
from stoic.checks import Array
from stoic.estimators import truncate

__all__ = ["PaperCATGPUCB", "PaperGPUCB", "PaperMoMGPUCB", "PaperTGPUCB"]


class _Exact(PaperPolicy):
    """μ = k_t(x)ᵀ(K_t + λI)⁻¹ŷ and σ² = k(x, x) − k_t(x)ᵀ(K_t + λI)⁻¹k_t(x), from the plays."""

    _factor: Array

    def tell(self, arm: int, payoffs: Array) -> None:
        payoffs = self._relative(payoffs)
        warming = self.learned is not None and self.learned.warming
        self.arms = np.append(self.arms, arm)
        self._factorise()
        self._append(arm, self._truncated(arm, payoffs), warming=warming)
        self._posterior()

    def _truncated(self, arm: int, payoffs: Array) -> Array:
        """ŷ of the newest round, whose arm is in the kernel matrix already."""
        raise NotImplementedError

    def _solve(self) -> None:
        self._factorise()
        self._posterior()

    def _factorise(self) -> None:
        K = self.k(self.arms, self.arms)
        K.flat[:: len(K) + 1] += self.lam
        self._factor = cholesky(K, lower=True, overwrite_a=True, check_finite=False)

    def _posterior(self) -> None:
        L = self._factor
        k = self.k(self.arms)  # (t, A)
        alpha = cho_solve((L, True), self.y - self.location, check_finite=False)
        means = k.T @ alpha  # (A, ℓ)
        self.mean = means[:, 0] if means.shape[1] == 1 else np.median(means, axis=1)
        W = solve_triangular(L, k, lower=True, overwrite_b=True, check_finite=False)
        self.var = np.maximum(self.prior - np.einsum("ij,ij->j", W, W), 0.0)
        self.logdet = float((2.0 * np.log(np.diag(L)) - np.log(self.lam)).sum())

    def _clipped(self, arm: int, payoffs: Array, plays: float) -> Array:
        """The practical schedule's ŷ, about the estimate before this round."""
        centre = self.location + float(self.mean[arm])
        share = float(self.var[arm]) / self.setting.prior_var
        return self._judge(arm, payoffs, centre, share, plays)


class PaperGPUCB(_Exact):
    """GP-UCB."""

    def _truncated(self, arm: int, payoffs: Array) -> Array:
        if self.learned is not None:
            self._clipped(arm, payoffs, 1.0)  # it learns the noise, and takes payoffs as they are
        return payoffs


class PaperTGPUCB(_Exact):
    """TGP-UCB: a payoff beyond b_t is taken as zero."""

    clips_first = True

    def _truncated(self, arm: int, payoffs: Array) -> Array:
        if self.learned is not None:
            return self._clipped(arm, payoffs, float((self.arms == arm).sum()))
        return np.array([truncate(float(payoffs[0]), self.schedule.truncation(self.t))])


class PaperCATGPUCB(_Exact):
    """CA-TGP-UCB: the threshold is a norm of the weights k_t(x_t)ᵀ(K_t + λI)⁻¹."""

    clips_first = True

    def _truncated(self, arm: int, payoffs: Array) -> Array:
        if self.learned is not None:
            return self._clipped(arm, payoffs, self._threshold(1.0) ** 2)
        return np.array([truncate(float(payoffs[0]), self._threshold(self.schedule.order))])

    def _threshold(self, order: float) -> float:
        """h(x_t)/|b_t| (Algorithm 1, lines 6–7)."""
        k = self.k(self.arms[-1:], self.arms)[0]
        weights = np.abs(cho_solve((self._factor, True), k, check_finite=False))
        h = float((weights ** (1.0 + order)).sum() ** (1.0 / (1.0 + order)))
        return h / float(weights[-1])


class PaperMoMGPUCB(_Exact):
    """MoM-GP-UCB: ℓ payoffs an episode, and the median of ℓ means."""

    clips_first = True

    def _truncated(self, arm: int, payoffs: Array) -> Array:
        if self.learned is None:
            return payoffs
        plays = float((self.arms == arm).sum()) * len(payoffs)
        return self._clipped(arm, payoffs, plays)
