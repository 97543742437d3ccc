"""A configuration's own measurements, against what the surrogate expects from the others.

A surrogate is smoother than the function, and its noise is the same everywhere. So it may be sure
of a value that many measurements of the configuration itself do not show. Where they differ by
more than both errors explain, the difference is an error of the surrogate there.

With m and v the mean and variance of f at the point, of which the own measurements, of mean ȳ and
precision P, are a part, the others alone expect

    m₀ = v₀·(m/v − P·ȳ),    1/v₀ = 1/v − P.

The noise of the n own ones is s₁² = (ν·s² + Σ wᵢ·(zᵢ − ȳ)²)/(ν + n − 1), and the surrogate's
error is

    δ² = max((ȳ − m₀)² − v₁ − v₀, 0),    v₁ = s₁²/Σ wᵢ,

so that the estimate is the mean of ȳ and m₀, weighted by 1/v₁ and 1/(v₀ + δ²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.surrogate import RobustGP

__all__ = ["with_own"]


@dataclass(frozen=True)
class OwnRule:
    """When own measurements count; chosen with benchmarks/core/quotable.py on seeds 0–34."""

    least: int = 3  # own measurements; fewer may agree by chance
    prior: float = 3.0  # ν, measurements that the surrogate's noise stands for


_RULE = OwnRule()


def with_own(gp: RobustGP, point: Array) -> tuple[float, float]:
    """Mean and variance of f at a point, which its own measurements may contradict."""
    mean, variance = (float(part[0]) for part in gp.predict(point[None]))
    own = (point == gp.X).all(axis=1)
    n, noise = int(own.sum()), gp.hyper.noise
    if n < _RULE.least:
        return mean, variance
    z, weights = gp.z[own], gp.weights[own]
    total = float(weights.sum())
    middle = float(weights @ z) / total
    rest = 1.0 / variance - total / noise  # precision of what the others expect
    if rest <= 0.0:
        return mean, variance
    expected, v0 = (mean / variance - total / noise * middle) / rest, 1.0 / rest
    squares = float(weights @ np.square(z - middle))
    v1 = (_RULE.prior * noise + squares) / (_RULE.prior + n - 1) / total
    excess = max((middle - expected) ** 2 - v1 - v0, 0.0)
    if not excess:
        return mean, variance
    precision = 1.0 / v1 + 1.0 / (v0 + excess)
    return (middle / v1 + expected / (v0 + excess)) / precision, 1.0 / precision
