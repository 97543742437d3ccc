"""Huber-GP-UCB: Huber regression with one-pass updates, Hvt-UCB on the features of a kernel.

Wang, Zhang, Zhao and Zhou, "Heavy-tailed linear bandits: Huber regression with one-pass update",
ICML 2025, arXiv 2503.00419, with one noise level nu.

Departures from print: step size alpha = 1; sigma_t = nu in all rounds; no projection on
||theta|| <= B. The width is given, since the paper's is not known here.
"""

from collections.abc import Callable
from typing import Unpack

import numpy as np

from .atagpucb import quadrature_features
from .base import Array, Common, Reference


class HuberGPUCB(Reference):
    """Huber-GP-UCB.

    Own parameters: `nu`, `tau_0`, the order `eps` of the noise's moment, `beta`, from the payoffs
    so far to the width; and for quadrature features `X` (A, d) in [0,1]^d, `lengthscale`, `nodes`.
    Without them, phi are the rows of the symmetric root of K.
    """

    alpha = 1.0

    def __init__(
        self,
        K: Array,
        *,
        nu: float,
        tau_0: float,
        eps: float,
        beta: Callable[[int], float],
        grid: tuple[Array, float, int] | None = None,
        **common: Unpack[Common],
    ) -> None:
        super().__init__(K, **common)
        self.nu, self.tau_0, self.eps, self.beta = nu, tau_0, eps, beta
        if grid is None:
            values, U = np.linalg.eigh(self.K)
            self.phi: Array = (U * np.sqrt(np.maximum(values, 0.0))) @ U.T
        else:
            self.phi = quadrature_features(*grid)
        self.theta: Array = np.zeros(self.phi.shape[1])  # theta_1
        self.clipped = 0  # payoffs in the linear part of the loss

    def _V(self) -> Array:
        """V_t = lam' I + (1/alpha) sum_s phi_s phi_s^T / sigma_s^2; lam' = lam/nu^2."""
        Phi = self.phi[np.array(self.plays, dtype=np.intp), :]
        ridge = self.lam / self.nu**2 * np.eye(self.phi.shape[1])
        return np.asarray(ridge + Phi.T @ Phi / (self.alpha * self.nu**2), dtype=np.float64)

    def tell(self, arm: int, payoff: float) -> None:
        x = self.phi[arm] / self.nu  # X_t / sigma_t
        # w_t = ||X_t / sigma_t||_{V_{t-1}^{-1}} / sqrt(alpha)
        w = np.sqrt(x @ np.linalg.solve(self._V(), x) / self.alpha)
        super().tell(arm, payoff)
        # tau_t = tau_0 sqrt(1 + w_t^2)/w_t t^((1-eps)/(2(1+eps)))
        growth = self.t ** ((1.0 - self.eps) / (2.0 * (1.0 + self.eps)))
        tau = self.tau_0 * np.sqrt(1.0 + w**2) / w * growth
        z = payoff / self.nu - x @ self.theta  # (r_t - X_t^T theta_t) / sigma_t
        # the gradient of f_tau(z): z where |z| <= tau, tau sign(z) beyond
        slope = z if abs(z) <= tau else tau * np.sign(z)
        self.clipped += abs(z) > tau
        gradient = -slope * x
        # theta_{t+1} = argmin <gradient, theta> + ||theta - theta_t||^2_{V_t} / 2
        self.theta = self.theta - np.linalg.solve(self._V(), gradient)

    @property
    def mean(self) -> Array:
        return np.asarray(self.phi @ self.theta, dtype=np.float64)

    @property
    def std(self) -> Array:
        # sqrt(lam') ||x||_{V_t^{-1}}
        variance = np.sum(self.phi.T * np.linalg.solve(self._V(), self.phi.T), axis=0)
        return np.asarray(np.sqrt(self.lam / self.nu**2 * variance), dtype=np.float64)

    @property
    def width(self) -> float:
        return self.beta(self.t)
