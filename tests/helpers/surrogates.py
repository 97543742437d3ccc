"""Surrogates at hard points and hyper-parameters, beside their literal transcription."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from reference import surrogate as literal
from stoic.surrogate import Hyper, RobustGP
from stoic.surrogate.covariance import ROUGH, SMOOTH, Covariance
from stoic.surrogate.evidence import JITTER

Array = NDArray[np.float64]

GROUPS = np.array([0, 1, 1])  # two length-scales, the second shared by two columns
WEIGHTS = np.array([1.0, 1e-6, 0.11, 1.0, 1e-3])


def spread_out(rng: np.random.Generator) -> Array:
    return rng.random((9, 3))


def duplicates(rng: np.random.Generator) -> Array:
    return np.repeat(rng.random((4, 3)), [4, 1, 2, 3], axis=0)


def near_duplicates(rng: np.random.Generator) -> Array:
    X = np.repeat(rng.random((5, 3)), 2, axis=0)
    X[1::2] += 1e-9
    return np.clip(X, 0.0, 1.0)


def one_point(rng: np.random.Generator) -> Array:
    return rng.random((1, 3))


def corners(_: np.random.Generator) -> Array:
    return np.array([[i, j, k] for i in (0.0, 1.0) for j in (0.0, 1.0) for k in (0.0, 1.0)])


PLACES: list[Callable[[np.random.Generator], Array]] = [
    spread_out,
    duplicates,
    near_duplicates,
    one_point,
    corners,
]
THETAS = {  # log ℓ₁, log ℓ₂, log a², log s², μ, logit ρ, log b²
    "ordinary": [math.log(0.3), math.log(0.6), 0.2, -3.0, 0.3, 0.5, -9.0],
    "rugged": [math.log(0.3), math.log(0.6), 0.2, -6.0, 0.3, 0.5, 0.0],
    "long": [math.log(30.0), math.log(30.0), 0.0, -12.0, -1.0, 3.0, -9.0],
    "short": [math.log(0.01), math.log(0.01), 1.0, -2.0, 0.0, -6.0, -4.0],
    "long and short": [math.log(30.0), math.log(0.01), 0.0, -4.0, 0.0, 0.0, -1.0],
    "hardly any noise": [math.log(0.4), math.log(0.5), 0.0, -12.0, 0.0, 6.0, -18.0],
    "tall": [math.log(1.0), math.log(2.0), 6.0, -12.0, 6.0, 0.0, -4.0],
    "all noise": [math.log(0.4), math.log(0.4), -6.0, 3.0, 0.0, 0.0, 3.0],
}
FORMS = {"smooth": SMOOTH, "rough": ROUGH}
CASES = [
    pytest.param(
        place, theta, w, form, id=f"{place.__name__}-{name}-{kind}-{'1' if w is None else 'w'}"
    )
    for kind, form in FORMS.items()
    for place in PLACES
    for name, theta in THETAS.items()
    for w in (None, WEIGHTS)
]


def case(
    place: Callable[[np.random.Generator], Array],
    theta: list[float],
    w: Array | None,
    form: Covariance = SMOOTH,
) -> tuple[RobustGP, literal.Data]:
    """The package's surrogate and its transcription."""
    rng = np.random.default_rng(7)
    X = place(rng)
    z = rng.standard_normal(len(X)) + np.where(rng.random(len(X)) < 0.2, 30.0, 0.0)
    weights = np.ones(len(X)) if w is None else np.resize(w, len(X))
    hyper = Hyper(np.array(theta), GROUPS, form)
    return RobustGP(X, z, weights, hyper), literal.Data(X, z, weights, plain(hyper))


def plain(hyper: Hyper) -> literal.Setting:
    *scales, amplitude, s2, mean, smoothness, micro = hyper.theta
    return literal.Setting(
        np.exp(np.array(scales))[GROUPS],
        math.exp(amplitude),
        math.exp(s2),
        mean,
        1.0 / (1.0 + math.exp(-smoothness)),
        math.exp(micro),
        hyper.covariance is ROUGH,
        JITTER,
    )


def scale_of(gp: RobustGP) -> float:
    return max(1.0, gp.hyper.variance, float(np.abs(gp.z).max()))


def queries(gp: RobustGP) -> Array:
    """Points measured, a hair away from those, and elsewhere."""
    elsewhere = np.random.default_rng(3).random((4, 3))
    return np.vstack([gp.X[:3], np.clip(gp.X[:2] + 1e-9, 0.0, 1.0), elsewhere])


def differences(f: Callable[[Array], Array], x: Array, h: float) -> Array:
    """Central differences of fourth order, one row for each coordinate."""
    rows = []
    for e in np.eye(len(x)) * h:
        rows.append((f(x - 2 * e) - 8 * f(x - e) + 8 * f(x + e) - f(x + 2 * e)) / (12 * h))
    return np.array(rows)
