"""Categories of hundreds of levels: the same distances, without a column for each level."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from stoic.optimize import Optimizer
from stoic.spaces import Categorical, Float, Space
from stoic.surrogate import Hyper, Prior, RobustGP
from stoic.surrogate.covariance import SMOOTH
from stoic.surrogate.distances import Coded, between, by_group
from stoic.surrogate.evidence import negative_evidence

WIDE = Space(
    {
        "x": (0.0, 1.0),
        "kind": [f"k{i}" for i in range(40)],
        "few": ["p", "q", "r"],
        "inner": Categorical([f"i{i}" for i in range(30)], when={"few": "p"}),
        "y": Float(0.0, 1.0, when={"few": "q"}),
    }
)
SCALES = np.array([0.3, 0.7, 1.3, 0.9, 0.5])[WIDE.groups]


def test_distances_are_those_of_the_columns() -> None:
    X, Z = WIDE.sample(60, 0), WIDE.sample(25, 1)
    one, other = (Coded(points, WIDE.groups).scaled(SCALES) for points in (X, Z))
    assert one.U.shape == (60, 5)  # two floats, and one column for each of three choices
    expected = cdist(X / SCALES, Z / SCALES, "sqeuclidean")
    np.testing.assert_allclose(between(one, other), expected, atol=1e-12)
    part = between(one, other, slice(10, 20), slice(3, None))
    np.testing.assert_allclose(part, expected[10:20, 3:], atol=1e-12)
    groups = by_group(X, WIDE.groups)
    both = cdist(X / SCALES, X / SCALES, "sqeuclidean")
    scales = SCALES[np.searchsorted(WIDE.groups, np.arange(5))]
    np.testing.assert_allclose((groups / scales[:, None, None] ** 2).sum(0), both, atol=1e-12)


def test_points_between_levels_are_subtracted() -> None:
    X = WIDE.sample(20, 0)
    Z = np.random.default_rng(0).random((9, X.shape[1]))
    one, other = (Coded(points, WIDE.groups).scaled(SCALES) for points in (X, Z))
    np.testing.assert_allclose(between(one, other), cdist(X / SCALES, Z / SCALES, "sqeuclidean"))


def test_slopes_of_the_evidence() -> None:
    X, rng = WIDE.sample(50, 2), np.random.default_rng(2)
    loss = negative_evidence(X, WIDE.groups, Prior(), SMOOTH)
    z, w, q = rng.standard_normal(50), rng.uniform(0.2, 1.0, 50), np.zeros(50)
    theta = np.append(np.log([0.3, 0.7, 1.3, 0.9, 0.5]), [0.2, -3.0, 0.1, 0.3, -2.0])
    _, gradient = loss(theta, z, w, q)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        slope = (loss(theta + step, z, w, q)[0] - loss(theta - step, z, w, q)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)
    hyper = Hyper(theta, WIDE.groups)
    U = X / hyper.lengthscales
    gp = RobustGP(X, z, w, hyper)
    r2 = cdist(U, U, "sqeuclidean")
    root = np.sqrt(5.0 * r2)
    rough = (1.0 + root + root**2 / 3.0) * np.exp(-root)
    K = hyper.smoothness * np.exp(-0.5 * r2) + (1.0 - hyper.smoothness) * rough
    micro = np.sqrt(3.0 * r2) / 0.1
    K = hyper.amplitude * K + hyper.micro * (1.0 + micro) * np.exp(-micro)
    C = K + np.diag(hyper.noise / w + 1e-8 * hyper.amplitude)
    expected = hyper.mean + K @ np.linalg.solve(C, z - hyper.mean)
    np.testing.assert_allclose(gp.mean(X), expected, atol=1e-7)
    assert not gp.slopes(X)[2][:, WIDE.groups == 1].any()


_FAILING = """
import numpy as np, stoic
rng = np.random.default_rng(0)
for levels, count in ((1000, 1), (200, 5)):
    space = {f"c{j}": [f"v{i}" for i in range(levels)] for j in range(count)}
    optimizer = stoic.Optimizer(space, direction="maximize")
    for i in range(200):
        params = {name: str(rng.choice(space[name])) for name in space}
        if i % 50 == 49:
            optimizer.fail(params, "crash")
        else:
            optimizer.tell(params, float(rng.standard_normal()))
    optimizer.ask()
    optimizer.recommend()
"""


def test_failures_in_a_wide_space_do_not_take_minutes() -> None:
    """Two seconds; with a length-scale learned for each column it would be an hour."""
    subprocess.run([sys.executable, "-c", _FAILING], check=True, timeout=90)


def test_suggestions_among_many_levels_beat_random_ones() -> None:
    levels, names = 100, ("a", "b", "c")
    effects = {name: np.random.default_rng([9, j]).standard_normal(levels)
               for j, name in enumerate(names)}  # fmt: skip
    rng = np.random.default_rng(3)
    random = [max(sum(rng.choice(effects[name]) for name in names) for _ in range(30))
              for _ in range(200)]  # fmt: skip
    found = []
    for seed in range(2):
        optimizer = Optimizer({name: [*range(levels)] for name in names}, direction="maximize",
                              seed=seed)  # fmt: skip
        for _ in range(30):
            params = optimizer.ask()
            value = sum(effects[name][params[name]] for name in names)
            optimizer.tell(params, float(value + 0.3 * rng.standard_normal()))
        best = optimizer.recommend().params
        found.append(float(sum(effects[name][best[name]] for name in names)))
    assert np.mean(found) > np.mean(random)
