"""How far a measurement is to be trusted: a mixture of noises, learned with everything else.

A measurement's error is s·e. An ordinary e is standard normal; others are N(2, 1.5²) and
N(−2, 1.5²), for noise that is skewed, N(0, 4.5²), for heavy tails, and ever wilder ones up to 40
spreads of the values, each with a share of its own: whichever the data use. Gaussian noise, heavy
tails, skewed noise and separate outliers are one model. What a measurement is worth is judged by
what the *others* predict for it (leave-one-out), since a model that has seen an outlier bends
towards it.

With responsibilities r of the components, a measurement acts on the surrogate as one of weight
w = Σ r/σ² and target z − s·Σ (r δ/σ²)/w. The wild ones have sizes of their own, whatever s is:
were they multiples of s, many lies would settle between two of them and drag s along.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array

__all__ = ["Beliefs", "Trust", "skew"]

_TAME = 4  # components whose size is that of the noise
_HEAVY = 4.5  # deviations of noise, the widest of those
_RATIO = 3.0
_WIDEST = 40.0  # in units of z; Scaling bounds z by 40
_PASSES = 3
_GAP = 0.35  # measurements: a noise that fewer have is not in use
_FINEST = 1e-4  # of the noise's variance, that ordinary errors may show it to be


@dataclass(frozen=True)
class Beliefs:
    """Prior share of measurements that are not ordinary, worth as many observations."""

    wild: float = 0.10
    worth: float = 10.0


def _components(s: float, wild: float) -> tuple[Array, Array, Array]:
    """Offsets δ, deviations σ and prior shares: the ordinary one, the skewed, the wild."""
    count = max(math.ceil(math.log(_WIDEST / (_HEAVY * s), _RATIO) - 0.5), 0)
    wider = _WIDEST / s / _RATIO ** np.arange(count - 1.0, -1.0, -1.0)
    offsets = np.concatenate([[0.0, 2.0, -2.0, 0.0], np.zeros(count)])
    deviations = np.concatenate([[1.0, 1.5, 1.5, _HEAVY], wider])
    shares = np.full(len(offsets), wild / (len(offsets) - 1))
    shares[0] = 1.0 - wild
    return offsets, deviations, shares


@dataclass(frozen=True)
class Trust:
    """What the measurements are worth.

    ``bonus`` completes the evidence of a surrogate with these weights and targets to a lower
    bound of the evidence of the mixture, so that fits which disbelieve different measurements
    can be compared.
    """

    own: Array  # weight by the components that grow with the noise
    lies: Array  # precision by those that do not
    targets: Array
    responsibilities: Array  # (n, components)
    shares: Array
    bonus: float

    @classmethod
    def of(cls, z: Array, mean: Array, variance: Array, noise: float, beliefs: Beliefs) -> Trust:
        """Judge ``z`` by the mean and variance that the other measurements predict for f."""
        s = math.sqrt(noise)
        offsets, deviations, prior = _components(s, beliefs.wild)
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
        own = r[:, :_TAME] @ (1.0 / square[:_TAME])
        lies = r[:, _TAME:] @ (1.0 / square[_TAME:]) / noise
        weights = own + lies * noise
        pull = r @ (offsets / square)
        spent = np.where(r > 0.0, r * np.log(shares / np.maximum(r, 1e-300)), 0.0).sum()
        widened = (r @ np.log(square)).sum() + np.log(weights).sum()
        spread = (r @ (offsets**2 / square)).sum() - (pull**2 / weights).sum()
        return cls(
            own,
            lies,
            z - s * pull / weights,
            r,
            shares,
            float(spent) - 0.5 * float(widened + spread),
        )

    def weights(self, noise: float) -> Array:
        """What measurements weigh, in units of ordinary ones, with noise of such a variance."""
        return self.own + self.lies * noise


def skew(r: Array, z: Array, mean: Array, variance: Array, noise: float) -> tuple[float, float]:
    """The mean of the noise about its ordinary part, in units of z, and its standard error.

    Of the measurements that are no lies, weighted by how well the others predict them. About the
    mean error of the ordinary ones: left out, a measurement near a maximum looks low, since it is
    the maximum's height that leaving it out makes one forget. Where lies passed for noise, none
    is far in its units: responsibilities ``r`` are judged again in units of ordinary errors.
    """
    errors, precision = z - mean, noise / (variance + noise)
    square = precision * errors * errors / noise
    for _ in range(_PASSES):
        scale = max(float(r[:, 0] @ square) / max(float(r[:, 0].sum()), 1e-300), _FINEST)
        r = Trust.of(z, mean, scale * variance, scale * noise, Beliefs()).responsibilities
    belongs = precision * r[:, : _honest(r.sum(0))].sum(1)
    belongs /= max(float(belongs.sum()), 1e-300)
    ordinary = precision * r[:, 0]
    ordinary /= max(float(ordinary.sum()), 1e-300)
    centre = float(belongs @ errors)
    spread = float(belongs @ (errors - centre) ** 2)
    return centre - float(ordinary @ errors), math.sqrt(spread * float(belongs @ belongs))


def _honest(counts: Array) -> int:
    """How many of the noises are noise, and not lies, by the number of measurements they have.

    Noise thins out: lies are beyond a gap, and where more measurements are wilder than are tamer
    but not ordinary, by more than chance: by two standard deviations.
    """
    for k in range(3, len(counts)):
        tamer, wilder = float(counts[1:k].sum()), float(counts[k:].sum())
        if counts[k] < _GAP or (k > 3 and wilder - tamer > 2.0 * math.sqrt(wilder + tamer)):
            return k
    return len(counts)
