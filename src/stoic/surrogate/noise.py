"""How far a measurement is to be trusted: a mixture of noises, learned with everything else.

A measurement's error is s·e. An ordinary e is standard normal; others are N(2, 1.5²) and
N(−2, 1.5²), for noise that is skewed, and ever wilder N(0, 4.5²), N(0, 13.5²) …, each with a share
of its own: whichever the data use. Gaussian noise, heavy tails, skewed noise and separate outliers
are one model. What a measurement is worth is judged by what the *others* predict for it
(leave-one-out), since a model that has seen an outlier bends towards it.

With responsibilities r of the components, a measurement acts on the surrogate as one of weight
w = Σ r/σ² and target z − s·Σ (r δ/σ²)/w.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from stoic.checks import Array

__all__ = ["Beliefs", "Trust"]

_RATIO = 3.0
_WIDEST = 60.0  # in units of z; Scaling bounds z by 40
_PASSES = 3
_LEAST = 1e-6
_GAP = 0.35  # measurements: a noise that fewer have is not in use


@dataclass(frozen=True)
class Beliefs:
    """Prior share of measurements that are not ordinary, worth as many observations."""

    wild: float = 0.10
    worth: float = 10.0


@lru_cache(maxsize=32)
def _components(count: int, wild: float) -> tuple[Array, Array, Array]:
    """Offsets δ, deviations σ and prior shares: the ordinary one, the skewed, the wild."""
    wider = 1.5 * _RATIO ** np.arange(1.0, count)
    offsets = np.concatenate([[0.0, 2.0, -2.0], np.zeros(len(wider))])
    deviations = np.concatenate([[1.0, 1.5, 1.5], wider])
    shares = np.full(len(offsets), wild / (len(offsets) - 1))
    shares[0] = 1.0 - wild
    return offsets, deviations, shares


@dataclass(frozen=True)
class Trust:
    """What the measurements are worth.

    ``bonus`` completes the evidence of a surrogate with these weights and targets to a lower
    bound of the evidence of the mixture, so that fits which disbelieve different measurements
    can be compared. ``shift`` is the mean of the noise about its ordinary part, in units of z,
    and its standard error, as far as the noises in use reach without a gap: beyond a gap are
    lies, not noise.
    """

    weights: Array
    targets: Array
    responsibilities: Array  # (n, components)
    shares: Array
    bonus: float
    shift: tuple[float, float]

    @classmethod
    def of(cls, z: Array, mean: Array, variance: Array, noise: float, beliefs: Beliefs) -> Trust:
        """Judge ``z`` by the mean and variance that the other measurements predict for f."""
        s = math.sqrt(noise)
        count = max(2, math.ceil(math.log(_WIDEST / s, _RATIO)))
        offsets, deviations, prior = _components(count, beliefs.wild)
        square = deviations * deviations
        total = variance[:, None] + noise * square
        gap = (z - mean)[:, None] - s * offsets
        log_density = -0.5 * (np.log(total) + gap * gap / total)
        density = np.exp(log_density - log_density.max(1, keepdims=True))
        shares = prior
        for _ in range(_PASSES):
            joint = density * shares
            r = joint / joint.sum(1, keepdims=True)
            shares = (r.sum(0) + beliefs.worth * prior) / (len(z) + beliefs.worth)
        weights = np.maximum(r @ (1.0 / square), _LEAST)
        pull = r @ (offsets / square)
        spent = np.where(r > 0.0, r * np.log(shares / np.maximum(r, 1e-300)), 0.0).sum()
        widened = (r @ np.log(square)).sum() + np.log(weights).sum()
        spread = (r @ (offsets**2 / square)).sum() - (pull**2 / weights).sum()
        return cls(
            weights,
            z - s * pull / weights,
            r,
            shares,
            float(spent) - 0.5 * float(widened + spread),
            _shift(r, z - mean),
        )


def _shift(r: Array, residuals: Array) -> tuple[float, float]:
    """The mean residual of measurements whose noise is in use without a gap, and its error.

    About the mean residual of the ordinary ones: left out, a measurement near a maximum looks
    low, since it is the maximum's height that leaving it out makes one forget.
    """
    counts = r.sum(0)
    gaps = np.flatnonzero(counts[3:] < _GAP)
    belongs = (r[:, : 3 + int(gaps[0])] if gaps.size else r).sum(1)
    total = max(float(belongs.sum()), 1e-300)
    ordinary = float(r[:, 0] @ residuals) / max(float(counts[0]), 1e-300)
    mean = float((belongs * residuals).sum() / total)
    spread = float((belongs * (residuals - mean) ** 2).sum() / total)
    return mean - ordinary, math.sqrt(spread / max(total, 1.0))
