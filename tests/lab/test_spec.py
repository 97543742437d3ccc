"""Experiments as dataclasses and as TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoic.errors import InvalidInput, MissingData, StoicError, UnknownName
from stoic.lab.experiments.one_run import load_object
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.toml import from_table, load, to_table
from stoic.lab.registry import Registry

TEXT = """
name = "mine/first"
horizon = [50, 100]
trials = 2
schedule = ["practical", "paper"]
moment_order = 0.9

[problem]
kind = "stocks"
path = "data/fin.csv"

[[noise]]
kind = "student-t"
df = 3.0

[[noise]]
kind = "symmetrised-pareto"
shape = 1.21
moment_order = 0.2
label = "heavy"

[[attack]]
label = "none"

[[attack]]
kind = "flip"
budget = 5.0
policies = ["RGP-PE"]

[[policy]]
policy = "rgp-pe"
label = "RGP-PE"
schedule_options = { paper = { beta = 6.0 } }

[[policy]]
policy = "mine.py:Greedy"
schedule = "practical"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_grid_is_every_combination(tmp_path: Path) -> None:
    experiment = load(write(tmp_path, TEXT))
    runs = list(experiment.runs())
    # RGP-PE: 2 trials × 2 horizons × 2 noises × 2 attacks × 2 schedules; Greedy: one attack, one.
    assert len(runs) == 2 * 2 * 2 * (2 * 2 + 1)
    assert len({run.key for run in runs}) == len(runs)
    heavy = next(run for run in runs if run.case.noise == "heavy")
    assert heavy.moment_order == 0.2
    assert heavy.noise == {"kind": "symmetrised-pareto", "shape": 1.21}
    assert {run.moment_order for run in runs} == {0.2, 0.9}
    attacked = [run for run in runs if run.case.attack == "flip"]
    assert {run.case.policy for run in attacked} == {"RGP-PE"}
    assert {run.budget for run in attacked} == {5.0}
    options = {run.case.schedule: run.policy.schedule_options for run in attacked}
    assert options == {"paper": {"beta": 6.0}, "practical": {}}


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    experiment = load(write(tmp_path, TEXT))
    assert experiment.problems[0]["path"] == str(tmp_path / "data/fin.csv")
    assert experiment.policies[1].policy == f"{tmp_path / 'mine.py'}:Greedy"
    assert experiment.policies[1].label == "Greedy"


def test_a_table_and_back(tmp_path: Path) -> None:
    experiment = load(write(tmp_path, TEXT))
    assert from_table(to_table(experiment)) == experiment


def test_names_come_from_the_file(tmp_path: Path) -> None:
    text = '[problem]\nkind = "griewank"\n[[policy]]\npolicy = "uniform"\n'
    assert load(write(tmp_path, text)).name == "mine"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nmae = 'x'", "nmae too"),
        ("name = 'x'", "'problem'"),
        ("name = = 3", "a fault"),
        ("name='x'\npolicy=['uniform']\n[problem]\nkind='griewank'\n[noise]\n", None),
        ("name='x'\nhorizon=0\npolicy=['uniform']\n[problem]\nkind='griewank'", "at least 1"),
        ("name='x'\ntrials=0\npolicy=['uniform']\n[problem]\nkind='griewank'", "at least 1"),
        ("name='../x'\npolicy=['uniform']\n[problem]\nkind='griewank'", "letters"),
        ("name='x'\npolicy=[]\n[problem]\nkind='griewank'", "at least one"),
        ("name='x'\npolicy=['uniform','uniform']\n[problem]\nkind='griewank'", "label"),
        ("name='x'\npolicy=[{label='y'}]\n[problem]\nkind='griewank'", "policy as a table"),
        ("name='x'\npolicy=['uniform']\nproblem='griewank'", "tables"),
        ("name='x'\nrecord=['all']\npolicy=['uniform']\n[problem]\nkind='griewank'", "one of"),
        ("name='x'\nschedule=3\npolicy=['uniform']\n[problem]\nkind='griewank'", "as text"),
        ("name='x'\nbudget='x'\npolicy=['uniform']\n[problem]\nkind='griewank'", "real number"),
        ("name='x'\nbudget=-1\npolicy=['uniform']\n[problem]\nkind='griewank'", "at least 0"),
        ("name='x'\npolicy=['uniform']\n[problem]\nkind='griewank'\nday=2020-01-01", "plain"),
        ("name='x'\npolicy=['uniform']\n[problem]\nkind='griewank'\nlabel=3", "as text"),
        (
            "name='x'\npolicy=['uniform']\n[problem]\nkind='griewank'\n[noise]\nmoment_order='a'",
            "moment_order",
        ),
        (
            "name='x'\npolicy=['gp-ucb']\n[problem]\nkind='griewank'\n[attack]\npolicies='gp-ucb'",
            "list of labels",
        ),
        (
            "name='x'\n[problem]\nkind='griewank'\n[policy]\npolicy='gp-ucb'\n"
            "schedule_options={c=2.0}",
            "schedule_options for 'c'",
        ),
        (
            "name='x'\n[problem]\nkind='griewank'\n[policy]\npolicy='gp-ucb'\n"
            "schedule_options={papers={c=2.0}}",
            "by schedule",
        ),
        ("name='x'\n[problem]\nkind='griewank'\n[policy]\npolicy='gp-ucb'\nlabel=3", "as text"),
        ("name='x'\ndelta=2.0\npolicy=['uniform']\n[problem]\nkind='griewank'", "at most 1"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str | None) -> None:
    if said is None:
        load(write(tmp_path, text))
        return
    with pytest.raises(InvalidInput, match=said):
        load(write(tmp_path, text))


def test_a_missing_file() -> None:
    with pytest.raises(MissingData, match="No such file"):
        load("nowhere.toml")


def test_registries_say_what_they_have() -> None:
    things = Registry[int]("thing")
    things.register("a")(lambda x, seed=0: x + seed)
    assert things.make({"kind": "a", "x": 1}, seed=2, horizon=5) == 3
    with pytest.raises(UnknownName, match="expected a thing among a, got str 'b'"):
        things.make({"kind": "b"})
    with pytest.raises(InvalidInput, match="unknown y; missing x"):
        things.make({"kind": "a", "y": 1})
    with pytest.raises(StoicError, match="among"):
        things.make({})


def test_objects_by_path(tmp_path: Path) -> None:
    assert load_object("stoic.policies:TGPUCB").__name__ == "TGPUCB"
    (tmp_path / "bad.py").write_text("x = 1\n")
    assert load_object(f"{tmp_path / 'bad.py'}:x") == 1
    for wrong in (f"{tmp_path / 'bad.py'}:y", f"{tmp_path / 'none.py'}:x", "no.module:x", "os:no"):
        with pytest.raises(InvalidInput, match="expected 'package"):
            load_object(wrong)


def test_policies_need_names() -> None:
    with pytest.raises(InvalidInput, match="policy's name"):
        PolicySpec("")
    with pytest.raises(InvalidInput, match="above 0"):
        PolicySpec("bkb", lam=0.0)
    experiment = Experiment("x", problems=({"kind": "griewank"},), policies=("bkb", "gp-ucb"))  # type: ignore[arg-type]
    assert [spec.label for spec in experiment.policies] == ["bkb", "gp-ucb"]
