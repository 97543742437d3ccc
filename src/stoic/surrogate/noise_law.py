"""How the size of ordinary errors depends on the value: s·exp(b·(m − m₀)) where f has the mean m.

Noise is often proportional to a value, or to its distance from the best one. The slope b is zero
unless the evidence for another one pays for it. m₀ is the median of the means, so that s is the
deviation at a typical measurement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stoic.checks import Array

__all__ = ["EVERYWHERE", "LAW_RULE", "NoiseLaw"]


@dataclass(frozen=True)
class NoiseLawRule:
    """Which slopes are considered; chosen on the develop set of benchmarks/robust."""

    max_slope: float = 1.5  # |b|, per spread of the values
    slopes: int = 31  # that are compared
    slope_spread: float = 0.5  # standard deviation of b, before the evidence
    factors: tuple[float, ...] = (0.5, 0.7, 1.0, 1.4, 2.0)  # on s, that are compared
    min_gain: float = 6.0  # nats by which a slope must be better than none
    min_measurements: int = 16
    max_log: float = 1.6  # of the factor on s, either way: five times


LAW_RULE = NoiseLawRule()


@dataclass(frozen=True)
class NoiseLaw:
    """The factor exp(b·(m − m₀)) on the deviation s."""

    slope: float = 0.0
    level: float = 0.0  # m₀

    def scales(self, mean: Array) -> Array:
        """The factor where f has the ``mean``."""
        exponent = np.clip(self.slope * (mean - self.level), -LAW_RULE.max_log, LAW_RULE.max_log)
        scales: Array = np.exp(exponent)
        return scales


EVERYWHERE = NoiseLaw()
