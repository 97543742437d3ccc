"""Answers from many measurements, and intervals that hold what they promise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from stoic.optimize import Optimizer

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def hill(x: float, y: float) -> float:
    """Best, and one, at (0.3, 0.6)."""
    return float(np.exp(-4.0 * (x - 0.3) ** 2 - 6.0 * (y - 0.6) ** 2))


def told(n: int, noise: Callable[[np.random.Generator], float], seed: int = 0) -> Optimizer:
    """An optimiser told of n points, two thirds of them near the top."""
    rng = np.random.default_rng(seed)
    optimizer = Optimizer(SPACE, seed=seed)
    for i in range(n):
        u = rng.random(2)
        if i % 3:
            u = np.clip([0.3, 0.6] + 0.15 * rng.standard_normal(2), 0.0, 1.0)
        x, y = u.tolist()
        optimizer.tell({"x": x, "y": y}, hill(x, y) + noise(rng))
    return optimizer


def lies(rng: np.random.Generator) -> float:
    """Every fifth measurement looks far too good."""
    return 0.1 * rng.standard_normal() + (rng.random() < 0.2) * rng.uniform(5.0, 500.0)


def test_thousands_of_measurements_with_lies() -> None:
    optimizer = told(3000, lies)
    best = optimizer.recommend()
    assert hill(**best.params) > 0.98
    assert best.interval[0] < hill(**best.params) < best.interval[1]
    suspects = optimizer.suspects()
    assert len(suspects) > 100
    assert all(s.value > 4.0 for s in suspects)


def test_thousands_of_measurements_are_a_function_of_the_history() -> None:
    straight = told(2600, lies)
    asked = []
    stopped = Optimizer(SPACE)
    for i, trial in enumerate(straight.trials):
        stopped.tell(trial.params, float(trial.value or 0.0))
        if i in (2100, 2598):
            asked.append(stopped.ask())  # fits on the way leave no trace
    assert len(asked) == 2
    assert stopped.ask() == straight.ask()
    assert stopped.recommend() == straight.recommend()


NOISES: dict[str, Callable[[np.random.Generator], float]] = {
    "normal": lambda rng: 0.1 * rng.standard_normal(),
    "lies": lies,
    "long right": lambda rng: 0.1 * (rng.lognormal(0.0, 1.2) - np.exp(0.72)),
    "long left": lambda rng: -0.1 * (rng.lognormal(0.0, 1.2) - np.exp(0.72)),
}


@pytest.mark.parametrize("name", NOISES)
def test_intervals_hold_the_truth(name: str) -> None:
    runs = 15
    held = 0
    for seed in range(runs):
        best = told(45, NOISES[name], seed).recommend()
        held += best.interval[0] <= hill(**best.params) <= best.interval[1]
    assert held >= 0.8 * runs  # of 90%; the seeds are fixed


def test_intervals_lean_towards_the_tail() -> None:
    """The mean lies below the bulk when the noise's tail is on the left."""
    reach = []
    for name in ("long left", "long right"):
        optimizer = told(60, NOISES[name], 3)
        best = optimizer.recommend()
        centre = float(np.mean(best.interval))
        reach.append(best.value - centre)
    assert reach[0] > 0.0 > reach[1]
