"""How far a measurement is to be trusted: a mixture of noise scales, each learned.

A measurement's error is normal with standard deviation c·s, where c = 1 for an ordinary one and
3, 9, 27 … for ever wilder ones. The shares of the scales are learned with everything else, so
Gaussian noise, heavy tails and separate outliers are one model: whichever scales the data use.
A measurement's weight is E[1/c²], judged by what the *others* predict for it (leave-one-out),
since a model that has seen an outlier bends towards it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array

__all__ = ["Beliefs", "Trust"]

_RATIO = 3.0
_WIDEST = 60.0  # in units of z; Scaling bounds z by 40
_PASSES = 3
_LEAST = 1e-6


@dataclass(frozen=True)
class Beliefs:
    """Prior share of measurements that are not ordinary, worth as many observations."""

    wild: float = 0.10
    worth: float = 10.0


@dataclass(frozen=True)
class Trust:
    """Weights of the measurements and the learned shares of the scales.

    ``bonus`` completes the evidence of a surrogate with these weights to a lower bound of the
    evidence of the mixture, Σ r log(share/r) − ½ Σ (Σ r log c² + log w), so that fits which
    disbelieve different measurements can be compared.
    """

    weights: Array
    responsibilities: Array  # (n, scales)
    shares: Array
    scales: Array
    bonus: float

    @classmethod
    def of(cls, z: Array, mean: Array, variance: Array, noise: float, beliefs: Beliefs) -> Trust:
        """Judge ``z`` by the mean and variance that the other measurements predict for f."""
        count = max(2, math.ceil(math.log(_WIDEST / math.sqrt(noise), _RATIO)) + 1)
        c = _RATIO ** np.arange(count, dtype=np.float64)
        prior = np.full(count, beliefs.wild / (count - 1))
        prior[0] = 1.0 - beliefs.wild
        total = variance[:, None] + noise * c * c
        log_density = -0.5 * (np.log(2.0 * math.pi * total) + (z - mean)[:, None] ** 2 / total)
        density = np.exp(log_density - log_density.max(1, keepdims=True))
        shares = prior
        for _ in range(_PASSES):
            joint = density * shares
            r = joint / joint.sum(1, keepdims=True)
            shares = (r.sum(0) + beliefs.worth * prior) / (len(z) + beliefs.worth)
        weights = np.maximum(r @ (1.0 / (c * c)), _LEAST)
        spent = np.where(r > 0.0, r * np.log(shares / np.maximum(r, 1e-300)), 0.0).sum()
        widened = 0.5 * float((r @ (2.0 * np.log(c))).sum() + np.log(weights).sum())
        return cls(weights, r, shares, c, float(spent) - widened)
