"""Small problems and short runs of the optimiser on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stoic.optimize import Optimizer
from stoic.spaces import Float, Space

Params = dict[str, Any]

SQUARE: dict[str, Any] = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
MIXED: dict[str, Any] = {
    "lr": (1e-5, 1e-1, "log"),
    "n": (1, 9),
    "opt": ["adam", "sgd", "lion"],
    "momentum": Float(0.0, 0.99, when={"opt": ["sgd", "lion"]}),
}
GOOD: Params = {"lr": 1e-3, "n": 4, "opt": "sgd", "momentum": 0.5}


def bowl(p: Params) -> float:
    """Best, and zero, at (0.3, 0.6)."""
    return float(-((p["x"] - 0.3) ** 2) - 2.0 * (p["y"] - 0.6) ** 2)


def tuned(p: Params) -> float:
    """Best, and one, with sgd, 6, 1e-3 and a momentum of 0.7."""
    value = -((math.log10(p["lr"]) + 3.0) ** 2) - 0.1 * (p["n"] - 6) ** 2
    return float(value + (p["opt"] == "sgd") - (p.get("momentum", 0.5) - 0.7) ** 2)


def run(optimizer: Optimizer, fn: Callable[[Params], float | None], n: int) -> list[Params]:
    """``n`` rounds; None is a failure."""
    asked = []
    for _ in range(n):
        params = optimizer.ask()
        asked.append(dict(params))
        value = fn(params)
        if value is None:
            optimizer.fail(params, "crashed")
        else:
            optimizer.tell(params, value)
    return asked


def replayed(optimizer: Optimizer, told: Sequence[Mapping[str, Any]] | None = None) -> Optimizer:
    """A new optimiser with the same trials, or with those of the configurations ``told``."""
    again = Optimizer(optimizer.space, direction=optimizer.direction, seed=optimizer.seed)
    if told is None:
        told = [trial.params for trial in optimizer.trials]
    for params, trial in zip(told, optimizer.trials, strict=False):
        if trial.value is None:
            again.fail(params, trial.reason or "")
        else:
            again.tell(params, trial.value)
    return again


def coordinates(space: Space, asked: Iterable[Params]) -> np.ndarray[Any, Any]:
    return np.array([space.encode(params) for params in asked])


def told_bowl(n: int = 14, seed: int = 0) -> Optimizer:
    optimizer = Optimizer(SQUARE, direction="maximize", seed=seed)
    run(optimizer, bowl, n)
    return optimizer
