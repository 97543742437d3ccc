"""What another measurement could gain: large at first, small at the end, in the values' unit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stoic
from stoic.optimize import Optimizer
from stoic.optimize.acquisition import Acquisition


def told(n: int, unit: float = 1.0, noise: float = 0.5) -> Optimizer:
    """An optimiser of a noisy parabola with values in some unit."""
    rng = np.random.default_rng(3)
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    for _ in range(n):
        params = optimizer.ask()
        y = 100.0 * (params["x"] - 0.3) ** 2 + noise * rng.standard_normal()
        optimizer.tell(params, unit * y)
    return optimizer


def test_nothing_is_known_before_the_first_design() -> None:
    assert Optimizer({"x": (0.0, 1.0)}, direction="minimize").room() is None
    assert told(2).room() is None


def test_little_is_left_in_the_end() -> None:
    early, late = told(8).room(), told(40).room()
    assert early is not None
    assert late is not None
    assert late.gain < early.gain
    assert late.settled
    assert late.std < 1.0  # a few noisy measurements at the best point
    assert late.settled == told(40).settled()


@pytest.mark.parametrize(
    ("gain", "better", "expected"),
    [(0.0, 0.0, True), (0.019, 0.15, True), (0.021, 0.0, False), (0.0, 0.17, False)],
)
def test_a_search_is_settled_where_no_surrogate_expects_a_better_point(
    monkeypatch: pytest.MonkeyPatch, gain: float, better: float, expected: bool
) -> None:
    """The last surrogate is the one of short length-scales, which has little weight."""
    optimizer = told(40)

    def prospects(_: object, committee: list[object], *__: object) -> np.ndarray:
        found = np.full((len(committee), 2), [gain, 0.0])
        found[-1, 1] = better
        return found

    monkeypatch.setattr(Acquisition, "prospects", prospects)
    assert optimizer.settled() is expected


def test_a_search_is_not_settled_by_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    optimizer = told(40)
    looks: list[int] = []

    def prospects(_: object, committee: list[object], *rest: object) -> np.ndarray:
        looks.append(int(str(rest[-1])))
        return np.full((len(committee), 2), 0.0 if len(looks) < 5 else 1.0)

    monkeypatch.setattr(Acquisition, "prospects", prospects)
    assert not optimizer.settled()
    assert looks == [40, 38, 36, 34, 32]


def test_it_is_in_the_unit_of_the_values() -> None:
    one, thousand = told(20).room(), told(20, 1024.0).room()
    assert one is not None
    assert thousand is not None
    assert thousand.gain == pytest.approx(1024.0 * one.gain)
    assert thousand.std == pytest.approx(1024.0 * one.std)
    assert thousand.settled is one.settled


def test_a_study_knows_it_too(tmp_path: object) -> None:
    with stoic.Study(f"{tmp_path}/s.db", space={"x": (0.0, 1.0)}, direction="minimize") as study:
        assert study.informed().room() is None
        for i in range(12):
            study.add({"x": i / 11}, (i / 11 - 0.3) ** 2)
        room = study.informed().room()
        assert room is not None
        assert math.isfinite(room.gain)
