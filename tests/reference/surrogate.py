"""The robust surrogate and what is made of it, literally and slowly, for testing only.

Written from the formulas of the docstrings, without code of the package: every covariance is
filled in by loops, every prediction solves the dense system anew, a point left out is really
deleted, and a fantasised measurement is really added.

    X        (n, d)  points of the unit cube
    z, w     (n,)    values and weights
    jitter           of the amplitude, on the diagonal of C
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import norm

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """The parts of θ: ℓ of each column, a², s², μ, ρ, b²; and which of the two covariances."""

    lengthscales: Array
    amplitude: float
    noise: float
    mean: float
    smoothness: float
    micro: float
    rough: bool
    jitter: float


def kernel(x: Array, y: Array, setting: Setting) -> float:
    """a²·k + b²·m.

    Smooth: k = ρ·exp(−r²/2) + (1 − ρ)·(1 + z + z²/3)·exp(−z), z = √5·r, and
    m = (1 + y)·exp(−y), y = √3·r/τ. Rough: k = exp(−r), m = exp(−r/τ), r = Σ |Δ|/ℓ. τ is 0.1.
    """
    if setting.rough:
        r = sum(abs(p - q) / s for p, q, s in zip(x, y, setting.lengthscales, strict=True))
        return setting.amplitude * math.exp(-r) + setting.micro * math.exp(-r / 0.1)
    r2 = 0.0
    for p, q, scale in zip(x, y, setting.lengthscales, strict=True):
        r2 += ((p - q) / scale) ** 2
    zeta = math.sqrt(5.0) * math.sqrt(r2)
    smooth = math.exp(-r2 / 2.0)
    rough = (1.0 + zeta + zeta**2 / 3.0) * math.exp(-zeta)
    k = setting.smoothness * smooth + (1.0 - setting.smoothness) * rough
    upsilon = math.sqrt(3.0) * math.sqrt(r2) / 0.1
    return setting.amplitude * k + setting.micro * (1.0 + upsilon) * math.exp(-upsilon)


def gram(X: Array, Y: Array, setting: Setting) -> Array:
    """a² K + b² M between the rows of X and Y."""
    K = np.empty((len(X), len(Y)))
    for i, x in enumerate(X):
        for j, y in enumerate(Y):
            K[i, j] = kernel(x, y, setting)
    return K


@dataclass(frozen=True)
class Data:
    """Measurements and how they are seen."""

    X: Array
    z: Array
    w: Array
    setting: Setting

    @property
    def covariance(self) -> Array:
        """C = a² K + b² M + s² diag(1/w), with jitter."""
        s = self.setting
        C = gram(self.X, self.X, s)
        for i in range(len(self.X)):
            C[i, i] += s.noise / self.w[i] + s.jitter * s.amplitude
        return C

    def evidence(self) -> float:
        """−½ (z − μ)ᵀ C⁻¹ (z − μ) − ½ log|C|."""
        C, r = self.covariance, self.z - self.setting.mean
        sign, logdet = np.linalg.slogdet(C)
        assert sign > 0
        return -0.5 * float(r @ np.linalg.solve(C, r)) - 0.5 * float(logdet)

    def predict(self, P: Array) -> tuple[Array, Array]:
        """Mean and covariance matrix of f at the rows of P."""
        s = self.setting
        k = gram(P, self.X, s)
        mean = s.mean + k @ np.linalg.solve(self.covariance, self.z - s.mean)
        return mean, gram(P, P, s) - k @ np.linalg.solve(self.covariance, k.T)

    def with_measurement(self, x: Array, value: float) -> Data:
        """One ordinary measurement more."""
        return replace(
            self, X=np.vstack([self.X, x]), z=np.append(self.z, value), w=np.append(self.w, 1.0)
        )

    def without(self, i: int) -> Data:
        """One measurement less."""
        return replace(
            self, X=np.delete(self.X, i, 0), z=np.delete(self.z, i), w=np.delete(self.w, i)
        )

    def left_out(self) -> tuple[Array, Array]:
        """Mean and variance of f at each point, from the others."""
        means, variances = [], []
        for i in range(len(self.z)):
            mean, covariance = self.without(i).predict(self.X[i : i + 1])
            means.append(mean[0])
            variances.append(covariance[0, 0])
        return np.array(means), np.array(variances)


def log_posterior(data: Data, theta: Array, centre: Array, spread: Array) -> float:
    """Log p(θ | z), up to a constant, under an independent normal prior of θ."""
    u = (theta - centre) / spread
    return data.evidence() - 0.5 * float(np.sum(u**2))


@dataclass(frozen=True)
class Mixture:
    """Components N(δ, σ²) of the error in units of s; their prior shares, worth observations."""

    offsets: Array
    deviations: Array
    prior: Array
    observations: float
    passes: int


@dataclass(frozen=True)
class Weights:
    """What becomes of measurements under a mixture."""

    responsibilities: Array
    shares: Array
    weights: Array
    targets: Array
    bound_term: float


def weigh(z: Array, mean: Array, variance: Array, noise: float, mixture: Mixture) -> Weights:
    """Responsibilities r by Bayes' rule and shares by their posterior mean, in turns; then

    w = Σ r/σ², target = z − s·Σ (r δ/σ²)/w, and what completes the evidence of N(target, s²/w)
    to the lower bound of the mixture's: Σ r (log share − log r) + Σ r log N(z; sδ + f, s²σ²)
    − log N(target; f, s²/w), in which f cancels.
    """
    n, count, s = len(z), len(mixture.prior), math.sqrt(noise)
    shares = [float(p) for p in mixture.prior]
    r = np.empty((n, count))
    for _ in range(mixture.passes):
        for i in range(n):
            logs = []
            for k in range(count):
                std = math.sqrt(variance[i] + noise * mixture.deviations[k] ** 2)
                density = norm.logpdf(z[i], mean[i] + s * mixture.offsets[k], std)
                logs.append(math.log(shares[k]) + float(density))
            terms = [math.exp(v - max(logs)) for v in logs]
            r[i] = [t / sum(terms) for t in terms]
        for k in range(count):
            shares[k] = (r[:, k].sum() + mixture.observations * mixture.prior[k]) / (
                n + mixture.observations
            )
    weights, targets, bound_term = np.empty(n), np.empty(n), 0.0
    for i in range(n):
        rows = list(zip(r[i], mixture.offsets, mixture.deviations, shares, strict=True))
        weights[i] = sum(p / sigma**2 for p, _, sigma, _ in rows)
        pull = sum(p * delta / sigma**2 for p, delta, sigma, _ in rows)
        targets[i] = z[i] - s * pull / weights[i]
        f = z[i]  # any would do
        for p, delta, sigma, share in rows:
            if p > 0.0:
                bound_term += p * (math.log(share) - math.log(p))
                bound_term += p * float(norm.logpdf(z[i], f + s * delta, s * sigma))
        bound_term -= float(norm.logpdf(targets[i], f, s / math.sqrt(weights[i])))
    return Weights(r, np.array(shares), weights, targets, bound_term)


def knowledge_gradient(data: Data, P: Array, quantiles: int) -> Array:
    """E[max mean after a measurement at x] − max mean over P, for every x of P."""
    mean, covariance = data.predict(P)
    gains = []
    for i, x in enumerate(P):
        total = 0.0
        for q in range(quantiles):
            level = float(norm.ppf((q + 0.5) / quantiles))
            value = mean[i] + level * math.sqrt(covariance[i, i] + data.setting.noise)
            total += data.with_measurement(x, value).predict(P)[0].max()
        gains.append(total / quantiles - mean.max())
    return np.array(gains)


def log_expected_improvement(mean: float, std: float, best: float) -> float:
    """Log E[max(f − best, 0)], f ~ N(mean, std²), by quadrature below the mean."""
    u = (mean - best) / std
    if u > -1.0:
        return math.log(std * (u * float(norm.cdf(u)) + float(norm.pdf(u))))
    # E = σ φ(u) ∫₀^∞ t exp(ut − t²/2) dt, and with t = s/|u| nothing underflows
    inner, _ = quad(
        lambda s: s * math.exp(-s - 0.5 * (s / u) ** 2), 0.0, 60.0, epsabs=0.0, epsrel=1e-12
    )
    return math.log(std) + float(norm.logpdf(u)) + math.log(inner) - 2.0 * math.log(-u)
