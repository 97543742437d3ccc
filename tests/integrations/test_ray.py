"""Stoic inside Ray Tune: spaces, failures, state, and whole runs with two workers."""

from __future__ import annotations

import copy
import json
import logging
import math
import os
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.tune", reason="Ray is not installed: pip install 'stoic[ray]'")

os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
os.environ.setdefault("TUNE_DISABLE_AUTO_CALLBACK_LOGGERS", "1")

import ray
from ray import tune
from ray.tune.search import ConcurrencyLimiter

from helpers.programs import environment
from stoic.errors import InvalidInput, InvalidParams, InvalidState
from stoic.integrations.ray import StoicSearch
from stoic.spaces import Float, Space

NESTED: dict[str, Any] = {
    "lr": tune.loguniform(1e-5, 1e-1),
    "net": {"depth": tune.randint(1, 4), "sizes": [8, tune.choice([16, 32, 64]), 4], "name": "mlp"},
    "act": tune.choice(["relu", None, [2, 2], {"a": 1}]),
    "drop": tune.quniform(0.0, 0.5, 0.1),
    "batch": tune.qrandint(32, 4096, 32),
    "steps": tune.qloguniform(1.0, 1000.0, 0.5),
    "list": [1, 2, 3],
    "num": 4,
}
X = {"x": tune.uniform(0, 1)}


def loss(config: dict[str, Any], number: int) -> float:
    """(x − 0.3)², with noise, and 10 less in every tenth trial."""
    noise = 0.02 * random.Random(number).gauss(0.0, 1.0)
    return float((config["x"] - 0.3) ** 2) + noise - 10.0 * (number % 10 == 7)


def play(searcher: StoicSearch, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        config = searcher.suggest(f"t{number}")
        assert config is not None
        searcher.on_trial_complete(f"t{number}", {"loss": loss(config, number)})


# -- spaces -------------------------------------------------------------------------------------


def test_nested_configurations_keep_constants_and_lists() -> None:
    searcher = StoicSearch(NESTED, "loss", "min")
    config: dict[str, Any] = {}
    seen: dict[str, set[Any]] = {"act": set(), "size": set()}
    for number in range(12):
        config = searcher.suggest(str(number)) or {}
        assert config.keys() == NESTED.keys()
        assert (config["list"], config["num"], config["net"]["name"]) == ([1, 2, 3], 4, "mlp")
        assert 1e-5 <= config["lr"] <= 1e-1
        assert config["net"]["depth"] in (1, 2, 3)
        first, middle, last = config["net"]["sizes"]
        assert (first, last) == (8, 4)
        assert middle in (16, 32, 64)
        assert config["drop"] in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
        assert config["batch"] % 32 == 0
        assert 32 <= config["batch"] <= 4096
        assert config["steps"] * 2 == int(config["steps"] * 2)
        seen["act"].add(json.dumps(config["act"]))
        seen["size"].add(middle)
        searcher.on_trial_complete(str(number), {"loss": config["lr"]})
    assert seen["act"] == {'"relu"', "null", "[2, 2]", '{"a": 1}'}
    assert seen["size"] == {16, 32, 64}
    searcher.add_evaluated_point(config, 0.5)
    params = [told for told, _, _ in searcher.get_state()["told"]]
    assert params[-1] == params[-2]  # the same configuration, read back
    assert searcher.recommend().params["net"]["name"] == "mlp"


def test_a_space_of_stoic_has_conditions() -> None:
    space = Space({"opt": ["adam", "sgd"], "momentum": Float(0.0, 0.9, when={"opt": "sgd"})})
    searcher = StoicSearch(space, "loss", "min")
    for number in range(8):
        config = searcher.suggest(str(number)) or {}
        assert ("momentum" in config) == (config["opt"] == "sgd")
        searcher.on_trial_complete(str(number), {"loss": 1.0})
    searcher.add_evaluated_point({"opt": "adam"}, 2.0)


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({"x": tune.grid_search([1, 2])}, r"tune.choice\(\[1, 2\]\)"),
        ({"x": tune.randn(0, 1)}, "write a range with bounds"),
        ({"x": tune.sample_from(lambda s: len(s))}, "write a range with bounds"),
        ({"x": tune.choice([tune.uniform(0, 1), 2])}, "name it apart"),
        ({"x": tune.choice([1])}, "at least two values"),
        ({"x": 1}, "constants alone"),
        ({}, "param_space"),
        ([1], "param_space"),
        ({"a": {"b": tune.uniform(0, 1)}, "a/b": tune.uniform(0, 1)}, "'a/b' twice"),
    ],
)
def test_spaces_that_are_refused(space: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        StoicSearch(space, "loss", "min")


@pytest.mark.parametrize(
    ("metric", "mode", "words"),
    [
        (["a", "b"], ["min", "min"], "one metric"),
        ("loss", "minimum", "'min', 'max'"),
        ("loss", None, "a metric and a mode"),
        (None, "min", "a metric and a mode"),
    ],
)
def test_goals_that_are_refused(metric: Any, mode: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        StoicSearch(X, metric, mode).suggest("a")


def test_the_tuner_gives_what_is_missing_and_nothing_else() -> None:
    searcher = StoicSearch()
    with pytest.raises(InvalidInput, match="param_space"):
        searcher.suggest("a")
    assert searcher.set_search_properties("loss", "max", X)
    assert (searcher.metric, searcher.mode) == ("loss", "max")
    assert searcher.set_search_properties("loss", "max", X)  # the same again, after a restore
    assert searcher.set_search_properties(None, None, {})
    assert not searcher.set_search_properties("loss", "min", X)
    assert not searcher.set_search_properties("score", "max", X)
    assert not searcher.set_search_properties("loss", "max", {"x": tune.uniform(0, 2)})


# -- results ------------------------------------------------------------------------------------


def test_the_answer_is_the_best_estimate_not_the_luckiest() -> None:
    searcher = StoicSearch(X, "loss", "min")
    play(searcher, 40)
    answer = searcher.recommend()
    assert abs(answer.params["x"] - 0.3) < 0.12
    low, high = answer.interval
    assert -0.1 < low < high < 0.1
    assert set(searcher.suspects()) == {"t7", "t17", "t27", "t37"}


def test_the_mean_within_bounds(tmp_path: Path) -> None:
    searcher = StoicSearch(X, "loss", "min", target="mean", bounds=(0, None))
    play(searcher, 20)
    searcher.save(str(tmp_path / "searcher.json"))
    restored = StoicSearch()
    restored.restore(str(tmp_path / "searcher.json"))
    for each in (searcher, restored, copy.deepcopy(searcher)):
        answer = each.recommend()
        assert answer.target == "mean"
        assert 0.0 <= answer.interval[0] <= answer.value
    with pytest.raises(InvalidInput, match="low < high"):
        StoicSearch(X, "loss", "min", bounds=(1, 0))


@pytest.mark.parametrize(
    "result",
    [None, {}, {"other": 1.0}, *({"loss": v} for v in (math.nan, math.inf, -math.inf, None, "x"))],
)
def test_what_is_no_value_is_a_failure(result: Any) -> None:
    searcher = StoicSearch(X, "loss", "min")
    searcher.suggest("a")
    searcher.on_trial_result("a", {"loss": math.nan})
    searcher.on_trial_complete("a", result)
    searcher.suggest("b")
    searcher.on_trial_complete("b", {"loss": 1.0}, error=True)
    told = searcher.get_state()["told"]
    assert [value for _, value, _ in told] == [None, None]
    assert all(reason for _, _, reason in told)
    assert searcher.suggest("c") is not None


def test_results_after_completion_change_nothing() -> None:
    searcher = StoicSearch(X, "loss", "min")
    play(searcher, 3)
    before = searcher.get_state()
    searcher.on_trial_result("t1", {"loss": 9.0})
    searcher.on_trial_complete("t1", {"loss": 9.0})
    searcher.on_trial_complete("never suggested", {"loss": 9.0})
    assert searcher.get_state() == before


def test_a_trial_has_one_configuration_and_others_account_for_it() -> None:
    searcher = StoicSearch(X, "loss", "min")
    play(searcher, 10)
    assert searcher.suggest("a") == searcher.suggest("a")
    assert searcher.suggest("a") != searcher.suggest("b")


def test_the_number_of_running_trials_is_limited() -> None:
    limited = ConcurrencyLimiter(StoicSearch(X, "loss", "min"), max_concurrent=2)
    first, second = limited.suggest("a"), limited.suggest("b")
    assert first
    assert second
    assert limited.suggest("c") is None
    limited.on_trial_complete("a", {"loss": 1.0})
    assert limited.suggest("c")
    with pytest.raises(InvalidInput, match="max_concurrent"):
        StoicSearch().set_max_concurrency(0)


def test_points_come_first_and_points_from_elsewhere_count() -> None:
    points = [{"x": 0.25}, {"x": 0.75}]
    searcher = StoicSearch(X, "loss", "min", points_to_evaluate=points)
    assert [searcher.suggest("a"), searcher.suggest("b")] == points
    for x in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        searcher.add_evaluated_point({"x": x}, (x - 0.3) ** 2)
    searcher.add_evaluated_point({"x": 0.9}, math.nan)
    searcher.add_evaluated_point({"x": 0.9}, 0.0, error=True)
    searcher.add_evaluated_point({"x": 0.9}, 0.0, pruned=True)
    assert len(searcher.get_state()["told"]) == 9
    assert abs(searcher.recommend().params["x"] - 0.3) < 0.1
    with pytest.raises(InvalidParams):
        searcher.add_evaluated_point({"x": 2.0}, 1.0)
    with pytest.raises(InvalidInput, match="'x'"):
        searcher.add_evaluated_point({"y": 2.0}, 1.0)


# -- state --------------------------------------------------------------------------------------


def continuations(*searchers: StoicSearch) -> list[list[Any]]:
    found = []
    for searcher in searchers:
        configs = [searcher.suggest(f"next{i}") for i in range(2)]
        play(searcher, 2, first=100)
        found.append([*configs, searcher.suggest("last"), searcher.recommend()])
    return found


def test_copies_go_on_the_same(tmp_path: Path) -> None:
    searcher = StoicSearch(X, "loss", "min", seed=3)
    play(searcher, 12)
    searcher.suggest("running")
    path = tmp_path / "searcher.pkl"
    searcher.save(str(path))
    json.loads(path.read_text())  # no pickle
    restored, spaced = StoicSearch(), StoicSearch(X)
    restored.restore(str(path))
    spaced.restore(str(path))
    copies = [copy.deepcopy(searcher), pickle.loads(pickle.dumps(searcher)), restored, spaced]
    expected, *others = continuations(searcher, *copies)
    for found in others:
        assert found == expected


def test_new_and_peculiar_searchers_are_copied() -> None:
    assert copy.deepcopy(StoicSearch(seed=5)).get_state() == StoicSearch(seed=5).get_state()
    anything = {"x": tune.uniform(0, 1), "fn": tune.choice([math.sin, math.cos]), "t": (1, 2)}
    searcher = StoicSearch(anything, "loss", "min", points_to_evaluate=[{"x": 0.5, "fn": math.cos}])
    again = pickle.loads(pickle.dumps(searcher))
    assert again.suggest("a") == {"x": 0.5, "fn": math.cos, "t": (1, 2)}
    with pytest.raises(InvalidState, match="give StoicSearch the same space"):
        StoicSearch().set_state(again.get_state())
    same = StoicSearch(anything)
    same.set_state(again.get_state())
    assert same.suggest("b") == again.suggest("b")


@pytest.mark.parametrize(
    "damage",
    [
        {"format": "else"}, {"version": 2}, {"mode": "up"}, {"seed": -1}, {"space": {}},
        {"told": [[{"x": 7.0}, 1.0, None]]}, {"told": [[{"x": 0.5}, "high", None]]}, {"told": 3},
        {"finished": []}, {"running": [["a", {"y": 1}]]}, {"running": [["a", 4]]},
        {"suggested": "many"}, {"max_concurrent": 0}, {"target": "mode"}, {"bounds": [1, 0]},
    ],
)  # fmt: skip
def test_damaged_states_are_refused_and_change_nothing(damage: dict[str, Any]) -> None:
    searcher = StoicSearch(X, "loss", "min")
    play(searcher, 1)
    before = searcher.get_state()
    with pytest.raises(InvalidState):
        searcher.set_state(before | damage)
    assert searcher.get_state() == before


def test_a_file_that_is_no_state_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.pkl"
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(InvalidState):
        StoicSearch().restore(str(path))


def test_without_ray_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['ray'] = None; import stoic.integrations.ray"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment()
    )
    assert "MissingExtra" in done.stderr
    assert "pip install 'stoic[ray]'" in done.stderr


# -- whole runs ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    # short: the path of a socket has at most 107 characters
    folder = tmp_path_factory.mktemp("r", numbered=True)
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR,
        object_store_memory=80_000_000, _temp_dir=str(folder),
    )  # fmt: skip
    yield
    ray.shutdown()


@pytest.mark.filterwarnings("ignore")  # of Ray itself
@pytest.mark.usefixtures("cluster")
def test_a_run_of_20_trials_with_two_workers_and_its_restored_searcher(tmp_path: Path) -> None:
    def report(config: dict[str, Any]) -> None:  # within: Ray's workers do not import this file
        x = config["x"]
        if 0.9 < x < 0.93:
            raise RuntimeError("crashed")
        bad = math.inf if x > 0.85 else -math.inf if x > 0.8 else math.nan if x > 0.75 else None
        tune.report({"loss": (x - 0.3) ** 2 if bad is None else bad})

    searcher = StoicSearch(seed=1)
    tuner = tune.Tuner(
        report,
        param_space={**X, "list": [1, 2, 3], "net": {"depth": 4}},
        tune_config=tune.TuneConfig(
            search_alg=searcher, metric="loss", mode="min", num_samples=20,
            max_concurrent_trials=2, reuse_actors=True,
        ),
        run_config=tune.RunConfig(storage_path=str(tmp_path), name="run", verbose=0),
    )  # fmt: skip
    results = tuner.fit()
    assert len(results) == 20
    for result in (results[i] for i in range(20)):
        assert result.config is not None
        assert (result.config["list"], result.config["net"]) == ([1, 2, 3], {"depth": 4})
    told = searcher.get_state()["told"]
    assert len(told) == 20
    assert all((value is None) == (params["x"] > 0.75) for params, value, _ in told)
    answer = searcher.recommend()
    assert abs(answer.params["x"] - 0.3) < 0.05
    restored = StoicSearch()
    restored.restore_from_dir(results.experiment_path)
    assert restored.recommend() == answer
    assert [restored.suggest(str(i)) for i in range(3)] == [
        searcher.suggest(str(i)) for i in range(3)
    ]
    more = StoicSearch(X, "loss", "min")
    more.add_evaluated_trials(tune.ExperimentAnalysis(results.experiment_path), "loss")
    assert sum(value is not None for _, value, _ in more.get_state()["told"]) == sum(
        value is not None for _, value, _ in told
    )


@pytest.mark.filterwarnings("ignore")  # of Ray itself
@pytest.mark.usefixtures("cluster")
def test_the_blocks_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    page = Path(__file__).parents[2] / "docs" / "integrations" / "ray.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S)
    names: dict[str, Any] = {"__name__": "__main__"}  # Ray's workers get its functions by value
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    assert abs(names["answer"].params["lr"] - 0.01) < 0.02
    assert names["answer"].params["net"]["kind"] == "mlp"
