"""The weight of each measurement, from a mixture of noises that is learned with the surrogate.

A measurement's error is s·e. An ordinary e is standard normal. Other components are N(2, 1.5²) and
N(−2, 1.5²), for skewed noise, N(0, 4.5²), for heavy tails, and wider ones, for outliers, up to a
size of 40 spreads of the values. s may depend on the mean of f (`NoiseLaw`). The share of each
component is learned, so that Gaussian noise, heavy tails, skewed noise and separate outliers are
one model. A measurement is compared with what the *others* predict for it (leave-one-out), since a
surrogate that has seen an outlier follows it.

With responsibilities r of the components (offsets δ, deviations σ), a measurement acts on the
surrogate as one of weight w = Σ r/σ² and target z − s·Σ (r δ/σ²)/w. The sizes of the wider
components do not depend on s: were they multiples of s, many outliers would settle between two of
them and make s too large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.surrogate.noise_law import EVERYWHERE, LAW_RULE, NoiseLaw

__all__ = ["MIXTURE", "Mixture", "NoisePrior", "Weighting", "components", "learned_law"]


@dataclass(frozen=True)
class Mixture:
    """The form of the mixture; chosen on the develop set of benchmarks/robust."""

    scaled: int = 4  # components whose size is a multiple of s; they come first
    skew_offset: float = 2.0  # ±, in units of s, of the two components of skewed noise
    skew_deviation: float = 1.5  # of these, in units of s
    heavy_deviation: float = 4.5  # of the component of heavy tails, in units of s
    widest: float = 40.0  # deviation of the widest component, in units of z; |z| is at most 40
    ratio: float = 3.0  # between the deviations of successive wider components
    passes: int = 3  # alternations between responsibilities and shares


MIXTURE = Mixture()


@dataclass(frozen=True)
class NoisePrior:
    """The prior of the shares of the components.

    Chosen on the develop set of benchmarks/robust.
    """

    unusual_share: float = 0.10  # of measurements that are not ordinary, over all components
    observations: float = 10.0  # measurements that the prior counts for


def components(s: float, unusual_share: float) -> tuple[Array, Array, Array]:
    """Offsets δ and deviations σ in units of s, and prior shares: the ordinary component first."""
    m = MIXTURE
    count = max(math.ceil(math.log(m.widest / (m.heavy_deviation * s), m.ratio) - 0.5), 0)
    wider = m.widest / s / m.ratio ** np.arange(count - 1.0, -1.0, -1.0)
    offsets = np.concatenate([[0.0, m.skew_offset, -m.skew_offset, 0.0], np.zeros(count)])
    skew = m.skew_deviation
    deviations = np.concatenate([[1.0, skew, skew, m.heavy_deviation], wider])
    shares = np.full(len(offsets), unusual_share / (len(offsets) - 1))
    shares[0] = 1.0 - unusual_share
    return offsets, deviations, shares


@dataclass(frozen=True)
class Weighting:
    """Weights and targets of the measurements."""

    scaled_weights: Array  # Σ r/σ² over the components whose size is a multiple of s
    fixed_precisions: Array  # Σ r/(s σ)² over the others
    targets: Array
    responsibilities: Array  # (n, components)
    shares: Array
    bound_term: float  # added to the evidence with these weights, a lower bound of the mixture's

    @classmethod
    def of(
        cls,
        z: Array,
        mean: Array,
        variance: Array,
        noise: float,
        prior: NoisePrior,
        law: NoiseLaw = EVERYWHERE,
    ) -> Weighting:
        """Compare ``z`` with the mean and variance of f that the other measurements predict."""
        s = math.sqrt(noise)
        offsets, deviations, prior_shares = components(s, prior.unusual_share)
        factors = np.where(np.arange(len(offsets)) < MIXTURE.scaled, law.scales(mean)[:, None], 1.0)
        offsets, deviations = offsets * factors, deviations * factors  # (n, components)
        square = deviations * deviations
        total = variance[:, None] + noise * square
        gap = (z - mean)[:, None] - s * offsets
        log_density = -0.5 * (np.log(total) + gap * gap / total)
        density = np.exp(log_density - log_density.max(1, keepdims=True))
        shares = prior_shares
        for _ in range(MIXTURE.passes):
            joint = density * shares
            r = joint / joint.sum(1, keepdims=True)
            observations = len(z) + prior.observations
            shares = (r.sum(0) + prior.observations * prior_shares) / observations
        precision = r / square
        scaled = precision[:, : MIXTURE.scaled].sum(1)
        fixed = precision[:, MIXTURE.scaled :].sum(1) / noise
        weights = scaled + fixed * noise
        pull = (precision * offsets).sum(1)
        entropy = np.where(r > 0.0, r * np.log(shares / np.maximum(r, 1e-300)), 0.0).sum()
        widened = (r * np.log(square)).sum() + np.log(weights).sum()
        spread = (precision * offsets**2).sum() - (pull**2 / weights).sum()
        bound_term = float(entropy) - 0.5 * float(widened + spread)
        return cls(scaled, fixed, z - s * pull / weights, r, shares, bound_term)

    def weights(self, noise: float) -> Array:
        """Weights in units of an ordinary measurement, where s² is ``noise``."""
        return self.scaled_weights + self.fixed_precisions * noise


def learned_law(
    z: Array, mean: Array, variance: Array, noise: float, shares: Array, prior: NoisePrior
) -> NoiseLaw:
    """The slope of the noise that explains ``z`` best, or none if its evidence does not pay.

    ``mean`` and ``variance`` are those of f, which the other measurements predict, and ``shares``
    those of the components. Every slope may have another size of the noise.
    """
    rule = LAW_RULE
    if len(z) < rule.min_measurements:
        return EVERYWHERE
    level, s = float(np.median(mean)), math.sqrt(noise)
    offsets, deviations, _ = components(s, prior.unusual_share)
    scaled = np.arange(len(offsets)) < MIXTURE.scaled

    def log_density(law: NoiseLaw, factor: float) -> float:
        factors = s * np.where(scaled, factor * law.scales(mean)[:, None], 1.0)
        total = variance[:, None] + np.square(deviations * factors)
        gap = (z - mean)[:, None] - offsets * factors
        density = (shares / np.sqrt(total) * np.exp(-0.5 * gap * gap / total)).sum(1)
        return float(np.log(np.maximum(density, 1e-300)).sum())

    slopes = np.linspace(-rule.max_slope, rule.max_slope, rule.slopes)
    laws = [NoiseLaw(slope, level) for slope in slopes.tolist()]
    found: Array = np.array([max(log_density(law, f) for f in rule.factors) for law in laws])
    found -= 0.5 * np.square(slopes / rule.slope_spread)
    best, none = int(np.argmax(found)), found[rule.slopes // 2]
    return laws[best] if found[best] > none + rule.min_gain else EVERYWHERE
