"""What the README shows runs, and stands where it should."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from examples import one_outlier

import stoic
from helpers.pages import run as run_page
from stoic.lab.attacks import attacks
from stoic.lab.experiments import run
from stoic.lab.experiments.toml import from_table
from stoic.lab.noise import noises

ROOT = Path(__file__).parents[1]

if not (ROOT / "docs").is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)

README = (ROOT / "README.md").read_text(encoding="utf-8")
BANDITS = (ROOT / "docs" / "understand" / "bandits.md").read_text(encoding="utf-8")


def test_the_loop_is_short_and_early() -> None:
    first, *_ = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    assert len([line for line in first.splitlines() if line.strip()]) <= 16
    assert README[: README.index(first) + len(first)].count("\n") <= 45


def test_it_takes_three_minutes() -> None:
    prose = re.sub(r"```.*?```|<!--.*?-->|\]\([^)]*\)|[|#*`]", " ", README, flags=re.S)
    assert len(prose.split()) <= 3 * 230


def test_all_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_page("README.md", tmp_path)["result"]
    assert isinstance(result, stoic.Result)
    assert result.best is not None
    assert 15 <= result.best.params["threads"] <= 33
    assert all(suspect.value > 1000 for suspect in result.suspects)


def test_the_shortest_use_is_short() -> None:
    block, *_ = re.findall(r"```pycon\n(.*?)```", README, flags=re.S)
    assert block.count(">>>") <= 5


def test_what_was_measured_stands_in_the_linked_results() -> None:
    chapter = README.partition("## What was measured\n")[2].partition("\n## ")[0]
    claims = re.split(r"^- ", chapter, flags=re.M)[1:]
    with_figures = [claim for claim in claims if "**" in claim]
    assert len(with_figures) >= 3
    for claim in with_figures:
        (page,) = re.findall(r"\]\((benchmarks/results/[^)]+)\)", claim)
        result = (ROOT / page).read_text(encoding="utf-8")
        for figure in re.findall(r"\*\*(.+?)\*\*", claim):
            assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d])", result), f"{page}: {figure}"


def test_the_outlier_does_what_the_caption_says() -> None:
    threads = one_outlier.everywhere(one_outlier.stoic_answer)
    best = one_outlier.throughput(one_outlier.THREADS).max()
    peers = json.loads(one_outlier.ANSWERS.read_text(encoding="utf-8"))
    reached = {name: one_outlier.throughput(peer["all"]) / best for name, peer in peers.items()}
    reached["Stoic"] = one_outlier.throughput(threads) / best
    assert reached["Stoic"].min() >= 0.99
    caption = re.sub(r"\s+", " ", README)
    for name in ("Optuna", "BoTorch"):
        assert f"{reached[name].mean():.0%}" in caption
    assert f"Stoic's answer has {reached['Stoic'].mean():.1%}" in caption
    assert (
        peers["Optuna"]["threads"] == one_outlier.optuna_answer(*one_outlier.measured())["threads"]
    )


def test_the_figure_of_the_outlier_can_be_drawn(tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    peers = json.loads(one_outlier.ANSWERS.read_text(encoding="utf-8"))
    one_outlier.draw({**peers, "Stoic": {"threads": 20, "interval": (529.0, 618.0)}}, path)
    assert path.read_text(encoding="utf-8").startswith("<?xml")


def test_the_counts_of_the_reproductions_are_those_of_their_page() -> None:
    marks = re.compile("<!-- reproduction -->(.*?)<!-- /reproduction -->", re.DOTALL)
    page = (ROOT / "docs" / "reproduction" / "README.md").read_text(encoding="utf-8")
    (here,), (there,) = marks.findall(BANDITS), marks.findall(page)
    assert here == there
    assert here.strip()


def test_linked_files_exist() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_lab_page_shows_an_experiment_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "lab.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"```toml[^\n]*\n(.*?)```", text, flags=re.S)
    experiment = from_table(tomllib.loads(table))
    assert len(list(experiment.runs())) == 2 * 2 * 20
    assert noises.make(experiment.noises[0]).central_moment(2.0, np.zeros(1)) > 1e9
    assert attacks.make(experiment.attacks[0]).start == "immediate"
    monkeypatch.chdir(ROOT / "examples")  # where own_policy.py is
    small = replace(experiment, horizons=(60,), trials=1)
    assert len(run(small, tmp_path, workers=0).cases()) == 2 * 2


def test_every_policy_has_its_row() -> None:
    for name in stoic.policies.names():
        assert f"`{stoic.policies.by_name(name).__name__}" in BANDITS
