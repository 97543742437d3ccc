"""ATA-GP-UCB: adaptively truncated approximate GP-UCB, with Fourier or Nystrom features.

Chowdhury and Gopalan, "Bayesian optimization under heavy-tailed payoffs", NeurIPS 2019,
Algorithm 2, Eq. (1), Lemma 1, Theorems 3 and 4; Algorithm 3 of the full version.

Departures from print: t^((1-alpha)/(2(1+alpha))) in b_t for both features (the short version's
Lemma 1 misprints the exponent); m counts all features, 2 nodes^d; the paper schedule is that of
the released code. With an empty dictionary the mean is 0, the variance k(x,x) and the width its
norm term. Pseudo-inverse as in BKB.
"""

from itertools import product
from typing import Literal, Unpack

import numpy as np

from .base import Array, Common, Reference
from .bkb import Include, nystrom


def quadrature_features(X: Array, lengthscale: float, nodes: int) -> Array:
    """Quadrature Fourier features of the SE kernel on [0,1]^d, Eq. (1): (A, 2 nodes^d)."""
    d = X.shape[1]
    roots, weights = np.polynomial.hermite.hermgauss(nodes)
    omega = np.array(list(product(roots, repeat=d)))  # A_m x ... x A_m
    nu = np.array([np.prod(w) for w in product(weights / np.sqrt(np.pi), repeat=d)])
    phase = np.sqrt(2.0) / lengthscale * (X @ omega.T)
    return np.hstack([np.sqrt(nu) * np.cos(phase), np.sqrt(nu) * np.sin(phase)])


def random_features(X: Array, omega: Array) -> Array:
    """Random Fourier features, Remark 3: (A, 2m) for the frequencies `omega` (m, d)."""
    m = len(omega)
    rows = [[np.cos(w @ x) for w in omega] + [np.sin(w @ x) for w in omega] for x in X]
    return np.asarray(np.array(rows) / np.sqrt(m), dtype=np.float64)


class ATAGPUCB(Reference):
    """ATA-GP-UCB.

    Own parameters: `features`; for "qff" `X` (A, d) in [0,1]^d, `lengthscale`, `nodes`; for "rff"
    `X` and `omega` (m, d), the frequencies; for "linear" `X` (Remark 7: phi(x) = x); for
    "nystrom" `include`, which decides the Bernoulli draws, `eps`, `q` (None: by schedule).
    """

    def __init__(
        self,
        K: Array,
        *,
        features: Literal["qff", "rff", "linear", "nystrom"],
        X: Array | None = None,
        lengthscale: float | None = None,
        nodes: int | None = None,
        omega: Array | None = None,
        include: Include | None = None,
        eps: float = 0.1,
        q: float | None = None,
        **common: Unpack[Common],
    ) -> None:
        super().__init__(K, **common)
        if features == "qff":
            if X is None or lengthscale is None or nodes is None:
                raise ValueError("expected X, lengthscale and nodes with features='qff'")
            self.fixed = quadrature_features(np.asarray(X, dtype=np.float64), lengthscale, nodes)
        elif features == "rff":
            if X is None or omega is None:
                raise ValueError("expected X and omega with features='rff'")
            self.fixed = random_features(X, omega)
        elif features == "linear":
            if X is None:
                raise ValueError("expected X with features='linear'")
            self.fixed = np.asarray(X, dtype=np.float64)
        elif features == "nystrom":
            if include is None:
                raise ValueError("expected include with features='nystrom'")
            self.include = include
        else:
            raise ValueError(f"expected other features, got {features!r}")
        self.features = features
        self.eps = eps
        rho = (1.0 + eps) / (1.0 - eps)  # Thm 4
        # Thm 4: q = 6 rho ln(4T/delta)/eps^2; released code: q = ln(T)/eps^2
        theory = 6.0 * rho * np.log(4.0 * self.horizon / self.constants.delta) / eps**2
        paper = np.log(self.horizon) / eps**2
        self.q = float(q if q is not None else paper if self.schedule == "paper" else theory)
        self.dictionary: list[int] = []  # D_t: distinct arms, ascending

    def tell(self, arm: int, payoff: float) -> None:
        variance = self.std**2  # sigma~_{t-1}^2, before the newest payoff's update
        super().tell(arm, payoff)
        if self.features == "nystrom":
            self._embed(variance)

    def _embed(self, variance: Array) -> None:
        """Algorithm 3, NystromEmbedding."""
        # released code: one draw per distinct arm; Alg. 3: one for each i = 1, ..., t
        candidates = list(dict.fromkeys(self.plays)) if self.schedule == "paper" else self.plays
        x = np.array(candidates, dtype=np.intp)
        p = np.minimum(self.q * variance[x], 1.0)  # Alg. 3: z ~ B(min{q sigma~_{t-1}^2, 1})
        included = np.asarray(self.include(p), dtype=np.bool_)
        self.dictionary = sorted(set(x[included].tolist()))

    @property
    def phi(self) -> Array:
        """phi~_t of every arm, (A, m_t)."""
        return self.fixed if self.features != "nystrom" else nystrom(self.K, self.dictionary)

    @property
    def m(self) -> int:
        """Number of features m_t."""
        return int(self.phi.shape[1])

    @property
    def log_term(self) -> float:
        """ln(2mT/delta) (Lemma 1), ln(4 m_t T/delta) (Thm 4).

        Released code: ln(mT) for Fourier, ln((m + 1)T) for Nystrom features.
        """
        if self.schedule == "paper":
            m = self.m if self.features != "nystrom" else self.m + 1
            return float(np.log(m * self.horizon))
        factor = 2.0 if self.features != "nystrom" else 4.0
        return float(np.log(factor * self.m * self.horizon / self.constants.delta))

    def _power(self, t: int) -> float:
        """t^((1-alpha)/(2(1+alpha)))."""
        alpha = self.constants.moment_order
        return float(t ** ((1.0 - alpha) / (2.0 * (1.0 + alpha))))

    def _root_V_inverse(self, Phi: Array) -> Array:
        """V_t^{-1/2}, the symmetric root, with V_t = Phi^T Phi + lam I (Alg. 2)."""
        eigenvalues, U = np.linalg.eigh(Phi.T @ Phi + self.lam * np.eye(Phi.shape[1]))
        return np.asarray((U / np.sqrt(eigenvalues)) @ U.T, dtype=np.float64)

    @property
    def mean(self) -> Array:
        if self.t == 0 or self.m == 0:
            return np.zeros(len(self.K))  # Alg. 2: mu~_0 = 0
        v, alpha = self.constants.raw_moment, self.constants.moment_order
        log_term = self.log_term
        # Lemma 1, Thm 4: b_t = (v/ln(...))^(1/(1+alpha)) t^((1-alpha)/(2(1+alpha)))
        ratio = v / log_term if log_term > 0.0 else np.inf
        b = ratio ** (1.0 / (1.0 + alpha)) * self._power(self.t)
        phi = self.phi
        Phi = phi[np.array(self.plays, dtype=np.intp), :]
        root = self._root_V_inverse(Phi)
        # Alg. 2: u_i are the rows of V^{-1/2} Phi^T
        # Alg. 2: r_hat_i = sum_tau u_{i,tau} y_tau 1{|u_{i,tau} y_tau| <= b_t}
        uy = (root @ Phi.T) * np.array(self.payoffs, dtype=np.float64)
        r_hat = np.sum(np.where(np.abs(uy) <= b, uy, 0.0), axis=1)
        theta = root @ r_hat  # Alg. 2: theta~_t = V^{-1/2} [r_1, ..., r_m]
        return np.asarray(phi @ theta, dtype=np.float64)  # Alg. 2: mu~_t(x) = phi~(x)^T theta~

    @property
    def std(self) -> Array:
        phi = self.phi
        Phi = phi[np.array(self.plays, dtype=np.intp), :]
        V = Phi.T @ Phi + self.lam * np.eye(phi.shape[1])
        variance = self.lam * np.sum(phi.T * np.linalg.solve(V, phi.T), axis=0)  # Alg. 2 (i)
        if self.features == "nystrom":  # Alg. 2 (ii)
            variance = np.diag(self.K) - np.sum(phi * phi, axis=1) + variance
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)), dtype=np.float64)

    @property
    def width(self) -> float:
        B, v = self.constants.norm_bound, self.constants.raw_moment
        alpha = self.constants.moment_order
        m = self.m
        paper = self.schedule == "paper"
        if paper:
            norm = B * np.sqrt(self.lam)  # released code
        elif self.features != "nystrom":
            norm = B  # Lemma 1
        else:
            norm = B * (1.0 + 1.0 / np.sqrt(1.0 - self.eps))  # Thm 4
        if m == 0 or (self.t == 0 and not paper):
            return float(norm)
        # Lemma 1, Thm 4: v^(1/(1+alpha)) ln(...)^(alpha/(1+alpha)) t^((1-alpha)/(2(1+alpha)))
        noise = v ** (1.0 / (1.0 + alpha)) * self.log_term ** (alpha / (1.0 + alpha))
        if paper:  # released code: sqrt(m) in front; fixed: at the coming round, nystrom: at t
            t = self.n if self.features != "nystrom" else self.t
            return float(norm + np.sqrt(m) * noise * self._power(t))
        return float(norm + 4.0 * np.sqrt(m / self.lam) * noise * self._power(self.t))
