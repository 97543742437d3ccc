"""Results made by hand, for tests of what is drawn and written from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.lab.experiments.one_run import checkpoints
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case

MANIFEST = {
    "experiments": [{"name": "e", "attack": [{"label": "none"}, {"label": "flip"}]}],
    "runs": {"done": 4, "total": 4},
    "versions": {"stoic": "0.1", "numpy": "2.0"},
    "platform": "Linux",
}


def case(policy: str, **other: Any) -> Case:
    """A case with the given fields; the others have defaults."""
    settings: dict[str, Any] = {
        "experiment": "e", "problem": "f", "noise": "t₃", "attack": "none",
        "schedule": "theory", "horizon": 200,
    }  # fmt: skip
    return Case(**{**settings, **other}, policy=policy)


def make(cases: Iterable[Case], *, trials: int = 4, first: int = 0, seed: int = 0) -> Results:
    """Regret c·√t at t, with a level c of each policy and trial, and all further tables."""
    rng = np.random.default_rng(seed)
    tables: dict[str, dict[str, list[Any]]] = {}
    levels: dict[str, float] = {}
    for one in cases:
        level = levels.setdefault(one.policy, 1.0 + len(levels))
        for trial in range(first, first + trials):
            parts = _tables(one, level * (1.0 + 0.1 * rng.random()), rng)
            for name, columns in parts.items():
                n = len(columns["t" if "t" in columns else "arm"])
                labels = {**asdict(one), "trial": trial}
                full = {k: np.array([v] * n) for k, v in labels.items()} | columns
                for column, values in full.items():
                    tables.setdefault(name, {}).setdefault(column, []).append(values)
    joined = {
        name: {column: np.concatenate(values) for column, values in columns.items()}
        for name, columns in tables.items()
    }
    return Results(joined, MANIFEST)


def _tables(one: Case, level: float, rng: np.random.Generator) -> dict[str, dict[str, Array]]:
    t = checkpoints(one.horizon, 40)
    x = np.linspace(0.0, 1.0, 9)
    curves: dict[str, Any] = {
        "t": t,
        "regret": level * np.sqrt(t),
        "features": np.full(len(t), np.nan) if one.policy == "Uniform" else np.minimum(t, 20.0),
        "least_ratio": 1.0 - 0.2 * rng.random(len(t)),
        "largest_ratio": 1.0 + rng.random(len(t)),
        "effective_dimension": np.log1p(t),
    }
    epochs: dict[str, Any] = {"epoch": np.arange(1, 4), "t": 10 * np.arange(1, 4)}
    epochs["active"] = np.array([50, 9, 1]) + rng.integers(0, 3)
    beliefs: dict[str, Any] = {"arm": np.arange(9), "x": x, "f": x**2, "mean": x**2 + 0.1 * level}
    beliefs |= {"std": 0.1 + 0.0 * x, "lower": x**2 - level, "upper": x**2 + level}
    seconds: dict[str, Any] = {"t": t, "seconds": 1e-4 * level * t}
    return {"curves": curves, "epochs": epochs, "beliefs": beliefs, "seconds": seconds}
