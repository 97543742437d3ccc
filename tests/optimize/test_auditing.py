"""Which measurements are repeated, and what an early adversary can do."""

from __future__ import annotations

import numpy as np
import pytest

from stoic.optimize.auditing import to_confirm, to_repeat
from stoic.optimize.optimizer import Optimizer
from stoic.surrogate.covariance import ROUGH, SMOOTH, Covariance


def told(values: list[float], points: list[float] | None = None) -> Optimizer:
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    at = points or np.linspace(0.01, 0.99, len(values)).tolist()
    for x, value in zip(at, values, strict=True):
        optimizer.tell({"x": x}, value)
    return optimizer


def repeated(optimizer: Optimizer) -> float | None:
    point = to_repeat(optimizer.history)
    return None if point is None else float(point[0])


NOISE = np.random.default_rng(0).normal(0.0, 0.01, 64)


def test_the_worst_early_points_are_repeated_one_after_each_design() -> None:
    """The size of the design is 8: after 24, 32 and 40 values, never more."""
    points = [*np.linspace(0.01, 0.99, 16), *np.linspace(0.3, 0.4, 6), 0.3, 0.3]
    values = [float(x + e) for x, e in zip(points, NOISE, strict=False)]
    optimizer = told(values, points)
    assert repeated(optimizer) == pytest.approx(0.01)
    optimizer.tell({"x": 0.01}, 0.012)
    assert repeated(optimizer) != pytest.approx(0.01)
    for k in range(7):
        optimizer.tell({"x": 0.5}, 0.5 + float(NOISE[k]))
    second = repeated(optimizer)
    assert second == pytest.approx(points[1])
    optimizer.tell({"x": points[1]}, points[1])
    for k in range(40):
        optimizer.tell({"x": 0.5}, 0.5 + float(NOISE[k]))
    third = repeated(optimizer)
    assert third == pytest.approx(points[2])
    optimizer.tell({"x": points[2]}, points[2])
    assert repeated(optimizer) not in [pytest.approx(x) for x in points[:3]]


def test_a_repeat_that_is_good_is_measured_again_and_leads_to_others() -> None:
    points = [*np.linspace(0.01, 0.99, 16), *np.linspace(0.3, 0.4, 6), 0.3, 0.3]
    values = [float(x + e) for x, e in zip(points, NOISE, strict=False)]
    optimizer = told(values, points)
    for _ in range(2):  # two values of 2 against the first one of 0
        assert repeated(optimizer) == pytest.approx(0.01)
        optimizer.tell({"x": 0.01}, 2.0)
    assert repeated(optimizer) == pytest.approx(points[1])  # at once


def confirmed(optimizer: Optimizer) -> float | None:
    point = to_confirm(optimizer.history, optimizer._modeller.model().gp)
    return None if point is None else float(point[0])


def test_a_best_estimate_of_old_measurements_alone_is_measured_again() -> None:
    """Five early values of 1.5 beside 0.8, where f = 1 − |x − 0.2| is 0.4."""
    points = [0.8, 0.85, 0.9, 0.95, 0.8, *np.linspace(0.7, 0.01, 27).tolist()]
    values = [1.5] * 5 + [1.0 - abs(x - 0.2) for x in points[5:]]
    optimizer = told([y + float(e) for y, e in zip(values, NOISE, strict=False)], points)
    assert confirmed(optimizer) in [pytest.approx(x) for x in points[:4]]
    for _ in range(16):
        x = optimizer.ask()["x"]
        again = repeated(optimizer)
        again = confirmed(optimizer) if again is None else again
        assert again is None or x == pytest.approx(again)
        optimizer.tell({"x": x}, 1.0 - abs(x - 0.2))
    assert confirmed(optimizer) is None
    assert abs(optimizer.recommend().params["x"] - 0.2) < 0.1


def test_a_best_estimate_with_a_late_measurement_needs_no_other() -> None:
    points = [*np.linspace(0.5, 0.99, 20).tolist(), *np.linspace(0.3, 0.31, 10).tolist()]
    values = [-((x - 0.305) ** 2) + float(e) / 100.0 for x, e in zip(points, NOISE, strict=False)]
    assert confirmed(told(values, points)) is None
    early = points[20:] + points[:20]
    assert confirmed(told(values[20:] + values[:20], early)) == pytest.approx(0.305, abs=0.006)
    assert confirmed(told((values[20:] + values)[:22], early[:22])) is None  # too few


def test_a_system_without_noise_confirms_nothing() -> None:
    points = [0.3, 0.3, *np.linspace(0.5, 0.99, 28).tolist()]
    assert confirmed(told([-((x - 0.3) ** 2) for x in points], points)) is None


def test_equal_replicates_repeat_nothing_bad() -> None:
    points = [*np.linspace(0.01, 0.99, 16), *np.linspace(0.3, 0.4, 6), 0.3, 0.3]
    optimizer = told(points, points)
    assert repeated(optimizer) is None


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_run_recovers_from_an_early_adversary(seed: int) -> None:
    """Who flips the sign of all good values of the first 20 measurements of 60."""
    optimizer = Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction="maximize", seed=seed)
    rng = np.random.default_rng(seed)

    def f(p: dict[str, float]) -> float:
        return 2.0 - 9.0 * ((p["x"] - 0.3) ** 2 + (p["y"] - 0.6) ** 2)

    for t in range(60):
        params = optimizer.ask()
        value = f(params) + 0.1 * float(rng.standard_normal())
        optimizer.tell(params, -value if t < 20 and f(params) > 1.4 else value)
    assert f(optimizer.recommend().params) > 1.7


@pytest.mark.parametrize(("count", "expected"), [(16, True), (17, False)])
def test_among_many_parameters_only_doublings_are_repeated(count: int, expected: bool) -> None:
    """One repeat after 12 values, two after 24, three after 48; elsewhere an eighth."""
    space = {f"x{i}": (0.0, 1.0) for i in range(count)}
    optimizer = Optimizer(space, direction="maximize")
    rng = np.random.default_rng(0)
    points = rng.random((37, count))
    for point in [*points, points[0], points[1], points[2]]:  # 40 values, three repeats
        params = dict(zip(space, point.tolist(), strict=True))
        optimizer.tell(params, float(point[0] + 0.1 * rng.standard_normal()))
    assert (to_repeat(optimizer.history) is not None) is expected


@pytest.mark.parametrize(("count", "forms"), [(16, {SMOOTH, ROUGH}), (17, {SMOOTH})])
def test_among_many_parameters_no_covariance_is_rough(count: int, forms: set[Covariance]) -> None:
    space = {f"x{i}": (0.0, 1.0) for i in range(count)}
    optimizer = Optimizer(space, direction="maximize")
    rng = np.random.default_rng(0)
    for point in rng.random((30, count)):
        value = float(np.floor(4.0 * point[0]) + np.floor(3.0 * point[1]))
        optimizer.tell(dict(zip(space, point.tolist(), strict=True)), value)
    assert {fit.gp.hyper.covariance for fit in optimizer.knowledge().model.fits} == forms
