"""f₁ and the pushes of Robot3D are what the search finds; the checks count what they say."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from helpers.soak import SOAK
from stoic.lab.experiments.catalogue.bogunovic2022.checks import alone, late_loss, sticks
from stoic.lab.experiments.catalogue.bogunovic2022.search import (
    best_alone,
    candidate,
    first_draw,
    likeliest_lengthscale,
    simulated,
)
from stoic.lab.experiments.catalogue.bogunovic2022.worlds import F1, PUSHES, WORLDS, experiment
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case
from stoic.lab.problems import problems


def test_f1_meets_the_facts_that_need_no_simulation() -> None:
    found = candidate("f1", F1)
    assert (found.refused, found.outside) == ("", True)
    problem = problems.make({"kind": "gp-sample", "function": F1}, seed=0)
    X, f = problem.domain.X, problem.f
    best = X[np.argmax(f)]
    assert best[0] > best[1]
    assert found.lead == pytest.approx(f.max() - f[X[:, 0] <= X[:, 1]].max())
    assert 0.0 < found.lead < 1.0
    assert found.sticking == 0  # no arm but the best keeps GP-UCB for ever
    assert candidate("f1", F1 - 1).refused


def test_draws_are_refused_by_simulation() -> None:
    assert candidate("f1", 2).refused == ""
    assert simulated("f1", 2, candidate("f1", 2).gap) == "GP-UCB, no attack"


def test_the_pushes_meet_the_facts_that_need_no_simulation() -> None:
    found = candidate("robot", PUSHES)
    assert (found.refused, found.outside) == ("", True)
    assert 0.0 < found.lead < 3.0
    assert round(found.lengthscale) == 2
    assert candidate("robot", 1).refused == "length-scale not 2"
    problem = problems.make({"kind": "robot3d", "pushes": PUSHES}, seed=7)
    assert likeliest_lengthscale(problem) == found.lengthscale  # of every trial


@pytest.mark.skipif(not SOAK, reason="minutes; make soak")
@pytest.mark.parametrize(("world", "number"), [("f1", F1), ("robot", PUSHES)])
def test_the_search_finds_them_again(world: str, number: int) -> None:
    assert first_draw(world) == number


def test_all_trials_share_the_function_and_the_pushes() -> None:
    for world, option in (("f1", "function"), ("robot", "pushes")):
        (run, *_), (table,) = list(experiment("x", world, 50.0, False).runs()), (WORLDS[world],)
        assert run.problem[option] == table[option]
        one, other = (problems.make(run.problem, seed=seed) for seed in (0, 9))
        np.testing.assert_array_equal(one.f, other.f)


# -- checks ---------------------------------------------------------------------------------------


def made(active: list[list[int]], slope: list[float], problem: str = "f₁") -> Results:
    """RGP-PE with so many arms left after each of the epochs 12 to 14, and GP-UCB's curves."""
    case = Case("e", problem, "n", "no attack", "paper", 1000, "RGP-PE")
    curves: list[dict[str, Any]] = []
    epochs: list[dict[str, Any]] = []
    for trial, (arms, loss) in enumerate(zip(active, slope, strict=True)):
        for policy in ("RGP-PE", "GP-UCB"):
            labels = {**asdict(case), "policy": policy, "trial": trial}
            curves += [{**labels, "t": t, "regret": loss * t} for t in (100, 500, 900, 1000)]
        labels = {**asdict(case), "trial": trial}
        epochs += [{**labels, "epoch": 12 + i, "t": 9, "active": a} for i, a in enumerate(arms)]
    tables = {"curves": curves, "epochs": epochs}
    columns = {
        name: {key: np.array([row[key] for row in rows]) for key in rows[0]}
        for name, rows in tables.items()
    }
    return Results(columns, {})


@pytest.mark.parametrize(
    ("bad", "loss", "holds"),
    [(0, 0.0, True), (1, 0.0, True), (2, 0.0, False), (0, 0.1, False)],
    ids=["all", "nine", "eight", "another arm"],
)
def test_alone_by_the_thirteenth_epoch(bad: int, loss: float, holds: bool) -> None:
    active = [[3, 2, 1]] * bad + [[2, 1, 1]] * (10 - bad)  # one arm after the 14th is too late
    verdict = alone("f₁")(made(active, [loss] * 10))
    assert verdict.holds is holds
    count = 10 - bad if loss == 0.0 else 0
    assert f"after 13 epochs: no attack {count}/10" in verdict.figures


def test_records_of_one_run_are_read_alike() -> None:
    curve = {"t": [1, 2, 3], "regret": [1.0, 2.0, 2.0]}
    epochs = {"epoch": [12, 13, 14], "active": [2, 1, 1]}
    assert best_alone({"curve": curve, "epochs": epochs})
    assert not best_alone({"curve": curve, "epochs": {**epochs, "active": [3, 2, 1]}})
    assert not best_alone({"curve": {**curve, "regret": [1.0, 2.0, 3.0]}, "epochs": epochs})


def test_sticks_counts_draws_by_their_own_gap() -> None:
    draws = {"kind": "gp-sample", "label": "draws"}
    f = [np.sort(problems.make({"kind": "gp-sample"}, seed=trial).f) for trial in range(3)]
    gaps = [float(values[-1] - values[-2]) for values in f]
    some = made([[1, 1, 1]] * 3, [gaps[0], gaps[1], 0.4 * gaps[2]], "draws")
    np.testing.assert_allclose(
        late_loss(some.curve(some.some(policy="GP-UCB")[0])), [gaps[0], gaps[1], 0.4 * gaps[2]]
    )
    verdict = sticks(draws)(some)
    above = sum(values[-2] > 1.6447 for values in f[:2])
    assert verdict.holds is True
    assert verdict.figures.startswith(f"2 of 3 draws; in {above} of these")
    assert sticks(draws)(made([[1, 1, 1]] * 3, [gaps[0], 0.0, 0.0], "draws")).holds is False
