"""Answers from many measurements, and intervals that hold what they promise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from stoic.optimize import Optimizer
from stoic.surrogate import Scaling

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def hill(x: float, y: float) -> float:
    """Best, and one, at (0.3, 0.6)."""
    return float(np.exp(-4.0 * (x - 0.3) ** 2 - 6.0 * (y - 0.6) ** 2))


def told(
    n: int, noise: Callable[[np.random.Generator], float], seed: int = 0, target: str = "median"
) -> Optimizer:
    """An optimiser that knows n points, two thirds of them near the top."""
    rng = np.random.default_rng(seed)
    optimizer = Optimizer(SPACE, direction="maximize", seed=seed, target=target)
    for i in range(n):
        u = rng.random(2)
        if i % 3:
            u = np.clip([0.3, 0.6] + 0.15 * rng.standard_normal(2), 0.0, 1.0)
        x, y = u.tolist()
        optimizer.tell({"x": x, "y": y}, hill(x, y) + noise(rng))
    return optimizer


def outliers(rng: np.random.Generator) -> float:
    """Every fifth measurement looks far too good."""
    return 0.1 * rng.standard_normal() + (rng.random() < 0.2) * rng.uniform(5.0, 500.0)


def test_thousands_of_measurements_with_outliers() -> None:
    optimizer = told(3000, outliers)
    best = optimizer.recommend()
    assert hill(**best.params) > 0.98
    assert best.interval[0] < hill(**best.params) < best.interval[1]
    suspects = optimizer.suspects()
    assert len(suspects) > 100
    assert all(s.value > 4.0 for s in suspects)


def test_thousands_of_measurements_are_a_function_of_the_history() -> None:
    straight = told(2600, outliers)
    asked = []
    stopped = Optimizer(SPACE, direction="maximize")
    for i, trial in enumerate(straight.trials):
        stopped.tell(trial.params, float(trial.value or 0.0))
        if i in (2100, 2598):
            asked.append(stopped.ask())  # fits on the way leave no trace
    assert len(asked) == 2
    assert stopped.ask() == straight.ask()
    assert stopped.recommend() == straight.recommend()


NOISES: dict[str, Callable[[np.random.Generator], float]] = {
    "normal": lambda rng: 0.1 * rng.standard_normal(),
    "outliers": outliers,
    "long right": lambda rng: 0.1 * (rng.lognormal(0.0, 1.2) - np.exp(0.72)),
    "long left": lambda rng: -0.1 * (rng.lognormal(0.0, 1.2) - np.exp(0.72)),
}


@pytest.mark.parametrize("name", NOISES)
def test_intervals_hold_the_truth(name: str) -> None:
    runs = 24
    held = 0
    target = "mean" if name.startswith("long") else "median"  # which is 0, of these noises
    for seed in range(runs):
        best = told(45, NOISES[name], seed, target).recommend()
        held += best.interval[0] <= hill(**best.params) <= best.interval[1]
    assert held >= 0.75 * runs  # fewer has a chance of 2% at 90% each


def test_intervals_account_for_a_sharp_top() -> None:
    """A smooth surrogate rounds off a cone; what was measured at the top shows it."""
    runs = 16
    held = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        optimizer = Optimizer(SPACE, direction="maximize", seed=seed)
        for _ in range(45):
            params = optimizer.ask()
            optimizer.tell(params, cone(**params) + 0.1 * rng.standard_normal())
        best = optimizer.recommend()
        held += best.interval[0] <= cone(**best.params) <= best.interval[1]
    assert held >= 0.75 * runs


def cone(x: float, y: float) -> float:
    return -2.0 * math.hypot(x - 0.3, y - 0.6)


def test_intervals_lean_towards_the_tail() -> None:
    """The mean is below the bulk when the noise's tail is on the left."""
    offsets = []
    for name in ("long left", "long right"):
        best = told(60, NOISES[name], 3, "mean").recommend()
        centre = float(np.mean(best.interval))
        offsets.append(best.value - centre)
    assert offsets[0] > 0.0 > offsets[1]


def test_values_over_decades_are_seen_on_a_log_compressed_scale() -> None:
    """From 20 ms to 20 s: what is good would be one dot on a straight scale."""
    rng = np.random.default_rng(5)
    optimizer = Optimizer(SPACE, direction="minimize")
    for _ in range(40):
        params = optimizer.ask()
        far = abs(params["x"] - 0.3) + abs(params["y"] - 0.6)
        optimizer.tell(params, 20.0 * 10.0 ** (3.0 * far) * rng.lognormal(0.0, 0.2))
    best = optimizer.recommend()
    assert abs(best.params["x"] - 0.3) + abs(best.params["y"] - 0.6) < 0.12
    assert 10.0 < best.value < 60.0


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_log_compressed_values_come_back(scale: float) -> None:
    y = -scale * np.exp(np.linspace(3.0, 10.0, 32))[np.random.default_rng(0).permutation(32)]
    scaling = Scaling.log_compressed(y, 12)
    assert scaling is not None
    z = scaling.z(y)
    assert np.all(np.diff(z[np.argsort(y)]) > 0.0)
    assert np.allclose([scaling.y(float(v)) for v in z], y, rtol=1e-6)


@pytest.mark.parametrize("bend", [0.0, 0.2])
def test_slopes_are_those_of_z(bend: float) -> None:
    scaling, h = Scaling(-0.3, 2.0, -1.0, bend), 1e-3
    for y in (-500.0, -20.0, -5.0, -1.5, 0.0, 3.0, 30.0, 90.0):
        low, high = scaling.z(np.array([y - h, y + h]))
        slope = scaling.log_slopes(np.array([y]))
        assert slope == pytest.approx(np.log((high - low) / (2.0 * h)), abs=1e-3)


def test_ordinary_values_are_not_log_compressed() -> None:
    for seed in range(20):
        y = np.random.default_rng(seed).standard_normal(64)
        assert Scaling.log_compressed(y, 8) is None
        assert (
            Scaling.log_compressed(np.sort(1.0 - 0.01 * y**4), 64) is not None
        )  # it takes decades


@pytest.mark.parametrize("size", [20.0, 1e9])
def test_outliers_that_look_like_decades_do_not_bend_the_scale(size: float) -> None:
    def noise(rng: np.random.Generator) -> float:
        outlier = size ** rng.uniform(0.5, 1.0) if rng.random() < 0.15 else 0.0
        return float(0.1 * rng.standard_normal() - outlier)

    optimizer = told(60, noise, 1)
    assert hill(**optimizer.recommend().params) > 0.9
    assert len(optimizer.suspects()) > 4
