"""Each example inside its host, where that is installed; and the length of all of them."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent

APP = """
import hydra

@hydra.main(version_base=None, config_path=None)
def app(config):
    x = float(config.x)
    if x > 0.8:
        raise ValueError("crashed")
    return (x - 0.3) ** 2 + (0.1 if config.opt == "sgd" else 0.0)

app()
"""


def value(x: float, number: int) -> float:
    """(x − 0.3)², and 10 less in every eighth evaluation."""
    return (x - 0.3) ** 2 - 10.0 * (number % 8 == 5)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    """The module of an example, or a skip where its host is not installed."""
    host, name = request.param
    pytest.importorskip(host, reason=f"{host} is not installed")
    monkeypatch.syspath_prepend(str(HERE))
    return import_module(name)


def test_examples_are_short() -> None:
    files = [*HERE.glob("*_*.py"), *HERE.glob("hydra_plugins/*.py")]
    for file in files:
        if not file.name.startswith("test_"):
            assert len(file.read_text(encoding="utf-8").splitlines()) <= 60, file.name
    assert len(files) >= 5


@pytest.mark.filterwarnings("ignore")  # of Nevergrad, about an infinite loss
@pytest.mark.parametrize("example", [("nevergrad", "nevergrad_registry")], indirect=True)
def test_nevergrad(example: Any) -> None:
    ng = import_module("nevergrad")
    space = ng.p.Instrumentation(
        x=ng.p.Scalar(lower=0.0, upper=1.0),
        lr=ng.p.Log(lower=1e-4, upper=1.0),
        opt=ng.p.Choice(["adam", "sgd"]),
        n=ng.p.Scalar(lower=1, upper=4).set_integer_casting(),
    )
    optimizer = ng.optimizers.registry["Stoic"](parametrization=space, budget=30)
    assert isinstance(optimizer, example.Stoic)
    for number in range(30):
        candidate = optimizer.ask()
        x, n = candidate.kwargs["x"], candidate.kwargs["n"]
        assert 0.0 <= x <= 1.0
        assert n in (1, 2, 3, 4)
        assert 1e-4 <= candidate.kwargs["lr"] <= 1.0
        optimizer.tell(candidate, math.inf if x > 0.8 else value(x, number))
    best = optimizer.provide_recommendation()
    assert abs(best.kwargs["x"] - 0.3) < 0.2
    assert best.kwargs["opt"] in ("adam", "sgd")


@pytest.mark.parametrize("example", [("mlos_core", "mlos_optimizer")], indirect=True)
def test_mlos(example: Any) -> None:
    space = import_module("ConfigSpace").ConfigurationSpace(
        {"x": (0.0, 1.0), "n": (1, 8), "opt": ["adam", "sgd"]}, seed=0
    )
    classes, pd = import_module("mlos_core.data_classes"), import_module("pandas")
    optimizer = example.StoicOptimizer(parameter_space=space, optimization_targets=["score"])
    for number in range(25):
        suggestion = optimizer.suggest()
        x = suggestion.config["x"]
        assert suggestion.config["opt"] in ("adam", "sgd")
        optimizer.register_pending(suggestion)
        score = pd.Series({"score": math.inf if x > 0.8 else value(x, number)})
        observation = classes.Observation(config=suggestion.config, score=score)
        optimizer.register(observations=classes.Observations(observations=[observation]))
    assert len(optimizer.optimizer.trials) == 25
    assert abs(optimizer.optimizer.recommend().params["x"] - 0.3) < 0.2


@pytest.mark.parametrize("example", [("ax", "ax_node")], indirect=True)
@pytest.mark.filterwarnings("ignore")  # of Ax itself
def test_ax(example: Any) -> None:
    client = import_module("ax.api.client").Client()
    configs = import_module("ax.api.configs")
    strategy = import_module("ax.generation_strategy.generation_strategy")
    client.configure_experiment(
        parameters=[
            configs.RangeParameterConfig(name="x", parameter_type="float", bounds=(0.0, 1.0)),
            configs.RangeParameterConfig(name="n", parameter_type="int", bounds=(1, 8)),
            configs.ChoiceParameterConfig(
                name="opt", parameter_type="str", values=["adam", "sgd"], is_ordered=False
            ),
        ]
    )
    client.configure_optimization(objective="-loss")
    node = example.StoicNode()
    client.set_generation_strategy(strategy.GenerationStrategy(name="Stoic", nodes=[node]))
    for number in range(20):
        for index, params in client.get_next_trials(max_trials=1).items():
            if params["x"] > 0.8:
                client.mark_trial_failed(trial_index=index)
            else:
                loss = value(params["x"], number)
                client.complete_trial(trial_index=index, raw_data={"loss": loss})
    client.get_next_trials(max_trials=1)
    assert node.optimizer.direction == "minimize"
    assert len(node.optimizer.trials) == 20
    assert abs(node.optimizer.recommend().params["x"] - 0.3) < 0.2


def test_hydra(tmp_path: Path) -> None:
    pytest.importorskip("hydra", reason="hydra is not installed")
    (tmp_path / "app.py").write_text(APP)
    src = HERE.parents[1] / "src"
    words = ["--multirun", "hydra/sweeper=stoic", "hydra.sweeper.n_trials=12", "+x=interval(0,1)"]
    done = subprocess.run(
        [sys.executable, "app.py", *words, "+opt=choice(adam,sgd)", "hydra.sweep.dir=runs"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": f"{HERE}:{src}:{os.environ.get('PYTHONPATH', '')}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len([path for path in (tmp_path / "runs").iterdir() if path.is_dir()]) == 12
