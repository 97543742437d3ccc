"""Robot3D: the table is what the simulation gives."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput, MissingExtra, StoicError
from stoic.lab.problems import problems
from stoic.lab.problems.robot import robot3d
from stoic.lab.problems.robot_simulation import push

simulated = pytest.mark.skipif(
    importlib.util.find_spec("Box2D") is None, reason="needs the extra robot"
)


@simulated
def test_the_table_is_what_the_simulation_gives() -> None:
    for seed in range(10):
        table = robot3d(seed=seed)
        some = np.random.default_rng(seed).choice(100, 16, replace=False)
        rest = push(table.domain.X[some])
        f = 5.0 - np.hypot(rest[:, 0] - 3.0, rest[:, 1] - 2.0)
        np.testing.assert_allclose(f, table.f[some], rtol=0, atol=1e-6)


@simulated
def test_both_sources_give_the_same_problem() -> None:
    table, simulation = robot3d(seed=4), robot3d(seed=4, source="simulation")
    np.testing.assert_array_equal(table.domain.X, simulation.domain.X)
    np.testing.assert_allclose(table.f, simulation.f, rtol=0, atol=1e-6)


@simulated
def test_beyond_the_table_the_simulation_goes_on_and_the_table_repeats() -> None:
    simulation = robot3d(seed=14, source="simulation")
    assert not np.array_equal(simulation.domain.X, robot3d(seed=4).domain.X)
    np.testing.assert_array_equal(robot3d(seed=14).f, robot3d(seed=4).f)


@simulated
def test_pushes_that_can_be_foretold() -> None:
    left, right, far = push(np.array([[-2.0, 0.01, 20.0], [2.0, 0.01, 20.0], [-5.0, 5.0, 1.0]]))
    assert left[0] > 1.0  # pushed from the left, the disc goes right
    assert right[0] < -1.0
    assert far.tolist() == [0.0, 0.0]  # the hand does not get there in time


@pytest.mark.parametrize("seed", range(10))
def test_the_problem_is_the_papers(seed: int) -> None:
    problem = robot3d(seed=seed)
    X = problem.domain.X
    rng = np.random.default_rng(seed)
    np.testing.assert_array_equal(X[:, :2], rng.uniform(-5, 5, (100, 2)))
    np.testing.assert_array_equal(X[:, 2], rng.uniform(1, 30, 100))
    assert isinstance(problem.kernel, stoic.SquaredExponential)
    assert problem.kernel(X[:1], X[:1] + 2.0)[0, 0] == pytest.approx(np.exp(-1.5))  # l = 2
    assert problem.norm_bound == np.abs(problem.f).max()
    assert problem.target is not None
    np.testing.assert_array_equal(problem.target, X[:, 0] >= 0)
    assert not problem.target[problem.best]
    assert problem.f.max() < 5.0


def test_it_is_registered() -> None:
    problem = problems.make({"kind": "robot3d"}, seed=3, horizon=10)
    np.testing.assert_array_equal(problem.f, robot3d(seed=3).f)


def test_trials_can_share_a_set_of_pushes() -> None:
    shared = [robot3d(seed=seed, pushes=3) for seed in (0, 8)]
    for problem in shared:
        np.testing.assert_array_equal(problem.domain.X, robot3d(seed=3).domain.X)
        np.testing.assert_array_equal(problem.f, robot3d(seed=3).f)


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="pushes"):
        robot3d(seed=0, pushes=-1)
    with pytest.raises(InvalidInput, match="'table', 'simulation'"):
        robot3d(seed=0, source="dream")
    with pytest.raises(InvalidInput):
        robot3d(seed=-1)


def test_without_box2d_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Box2D", None)
    with pytest.raises(MissingExtra, match=r"pip install 'stoic\[robot\]'") as caught:
        robot3d(seed=0, source="simulation")
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, StoicError)
    assert len(robot3d(seed=0).f) == 100  # the table needs nothing
