"""An answer at the edge of a range says so, with the side to widen, where the parameter matters."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.optimize.answers import Edge
from stoic.report import Result, render
from stoic.spaces import Float, Grid, Int, Space


def told(
    space: Space,
    f: Callable[[dict[str, Any]], float],
    *,
    noise: float = 0.1,
    n: int = 40,
    seed: int = 0,
    direction: str = "maximize",
) -> stoic.Optimizer:
    """An optimiser that knows noisy values at points up to all ends, one a huge outlier."""
    rng = np.random.default_rng(seed)
    optimizer = stoic.Optimizer(space, direction=direction)
    points = np.clip(1.3 * (space.sample(n, seed) - 0.5) + 0.5, 0.0, 1.0)
    for i, point in enumerate(points):
        params: dict[str, Any] = space.decode(point)
        value = f(params) + noise * rng.standard_normal()
        optimizer.tell(params, value + 500.0 * (i == n // 2))
    return optimizer


def found(space: Space, f: Callable[[dict[str, Any]], float], **how: Any) -> dict[str, str]:
    return {edge.name: edge.side for edge in told(space, f, **how).recommend().at_edge}


SPACE = Space({"n": Int(1, 64), "x": Float(0.0, 1.0), "idle": Float(0.0, 1.0)})


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_side_to_widen(seed: int, sign: float) -> None:
    direction = "maximize" if sign > 0 else "minimize"

    def up(p: dict[str, Any]) -> float:
        return sign * float(p["n"] / 20.0 - 4.0 * (p["x"] - 0.5) ** 2)

    def down(p: dict[str, Any]) -> float:
        return -sign * float(p["n"] / 20.0 + 4.0 * (p["x"] - 0.5) ** 2)

    assert found(SPACE, up, seed=seed, direction=direction) == {"n": "high"}
    assert found(SPACE, down, seed=seed, direction=direction) == {"n": "low"}


@pytest.mark.parametrize("seed", range(4))
def test_nothing_where_nothing_would_be_gained(seed: int) -> None:
    def inside(p: dict[str, Any]) -> float:
        return -float(((p["n"] - 30) / 16) ** 2 + 4.0 * (p["x"] - 0.5) ** 2)

    assert found(SPACE, inside, seed=seed) == {}
    assert found(SPACE, lambda _: 0.0, seed=seed) == {}
    assert found(SPACE, lambda _: 1.0, noise=0.0, seed=seed) == {}


@pytest.mark.parametrize(
    ("parameter", "rank", "side"),
    [
        (Grid([1, 8, 16, 64]), [1, 8, 16, 64].index, "high"),
        (Grid([64, 16, 8, 1]), [64, 16, 8, 1].index, "low"),
        (Grid(["s", "m", "l"]), ["s", "m", "l"].index, "high"),
        (Float(1e-4, 1.0, "log"), lambda v: 4 + np.log10(v), "high"),
        (Float(0.0, 1.0, step=0.25), lambda v: 4 * v, "high"),
        (Int(1, 1024, "log"), lambda v: np.log2(v), "high"),
        (Int(1, 3), lambda v: 2 * v, "high"),
        (Int(0, 1), lambda v: 4 * v, None),  # two values are a choice
        (["a", "b", "c", "d"], ["a", "b", "c", "d"].index, None),
    ],
    ids=lambda value: None if callable(value) else str(value),
)
def test_every_kind_of_parameter(parameter: Any, rank: Any, side: str | None) -> None:
    space = Space({"p": parameter, "x": Float(0.0, 1.0)})
    edges = found(space, lambda p: rank(p["p"]) - 4.0 * (p["x"] - 0.5) ** 2)
    assert edges == ({} if side is None else {"p": side})


def test_a_parameter_that_does_not_exist_in_the_answer_has_no_edge() -> None:
    space = Space({"opt": ["a", "b"], "m": Float(0.0, 1.0, when={"opt": "b"})})
    assert found(space, lambda p: 5.0 if p["opt"] == "a" else p["m"]) == {}
    assert found(space, lambda p: 0.0 if p["opt"] == "a" else 5.0 * p["m"]) == {"m": "high"}


def test_it_is_said_in_every_form() -> None:
    space = Space({"<b>\x1b[31mn": Int(1, 64), "x": Float(0.0, 1.0)})
    name = space.names[0]
    result = Result.of(told(space, lambda p: p[name] / 10.0))
    assert result.best is not None
    (edge,) = result.best.at_edge
    assert edge == Edge(name, "high", result.best.params[name], 1, 64)
    assert "the upper end of its range 1 to 64; consider a wider one" in str(edge)
    assert "at an edge: <b>\\x1b[31mn is" in " ".join(str(result).split())
    page = render(result, title="edges")
    assert "<b>At an edge:</b> &lt;b&gt;\\x1b[31mn is" in page
    data = json.loads(json.dumps(result.to_dict()))
    assert data["best"]["at_edge"][0]["side"] == "high"
