"""Truncation of single payoffs, decided once, when they arrive."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.loops import norm

__all__ = ["LARGEST_PAYOFF", "check_sums", "contextual_threshold", "largest_mean", "truncate"]

LARGEST_PAYOFF = 1e243  # relative to an origin and clipped about an estimate, with room


def truncate(payoff: float, level: float) -> float:
    """y·1{|y| ≤ b}: to zero, not to the level (chowdhury2019, Algorithm 1, line 5).

    >>> truncate(3.0, 2.0), truncate(-1.5, 2.0)
    (0.0, -1.5)
    """
    return payoff if abs(payoff) <= level else 0.0


def contextual_threshold(gain: Array, arm: int, counts: IntArray, order: float) -> float:
    """h(x)/|b|, beyond which CA-TGP-UCB truncates a payoff (park2024, Algorithm 1, lines 6–7).

    The weights k_t(x)ᵀ(K_t + λI)⁻¹ of the prediction at the arm just played are ``gain[a]``
    for each of the n_a plays of a, so h = (Σ_a n_a |gain_a|^{1+ε})^{1/(1+ε)} and
    b = gain[arm], without a solve. ``counts`` include the play itself.
    """
    weight = abs(float(gain[arm]))
    return norm(gain, counts, 1.0 + order) / weight if weight > 0.0 else math.inf


def check_sums(sums: Array, counts: Array) -> None:
    """Raise unless sums of payoffs are no more than so many payoffs can amount to."""
    if not (np.abs(sums) <= counts * LARGEST_PAYOFF).all():
        raise InvalidState(
            "expected payoff sums in the state that its plays can amount to, got larger ones"
        )


def largest_mean(sums: Array, counts: Array) -> float:
    """The largest |mean payoff| of all arms; ``counts`` may be sums of weights."""
    return float(np.abs(sums / np.where(counts > 0.0, counts, 1.0)).max(initial=0.0))
