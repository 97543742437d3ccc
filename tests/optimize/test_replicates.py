"""Agreeing measurements of one configuration are facts about it, and so the answer has it."""

from __future__ import annotations

import csv
import gzip
import itertools
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stoic
from stoic.optimize import Optimizer
from stoic.optimize.answers.agreement import Agreement

KERNELS = Path(__file__).parents[3] / "shared/data/gpu_kernels/convolution_a4000.csv.gz"


def agreement(optimizer: Optimizer) -> Agreement:
    return optimizer.knowledge().agreement


def by_configuration(optimizer: Optimizer) -> dict[tuple[Any, ...], list[Any]]:
    found = defaultdict(list)
    for trial in optimizer.trials:
        if trial.value is not None:
            found[tuple(trial.params.values())].append(trial)
    return found


def check(optimizer: Optimizer) -> int:
    """Raise unless agreeing measurements count; how often configurations had such."""
    suspects = {suspect.trial for suspect in optimizer.suspects()}
    best, scaling = optimizer.recommend(), optimizer.knowledge().model.scaling
    sign = 1.0 if optimizer.direction == "maximize" else -1.0
    replicated = 0
    for params, trials in by_configuration(optimizer).items():
        z = scaling.z(sign * np.array([trial.value for trial in trials]))
        if len(trials) < 2 or np.ptp(z) > 0.01 or np.abs(z).max() > 30.0:
            continue  # less than 1/100 of the spread is agreement by anybody's measure
        replicated += 1
        assert {trial.number for trial in trials} - suspects
        if params == tuple(best.params.values()):
            estimate = float(scaling.z(sign * np.array([best.value]))[0])
            margin = agreement(optimizer).margin + 1e-6
            assert z.min() - margin <= estimate <= z.max() + margin
    return replicated


# -- histories ------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(4, 40),
    noise=st.sampled_from([0.0, 0.003, 0.1]),
    outliers=st.sampled_from([0.0, 0.1, 0.3]),
    size=st.sampled_from([3.0, 30.0, 1e9]),
    scale=st.sampled_from([1e-9, 1.0, 1e9]),
    direction=st.sampled_from(["maximize", "minimize"]),
)
def test_agreeing_measurements_are_facts(
    seed: int, n: int, noise: float, outliers: float, size: float, scale: float, direction: str
) -> None:
    """Configurations with a level of their own, of which many are repeated, some exactly."""
    rng = np.random.default_rng(seed)
    optimizer = Optimizer({"x": (0, 30), "k": ["a", "b", "c"]}, direction=direction)
    levels = {k: rng.standard_normal() * (5.0 if rng.random() < 0.2 else 1.0) for k in "abc"}
    while len(optimizer.trials) < n:
        x, k = int(rng.integers(0, 31)), str(rng.choice(["a", "b", "c"]))
        level = levels[k] + math.sin(x / 5.0)
        level += 20.0 * (rng.random() < 0.1)  # a cliff of one configuration
        for _ in range(int(rng.integers(1, 5))):
            wrong = size * rng.choice([-1.0, 1.0]) if rng.random() < outliers else 0.0
            optimizer.tell(
                {"x": x, "k": k}, scale * (level + noise * rng.standard_normal() + wrong)
            )
    check(optimizer)


SPACES: dict[str, dict[str, Any]] = {
    "floats": {"x": (0.0, 1.0), "lr": (1e-4, 1.0, "log")},
    "mixed": {"x": (0.0, 1.0), "n": (0, 4), "c": ["a", "b", "c"]},
    "finite": {"n": (1, 64, "log"), "g": stoic.Grid([0.5, 1.0, 4.0]), "c": ["a", "b"]},
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32),
    space=st.sampled_from(list(SPACES)),
    n=st.integers(3, 36),
    noise=st.sampled_from([0.0, 0.01, 0.3]),
    outliers=st.sampled_from([0.0, 0.1, 0.4]),
    size=st.sampled_from([3.0, 100.0, 1e8]),
    bounds=st.sampled_from([None, (-4.0, None), (None, 4.0), (-4.0, 4.0)]),
    target=st.sampled_from(["median", "mean"]),
    direction=st.sampled_from(["maximize", "minimize"]),
)
def test_no_estimate_is_outside_of_the_range_of_agreeing_measurements(
    *,
    seed: int,
    space: str,
    n: int,
    noise: float,
    outliers: float,
    size: float,
    bounds: tuple[float | None, float | None] | None,
    target: str,
    direction: str,
) -> None:
    """Neither that of the answer nor that of any other configuration; no margin is allowed for."""
    rng = np.random.default_rng(seed)
    told = stoic.Space(SPACES[space])
    optimizer = Optimizer(told, direction=direction, target=target, bounds=bounds)
    while len(optimizer.trials) < n:
        point = told.snap(rng.random((1, told.dimension)))[0]
        level = float(np.sin(5.0 * point).sum()) + 2.0 * (rng.random() < 0.1)
        wrong = size * rng.choice([-1.0, 1.0]) if rng.random() < outliers else 0.0
        for _ in range(int(rng.integers(1, 6))):
            once = size * rng.choice([-1.0, 1.0]) if rng.random() < outliers else 0.0
            value = level + wrong * (rng.random() < 0.7) + once
            optimizer.tell(told.decode(point), value + noise * rng.standard_normal())
    best = optimizer.recommend()
    for params, trials in by_configuration(optimizer).items():
        named = dict(zip(told.names, params, strict=True))
        estimates = [optimizer.estimate(named)] + [best] * (best.params == named)
        values = [trial.value for trial in trials if optimizer.aim.allows(trial.value)]
        if len(values) == len(trials) >= 2 and agree(optimizer, values):
            for estimate in estimates:
                assert min(values) <= estimate.value <= max(values)
                assert estimate.interval[0] <= estimate.value <= estimate.interval[1]


def agree(optimizer: Optimizer, values: list[float]) -> bool:
    """Whether values agree by anybody's measure: within 1/100 of the spread of regular values."""
    scaling = optimizer.knowledge().regular.known.model.scaling
    return bool(np.ptp(scaling.units(np.array(values))) <= 0.01)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5.0, 5.0], [True, True]),
        ([5.0, 25.0], [False, False]),
        ([5.0, 5.001, 25.0], [True, True, False]),
        ([5.0, 5.0, 25.0, 25.0], [True] * 4),  # nobody can say which half is right
        ([5.0, 5.0, 25.0, 30.0, 35.0], [False] * 5),
        ([1e9, 1e9, 5.0], [True, True, False]),
        ([1e9, 1.001e9], [True, True]),  # far values agree in proportion
        ([1e9, 2e9], [False, False]),
        ([1e100, 1e290], [False, False]),
    ],
)
def test_which_measurements_agree(scale: float, values: list[float], expected: list[bool]) -> None:
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    for i in range(12):
        optimizer.tell({"x": i / 12.0}, scale * (i % 5 + 0.1 * i))
    for value in values:
        optimizer.tell({"x": 0.99}, scale * value)
    assert agreement(optimizer).agreeing[12:].tolist() == expected
    assert not agreement(optimizer).agreeing[:12].any()


def cliff(again: float, times: int, direction: str = "maximize") -> Optimizer:
    """A smooth hill, measured all over; one configuration near its top gave ``again``."""
    optimizer = Optimizer({"x": (0, 100)}, direction=direction)
    sign = 1.0 if direction == "maximize" else -1.0
    for x in [*range(0, 101, 4), 49, 50, 51]:
        optimizer.tell({"x": x}, sign * -(((x - 50) / 20.0) ** 2))
    for _ in range(times):
        optimizer.tell({"x": 47}, sign * again)
    return optimizer


def test_two_equal_absurd_values_are_no_suspects_and_no_answer() -> None:
    """A stuck sensor, or the truth about one configuration: a third measurement would tell."""
    optimizer = cliff(1e9, 2)
    assert not {s.trial for s in optimizer.suspects()} & {28, 29, 30}
    best = optimizer.recommend()
    assert best.params["x"] != 47
    assert best.value < 1.0
    assert "measure it once more" in optimizer.luckiest.why
    one = cliff(1e9, 1)
    assert [s.trial for s in one.suspects()] == [len(one.trials) - 1]


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_cliff_measured_again_and_again_is_believed(direction: str) -> None:
    sign = 1.0 if direction == "maximize" else -1.0
    high = cliff(8.0, 4, direction).recommend()
    assert high.params["x"] == 47
    assert abs(sign * high.value - 8.0) < 1.0
    assert high.interval[0] < sign * 8.0 < high.interval[1]
    low = cliff(-30.0, 4, direction)
    assert low.recommend().params["x"] != 47
    assert not low.suspects()


def test_where_all_else_is_worse_the_measurements_are_the_estimate() -> None:
    optimizer = Optimizer({"x": (0, 3)}, direction="maximize")
    for x, value in itertools.product(range(4), (0.0, 0.0, 0.0)):
        optimizer.tell({"x": x}, value - 5.0 * (x % 2))
    best = optimizer.recommend()
    assert best.params["x"] in (0, 2)
    assert abs(best.value) < 0.5
    check(optimizer)


# -- a real kernel --------------------------------------------------------------------------------


def test_no_answer_against_its_own_measurements_on_a_real_gpu_kernel() -> None:
    if not KERNELS.exists():
        pytest.skip("the timings of GPU kernels are not at ../shared/data/gpu_kernels")
    with gzip.open(KERNELS, "rt") as file:
        head, *rows = csv.reader(file)
    names = head[: head.index("t0")]
    kept = len(names)
    table = {tuple(map(int, row[:kept])): [float(t) for t in row[kept:] if t] for row in rows}
    space = {name: stoic.Grid(sorted({c[i] for c in table})) for i, name in enumerate(names)}
    optimizer = Optimizer(space, direction="minimize", seed=8)
    rng = np.random.default_rng([8, 7])
    for _ in range(60):
        params = optimizer.ask()
        repeats = table.get(tuple(params[name] for name in names))
        if repeats:
            optimizer.tell(params, float(rng.choice(repeats)))
        else:
            optimizer.fail(params, "invalid")
    assert check(optimizer) > 0
    best = optimizer.recommend()
    truth = float(np.median(table[tuple(best.params[name] for name in names)]))
    assert truth < 1.3
    assert abs(best.value - truth) < 0.1


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize("far", [1.0, 100.0, 1e6])
def test_far_values_that_agree_are_quoted_as_they_were_measured(direction: str, far: float) -> None:
    sign = 1.0 if direction == "minimize" else -1.0
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction=direction, seed=0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        params = optimizer.ask()
        optimizer.tell(params, sign * ((params["x"] - 0.3) ** 2 + 0.01 * rng.standard_normal()))
    told = [sign * (-far + 0.005 * i) for i in range(5)]
    for value in told:
        optimizer.tell({"x": 0.9}, value)
    answer = optimizer.recommend()
    assert answer.params == {"x": 0.9}
    assert min(told) <= answer.value <= max(told)
    assert answer.interval[0] <= min(told) < max(told) <= answer.interval[1]


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_where_no_surrogate_explains_the_values_all_measurements_count(direction: str) -> None:
    """Errors multiply values by up to 10⁸, so that two of one configuration hardly ever agree."""
    optimizer = Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction=direction)
    sign = 1.0 if direction == "minimize" else -1.0
    rng = np.random.default_rng(3)
    for point in rng.random((30, 2)):
        for _ in range(1 + int(rng.random() < 0.4)):
            value = (1.0 + 20.0 * float(((point - 0.5) ** 2).sum())) * 10.0 ** (8.0 * rng.random())
            optimizer.tell({"x": point[0], "y": point[1]}, sign * value)
    assert optimizer.knowledge().model.scaling.is_one_sided
    counted = 0
    for params, trials in by_configuration(optimizer).items():
        values = [trial.value for trial in trials]
        if len(values) > 1:
            counted += 1
            estimate = optimizer.estimate(dict(zip("xy", params, strict=True)))
            assert min(values) <= estimate.value <= max(values)
    assert counted > 5
