"""A policy of one's own takes part in an experiment."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np

from stoic.lab.experiments import load, run
from stoic.lab.experiments.one_run import load_object

HERE = Path(__file__).parent


def test_it_runs_beside_ours(tmp_path: Path) -> None:
    experiment = replace(load(HERE / "own_experiment.toml"), trials=2, horizons=(300,))
    results = run(experiment, tmp_path, workers=2)
    ends = {curve.case.policy: curve.end / 300 for curve in results.curves()}
    assert set(ends) == {"TGP-UCB", "EpsilonGreedy"}
    assert np.isfinite(list(ends.values())).all()
    assert ends["TGP-UCB"].mean() < ends["EpsilonGreedy"].mean()


def test_it_is_short() -> None:
    lines = inspect.getsource(load_object(f"{HERE / 'own_policy.py'}:EpsilonGreedy")).splitlines()
    assert len([line for line in lines if line.strip()]) <= 20
