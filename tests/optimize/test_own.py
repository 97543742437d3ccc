"""Own measurements of a configuration that contradict what the surrogate expects of it."""

from __future__ import annotations

import numpy as np
import pytest

import stoic
from stoic.checks import Array
from stoic.optimize.answers.own import with_own
from stoic.surrogate import RobustGP
from stoic.surrogate.hyper import SMOOTH_PRIOR, Hyper

POINT = np.array([0.5, 0.5])


def surrogate(own: list[float], noise: float = 0.01) -> RobustGP:
    """A confident surrogate of a smooth function, and some values at one point."""
    rng = np.random.default_rng(0)
    theta = SMOOTH_PRIOR.centre(2)
    theta[-4] = np.log(noise)
    X = rng.random((40, 2))
    z = np.sin(3.0 * X[:, 0]) - X[:, 1] ** 2 + np.sqrt(noise) * rng.standard_normal(40)
    X, z = np.vstack([X, np.tile(POINT, (len(own), 1))]), np.append(z, own)
    return RobustGP(X, z, np.ones(len(z)), Hyper(theta, np.array([0, 1])))


def literal(gp: RobustGP, own: Array) -> tuple[float, float]:
    """The same from a surrogate that never saw the point's own measurements."""
    rest = RobustGP(gp.X[:40], gp.z[:40], gp.weights[:40], gp.hyper)
    m0, v0 = (float(part[0]) for part in rest.predict(POINT[None]))
    middle, n, s2 = own.mean(), len(own), gp.hyper.noise
    v1 = (3.0 * s2 + ((own - middle) ** 2).sum()) / (3.0 + n - 1.0) / n
    excess = max((middle - m0) ** 2 - v1 - v0, 0.0)
    share = (v0 + excess) / (v0 + excess + v1)
    return share * middle + (1.0 - share) * m0, share * v1


@pytest.mark.parametrize("away", [0.4, -0.6, 2.0])
@pytest.mark.parametrize("count", [3, 8])
def test_a_contradiction_is_an_error_of_the_surrogate(away: float, count: int) -> None:
    truth = np.sin(1.5) - 0.25
    own = truth + away + 0.1 * np.random.default_rng(count).standard_normal(count)
    gp = surrogate(own.tolist())
    mean, variance = with_own(gp, POINT)
    assert (mean, variance) == pytest.approx(literal(gp, own), rel=1e-5)
    plain, narrow = (float(part[0]) for part in gp.predict(POINT[None]))
    assert abs(own.mean() - mean) < abs(own.mean() - plain)
    assert variance > narrow


def test_consistent_and_few_measurements_change_nothing() -> None:
    truth = np.sin(1.5) - 0.25
    for own in ([truth, truth + 0.1, truth - 0.1], [truth + 2.0, truth + 2.1], []):
        gp = surrogate(own)
        assert with_own(gp, POINT) == tuple(float(part[0]) for part in gp.predict(POINT[None]))


def test_the_interval_of_an_answer_reaches_its_own_measurements() -> None:
    """A step that a smooth surrogate smears: eight runs of the answer agree on its value."""
    made = stoic.Optimizer({"x": (0.0, 1.0)}, direction="minimize", seed=0)
    rng = np.random.default_rng(3)
    for x in np.linspace(0.0, 1.0, 33):
        made.tell({"x": float(x)}, 30.0 + 20.0 * (x - 0.5) ** 2 + rng.normal())
    for y in 38.0 + 3.0 * rng.standard_normal(8):
        made.tell({"x": 0.515}, float(y))
    answer = made.estimate({"x": 0.515})
    assert answer.value > 33.0
    assert answer.interval[0] < 38.0 < answer.interval[1]
    beside = made.estimate({"x": 0.25})
    assert beside.interval[1] - beside.interval[0] < 4.0
