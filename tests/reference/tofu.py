"""TOFU: truncation under OFU, for linear bandits with heavy-tailed payoffs.

Shao, Yu, King, Lyu, "Almost optimal algorithms for linear stochastic bandits with heavy-tailed
payoffs", NeurIPS 2018, Algorithm 2 and Theorem 3. Its notation: b bounds the raw moment of
order 1 + epsilon, S one of the parameter's norm, and the index of an arm is the largest inner
product with a point of the confidence ellipsoid, x^T theta + beta ||x||_{V^-1}.
"""

import numpy as np

from .base import Array


class TOFU:
    """Every estimate from the whole history; `X` (A, d) are the arms."""

    def __init__(
        self, X: Array, *, lam: float, T: int, S: float, b: float, epsilon: float, delta: float
    ) -> None:
        self.X, self.lam, self.T, self.S = X, lam, T, S
        self.b, self.epsilon, self.delta = b, epsilon, delta
        self.plays: list[Array] = []
        self.payoffs: list[float] = []

    def tell(self, arm: int, payoff: float) -> None:
        self.plays.append(self.X[arm])
        self.payoffs.append(payoff)

    @property
    def V(self) -> Array:
        V = self.lam * np.eye(self.X.shape[1])
        for x in self.plays:
            V = V + np.outer(x, x)
        return V

    @property
    def theta(self) -> Array:
        d, t, order = self.X.shape[1], len(self.plays), 1.0 + self.epsilon
        if t == 0:
            return np.zeros(d)
        level = (self.b / np.log(2.0 * d * self.T / self.delta)) ** (1.0 / order)
        level *= t ** ((1.0 - self.epsilon) / (2.0 * order))
        values, vectors = np.linalg.eigh(self.V)
        root = vectors @ np.diag(values**-0.5) @ vectors.T  # V^{-1/2}
        u = root @ np.array(self.plays).T  # rows u_1, ..., u_d
        r = np.zeros(d)
        for i in range(d):
            for s in range(t):
                if abs(u[i, s] * self.payoffs[s]) <= level:
                    r[i] += u[i, s] * self.payoffs[s]
        return np.asarray(root @ r, dtype=np.float64)

    @property
    def beta(self) -> float:
        d, t, order = self.X.shape[1], len(self.plays), 1.0 + self.epsilon
        noise = 4.0 * np.sqrt(d) * self.b ** (1.0 / order)
        noise *= np.log(2.0 * d * self.T / self.delta) ** (self.epsilon / order)
        growth = t ** ((1.0 - self.epsilon) / (2.0 * order)) if t else 0.0
        return float(noise * growth + np.sqrt(self.lam) * self.S)

    @property
    def index(self) -> Array:
        V = self.V
        norms = [np.sqrt(x @ np.linalg.solve(V, x)) for x in self.X]
        return np.asarray(self.X @ self.theta + self.beta * np.array(norms), dtype=np.float64)
