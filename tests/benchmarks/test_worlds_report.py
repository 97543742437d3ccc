"""Tables and resumption of the worlds' runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from robust import worlds_report as report

pytest.importorskip("rich")
from robust import worlds

Scores = dict[int, float | None]


def row(name: str, case: str, seed: int, scores: Scores, world: str = "toy") -> dict[str, Any]:
    function, _, noise = case.partition("-")
    return {
        **{"name": name, "world": world, "case": case, "function": function, "noise": noise},
        **{"seed": seed, "budget": max(scores), "batch": 1, "options": {}},
        "at": {
            str(n): {"score": s, "best_tried": s, "invalid": 0, "distinct": n}
            for n, s in scores.items()
        },
    }


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def matched(path: Path, methods: list[str], budget: int) -> report.Matched:
    return report.Matched([r for r in report.load([path]) if r.budget == budget], methods)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two functions, two methods; one more run that only one method has."""
    rows = [
        row("sobol", "f1-a", 0, {60: 0.2, 200: 0.1}),
        row("mine", "f1-a", 0, {60: 0.5, 200: 0.6}),
        row("sobol", "f2-b", 0, {60: 0.3, 200: 0.3}),
        row("mine", "f2-b", 0, {60: None, 200: 0.4}),
        row("sobol", "f3-b", 0, {60: 0.0, 200: 0.0}),
        {"name": "mine", "case": "f3-b", "error": "broken"},
    ]
    return write(tmp_path / "r.jsonl", rows)


def test_estimates_outside_of_own_measurements_are_counted(tmp_path: Path) -> None:
    rows = [row("mine", f"f{i}-a", 0, {60: 0.2}) for i in range(3)]
    for one, outside in zip(rows, (None, False, True), strict=True):
        one["at"]["60"] |= {"own": 2, "outside": outside}
    (line,) = report.own_range(matched(write(tmp_path / "r.jsonl", rows), ["mine"], 60))
    assert "mine: 2 answers" in line
    assert line.endswith("for 1.\n")


def test_only_runs_of_all_methods_count(results: Path) -> None:
    runs = matched(results, ["sobol", "mine"], 60)
    assert [run.case for run in runs.first] == ["f1-a", "f2-b"]
    assert runs.scores("mine", [0, 1]).tolist() == [0.5, np.inf]


def test_an_invalid_answer_is_cut(results: Path) -> None:
    line = report.overview(matched(results, ["sobol", "mine"], 60)).splitlines()[3]
    assert [cell.strip() for cell in line.split("|")][2:8] == [
        "2",
        "inf",
        "1.2500",
        "2.00",
        "2 / 2",
        "2 / 2",
    ]


def test_functions_above_sobol(results: Path) -> None:
    runs = matched(results, ["sobol", "mine"], 200)
    assert [report.worse(runs, "mine", factor) for factor in (1, 2, 7)] == [2, 1, 0]
    assert report.worse(runs, "sobol", 1) == 0


def test_kernels_count_from_one(tmp_path: Path) -> None:
    rows = [row("sobol", "k-r", 0, {60: 1.2}, "kernel"), row("mine", "k-r", 0, {60: 1.5}, "kernel")]
    runs = matched(write(tmp_path / "k.jsonl", rows), ["sobol", "mine"], 60)
    assert [report.worse(runs, "mine", factor) for factor in (1, 2, 3)] == [1, 1, 0]


def test_pairs(results: Path) -> None:
    lines = report.paired(matched(results, ["sobol", "mine"], 200), "mine").splitlines()
    assert lines[2] == "| all | 2 | +0.3000 [+0.1000, +0.5000] 0/2/0 |"
    assert lines[3].startswith("| a | 1 | +0.5000")


def test_whole_functions_are_drawn_again() -> None:
    gaps = np.repeat([0.0, 0.0, 3.0, 3.0], 50)
    groups = [f"f{i // 50}" for i in range(200)]
    low, high = report.spread(gaps, groups)
    assert (low, high) == (0.0, 3.0)
    narrow = report.spread(gaps, ["one"] * 200)
    assert 1.2 < narrow[0] < narrow[1] < 1.8


def test_budgets_are_compared_within_runs(results: Path) -> None:
    lines = report.growth(report.load([results]), ["sobol", "mine"]).splitlines()[2:]
    assert lines[0].startswith("| sobol | 60 → 200 | 3 | -0.0333 [")
    assert lines[0].endswith("| 0.33 | 0.00 |")
    assert lines[1].endswith("| 0.50 | 0.50 |")


def test_the_report_prints_every_world(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["worlds_report.py", str(results), "--ours", "mine"])
    report.main()
    text = capsys.readouterr().out
    for heading in ("# toy, 60 measurements, 2 matched", "# toy, 200", "# toy: does a larger"):
        assert heading in text


def options(path: Path, *more: str) -> list[str]:
    words = ["--world", "batch", "--method", "sobol", "--out", str(path), "--budgets", "4,8"]
    return [*words, "--only", "bowl2|camel2", *more]


def run(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> int:
    monkeypatch.setattr("sys.argv", ["worlds.py", *words])
    with pytest.raises(SystemExit) as left:
        worlds.main()
    assert isinstance(left.value.code, int)
    return left.value.code


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.jsonl"
    assert run(monkeypatch, options(out)) == 0
    whole = out.read_text().splitlines()
    assert len(whole) == 6
    out.write_text("\n".join([*whole[:4], whole[4][:50]]))
    assert run(monkeypatch, options(out)) == 0
    runs = report.load([out])
    assert len(runs) == 12
    again = {(r.case, r.budget): r.at for r in runs}
    assert again == {
        (r["case"], int(n)): at for r in map(json.loads, whole) for n, at in r["at"].items()
    }


def test_a_new_checkpoint_is_run(tmp_path: Path) -> None:
    rows = [row("sobol", "bowl2-gauss02", 0, {8: 0.5}, "batch")]
    path = write(tmp_path / "out.jsonl", rows)
    tasks = worlds.matrix(worlds.arguments(options(path, "--only", "bowl2-gauss02")))
    assert worlds.unfinished(path, tasks) == tasks
    both = worlds.matrix(
        worlds.arguments(options(path, "--only", "bowl2-gauss02", "--budgets", "8"))
    )
    assert worlds.unfinished(path, both) == []


def test_other_options_need_another_name(tmp_path: Path) -> None:
    path = write(tmp_path / "out.jsonl", [row("sobol", "bowl2-gauss02", 0, {8: 0.5}, "batch")])
    tasks = worlds.matrix(worlds.arguments(options(path, "--options", '{"a": 1}')))
    with pytest.raises(SystemExit, match="--name"):
        worlds.unfinished(path, tasks)


def test_mean_ranks_count_nearly_perfect_scores_as_ties(tmp_path: Path) -> None:
    scores = {"a": (0.5, 1e-9, 0.2), "b": (0.4, 1e-6, 0.3), "c": (None, 0.1, 0.3)}
    rows = [row(m, f"f{i}-x", 0, {60: s}) for m in scores for i, s in enumerate(scores[m])]
    found = report.ranks(matched(write(tmp_path / "r.jsonl", rows), list(scores), 60))
    np.testing.assert_allclose(found, [(2 + 1.5 + 1) / 3, (1 + 1.5 + 2.5) / 3, (3 + 3 + 2.5) / 3])
