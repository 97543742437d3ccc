"""What the README shows runs, and stands where it should."""

from __future__ import annotations

import doctest
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import stoic
from stoic.lab.attacks import attacks
from stoic.lab.experiments import run
from stoic.lab.experiments.toml import from_table
from stoic.lab.noise import noises

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, flags=re.S)


def test_the_loop_is_short_and_early() -> None:
    first = blocks()[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 16
    assert README[: README.index(first) + len(first)].count("\n") <= 40


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks():
        namespace: dict[str, object] = {}
        exec(compile(block, "README.md", "exec"), namespace)
        if "result" in namespace:
            result = namespace["result"]
            assert isinstance(result, stoic.Result)
            assert result.best is not None
            assert 15 <= result.best.params["threads"] <= 33
            assert all(suspect.value > 1000 for suspect in result.suspects)
            continue
        if "study" in namespace:
            study = namespace["study"]
            assert isinstance(study, stoic.Study)
            assert study.finished == 1
            study.close()
            continue
        best = namespace["best"]
        assert isinstance(best, stoic.policies.Recommendation)
        assert 0 <= best.arm < 100


def test_the_shortest_use_is_true() -> None:
    (block,) = re.findall(r"```pycon\n(.*?)```", README, flags=re.S)
    assert block.count(">>>") <= 5
    example = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    found = doctest.DocTestRunner().run(example)
    assert found.attempted == block.count(">>>")
    assert not found.failed


def test_the_counts_of_the_reproductions_are_those_of_their_page() -> None:
    marks = re.compile("<!-- reproduction -->(.*?)<!-- /reproduction -->", re.DOTALL)
    page = (ROOT / "docs" / "reproduction" / "README.md").read_text(encoding="utf-8")
    (here,), (there,) = marks.findall(README), marks.findall(page)
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
        assert f"`{stoic.policies.by_name(name).__name__}" in README
