"""BKB: budgeted kernel bandits.

Calandriello, Carratino, Lazaric, Valko, Rosasco, "Gaussian process optimization with adaptive
sketching: scalable and no regret", COLT 2019, Algorithm 1, Eq. (4), Theorems 1 and 2.

Departures from print: sigma is kept without the 1/lam of Eq. (4), so probabilities and the sum in
the width divide the variance by lam, and the width is divided by sqrt(lam); log(1/delta) stands
under the root; ln(kappa^2 t) is floored at 0; before the first payoff the width is its norm term
and the index decides the first arm (print: uniformly at random, always in the dictionary).
Eigenvalues of K_S not larger than max(m, 16) roundings of the largest count as zero in the
pseudo-inverse.
"""

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np

from .base import Array, Common, Mask, Reference

Include = Callable[[Array], Mask]


def nystrom(K: Array, dictionary: Sequence[int]) -> Array:
    """The embedding z(x) = (K_S^{1/2})^+ k_S(x) of every arm (section 3.1): (A, m)."""
    S = np.array(dictionary, dtype=np.intp)
    if len(S) == 0:
        return np.zeros((len(K), 0))
    eigenvalues, U = np.linalg.eigh(K[np.ix_(S, S)])
    kept = eigenvalues > max(len(S), 16) * np.finfo(float).eps * np.max(eigenvalues)
    roots = np.sqrt(eigenvalues[kept])
    # symmetric root, pseudo-inverse; from the left, since its entries are large
    return np.asarray((K[:, S] @ U[:, kept] / roots) @ U[:, kept].T, dtype=np.float64)


class BKB(Reference):
    """BKB. Own parameters: `include`, which decides the draws, `eps`, `q` (None: by schedule)."""

    def __init__(
        self,
        K: Array,
        *,
        include: Include,
        eps: float = 0.5,
        q: float | None = None,
        **common: Unpack[Common],
    ) -> None:
        super().__init__(K, **common)
        self.include = include
        self.eps = eps
        self.alpha = (1.0 + eps) / (1.0 - eps)  # Thm 1
        # Thm 1: q >= 6 alpha log(4T/delta)/eps^2; released code: q = 1
        theory = 6.0 * self.alpha * np.log(4.0 * self.horizon / self.constants.delta) / eps**2
        self.q = float(q if q is not None else 1.0 if self.schedule == "paper" else theory)
        self.dictionary: list[int] = []  # S_t: distinct arms, ascending

    def tell(self, arm: int, payoff: float) -> None:
        variance = self._variance(self.plays)  # sigma~_t^2, before the newest payoff's update
        super().tell(arm, payoff)
        self._resample(variance)

    def _resample(self, variance: Array) -> None:
        # Alg. 1, inner loop: p_{t+1,i} = q sigma~_t^2(x_i), q_{t+1,i} ~ Bernoulli(p_{t+1,i})
        plays = np.array(self.plays, dtype=np.intp)
        p = np.minimum(self.q * variance[plays] / self.lam, 1.0)
        included = np.asarray(self.include(p), dtype=np.bool_)
        self.dictionary = sorted(set(plays[included].tolist()))

    def _variance(self, plays: Sequence[int]) -> Array:
        """Eq. (4)'s variance times lam, for every arm, (A,)."""
        z = nystrom(self.K, self.dictionary)
        Z = z[np.array(plays, dtype=np.intp), :]
        V = Z.T @ Z + self.lam * np.eye(z.shape[1])  # section 3.1
        # Eq. (4): k(x,x) - z(x)^T Z^T Z V^-1 z(x)
        explained = np.sum(z.T * (Z.T @ Z @ np.linalg.solve(V, z.T)), axis=0)
        return np.asarray(np.maximum(np.diag(self.K) - explained, 0.0), dtype=np.float64)

    def _mean(self, plays: Sequence[int], payoffs: Sequence[float]) -> Array:
        """mu~_t(x) of Eq. (4), (A,)."""
        z = nystrom(self.K, self.dictionary)
        Z = z[np.array(plays, dtype=np.intp), :]
        V = Z.T @ Z + self.lam * np.eye(z.shape[1])
        # Eq. (4): z(x)^T V^-1 Z^T y
        y = np.array(payoffs, dtype=np.float64)
        return np.asarray(z @ np.linalg.solve(V, Z.T @ y), dtype=np.float64)

    def _width(self, plays: Sequence[int]) -> float:
        """beta~_t / sqrt(lam)."""
        F, xi, delta = self.constants.norm_bound, self.constants.noise_std, self.constants.delta
        t, root_lam = len(plays), np.sqrt(self.lam)
        paper = self.schedule == "paper"
        # Thm 2: (1 + 1/sqrt(1-eps)) sqrt(lam) F; released code: sqrt(lam) F
        norm = root_lam * F * (1.0 if paper else 1.0 + 1.0 / np.sqrt(1.0 - self.eps))
        if t == 0:
            return float(norm / root_lam)
        # Thm 2: sum_s sigma~_t^2(x_s)
        total = np.sum(self._variance(plays)[np.array(plays, dtype=np.intp)]) / self.lam
        if paper:  # released code: sqrt(xi^2 (ln t sum + ln(1/delta)))
            noise = np.sqrt(xi**2 * (np.log(t) * total + np.log(1.0 / delta)))
        else:  # Thm 2: 2 xi sqrt(alpha ln(kappa^2 t) sum + ln(1/delta))
            kappa2 = np.max(np.diag(self.K))
            growth = max(float(np.log(kappa2 * t)), 0.0)
            noise = 2.0 * xi * np.sqrt(self.alpha * growth * total + np.log(1.0 / delta))
        return float((noise + norm) / root_lam)

    @property
    def mean(self) -> Array:
        return self._mean(self.plays, self.payoffs)

    @property
    def std(self) -> Array:
        return np.sqrt(self._variance(self.plays))

    @property
    def width(self) -> float:
        return self._width(self.plays)
