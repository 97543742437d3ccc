"""Rugged, discrete and deterministic problems: what was measured is not averaged away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from stoic.optimize import Optimizer
from stoic.optimize.auditing import to_repeat
from stoic.optimize.search import Search
from stoic.spaces import Space

PLANE = {"x": (-5.0, 5.0), "y": (-5.0, 5.0)}
LEVELS = {f"p{k}": [2**i for i in range(5)] for k in range(5)}


def ripples(p: dict[str, float]) -> float:
    """Rastrigin's function, without noise."""
    return sum(v * v - 10.0 * math.cos(2.0 * math.pi * v) + 10.0 for v in p.values())


def run(optimizer: Optimizer, f: Any, budget: int) -> Optimizer:
    for _ in range(budget):
        params = optimizer.ask()
        optimizer.tell(params, f(params))
    return optimizer


@pytest.mark.parametrize("seed", range(3))
def test_the_answer_of_a_deterministic_function_is_the_best_measurement(seed: int) -> None:
    optimizer = run(Optimizer(PLANE, direction="minimize", seed=seed), ripples, 45)
    answer, values = optimizer.recommend(), [t.value for t in optimizer.trials if t.value]
    assert ripples(answer.params) == pytest.approx(min(values), rel=1e-6)
    assert answer.measured >= 1
    assert answer.value == pytest.approx(min(values), rel=0.01, abs=0.1)
    assert len({tuple(t.params.values()) for t in optimizer.trials}) > 38


def test_replicates_are_due_after_the_design_and_at_doublings() -> None:
    optimizer = Optimizer(PLANE, direction="minimize")
    n0 = optimizer.history.design_size
    for _ in range(n0):
        params = optimizer.ask()
        optimizer.tell(params, ripples(params))
    best = min(optimizer.trials, key=lambda trial: trial.value or 0.0)
    assert optimizer.ask() == best.params
    optimizer.tell(best.params, best.value or 0.0)
    assert to_repeat(optimizer.history) is None
    for k in range(n0):  # as if the search had repeated nothing
        optimizer.tell({"x": k / 10.0, "y": 4.0}, 80.0 + k)
    assert to_repeat(optimizer.history) is not None


def test_a_batch_accounts_for_the_replicate() -> None:
    optimizer = run(Optimizer(PLANE, direction="minimize"), ripples, 8)
    batch = optimizer.ask(4)
    assert len({tuple(params.values()) for params in batch}) == 4


def test_neighbours_differ_in_one_or_two_parameters() -> None:
    space = Space(LEVELS)
    point = space.sample(1, 0)
    found = Search(space, 0).neighbours(point, round_=3)
    changed = np.array(
        [
            sum(
                a != b
                for a, b in zip(
                    space.decode(u).items(), space.decode(point[0]).items(), strict=True
                )
            )
            for u in found
        ]
    )
    assert set(changed) <= {0, 1, 2}
    assert (changed == 2).any()


def test_candidates_among_many_parameters_move_a_few() -> None:
    space = Space({f"x{k}": (0.0, 1.0) for k in range(40)} | {"c": ["a", "b", "c"]})
    search = Search(space, 0)
    assert search.many
    top = space.sample(2, 1)
    for found in (
        search.crossed(top, space.sample(50, 2), 5),
        search.around(top, np.ones(43), 9, 5),
    ):
        moved = np.array([min((u != t).sum() for t in top) for u in found])
        assert moved.max() <= 6 + 2  # a category has three columns
        assert moved.max() > 1
