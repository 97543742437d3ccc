"""Values that are exactly equal: of lost measurements, and of runs that mostly show the same."""

from __future__ import annotations

import numpy as np
import pytest

from stoic.optimize import Optimizer
from stoic.optimize.answers.equal import widened

SPACE = {"x": (0.0, 1.0)}


def bowl(x: float) -> float:
    return 20.0 + 30.0 * (x - 0.4) ** 2


def with_zeros(elsewhere: int, *, different: bool = False) -> Optimizer:
    """A bowl with two zeros at one configuration, and one at each of some others."""
    optimizer = Optimizer(SPACE, direction="minimize")
    rng = np.random.default_rng(1)
    for i in range(40):
        x = (i + 0.5) / 40
        lost = i % 8 == 3 and i // 8 < elsewhere
        noise = float(rng.normal(0.0, 0.5))
        optimizer.tell({"x": x}, (0.1 * i if different else 0.0) if lost else bowl(x) + noise)
    for _ in range(2):
        optimizer.tell({"x": 0.93}, 0.0)
    return optimizer


def test_what_lost_measurements_show_agrees_with_nothing() -> None:
    optimizer = with_zeros(4)
    assert {40, 41} <= {suspect.trial for suspect in optimizer.suspects()}
    best = optimizer.recommend()
    assert abs(best.params["x"] - 0.4) < 0.15
    assert best.interval[0] < bowl(best.params["x"]) < best.interval[1]


@pytest.mark.parametrize(("elsewhere", "different"), [(0, False), (2, False), (4, True)])
def test_equal_measurements_agree_unless_their_value_is_an_outlier_elsewhere(
    elsewhere: int, different: bool
) -> None:
    optimizer = with_zeros(elsewhere, different=different)
    assert not {40, 41} & {suspect.trial for suspect in optimizer.suspects()}


def often_the_same(seed: int, target: str = "mean", noise: float = 0.0) -> Optimizer:
    """A bowl whose runs show exactly its value or, in four of ten, a delay as well."""
    optimizer = Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction="minimize", target=target)
    rng = np.random.default_rng(seed)
    points = rng.random((48, 2))
    for i, (x, y) in enumerate([*points, *points[[5, 15, 25]]]):  # three of them twice
        late = i not in (5, 15, 25, 48, 49, 50) and rng.random() < 0.4
        value = bowl(x) + 3.0 * y + float(rng.exponential(4.0)) * late
        optimizer.tell({"x": x, "y": y}, value + noise * float(rng.standard_normal()))
    return optimizer


def test_the_interval_of_a_mean_is_wider_where_replicates_are_equal() -> None:
    """The surrogate takes the delays for a rough function, whose values have no noise."""
    known = often_the_same(3).knowledge().regular.known
    low, high = widened(known, 0.0, (-0.01, 0.01))
    assert low < -0.4  # in z; a delay is 4 on average
    assert high > 0.4
    held = 0
    for seed in range(20):
        best = often_the_same(seed).recommend()
        mean = bowl(best.params["x"]) + 3.0 * best.params["y"] + 1.6
        held += best.interval[0] <= mean <= best.interval[1]
    assert held >= 17


def test_it_is_not_where_replicates_differ_or_medians_are_asked_for() -> None:
    known = often_the_same(3, noise=0.01).knowledge().regular.known
    assert widened(known, 0.0, (-0.01, 0.01)) == (-0.01, 0.01)
    median, mean = (often_the_same(3, target).recommend().interval for target in ("median", "mean"))
    assert median[1] - median[0] < mean[1] - mean[0]


def test_it_has_no_unit() -> None:
    ends = []
    for unit in (1.0, 2.0**-40, 2.0**60):
        space = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
        optimizer = Optimizer(space, direction="minimize", target="mean")
        for trial in often_the_same(3).trials:
            assert trial.value is not None
            optimizer.tell(dict(trial.params), unit * (trial.value + 7.0))
        ends.append(np.array(optimizer.recommend().interval) / unit - 7.0)
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-9)
    np.testing.assert_allclose(ends[2], ends[0], rtol=1e-9)
