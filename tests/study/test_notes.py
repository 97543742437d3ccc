"""Notes on trials: kept with the log, exported, and without effect on suggestions."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import stoic
from stoic.errors import InvalidInput, UnknownTrial
from stoic.study.exchange.transfer import export, import_file
from stoic.study.repair.doctor import examine
from stoic.study.repair.recovery import recover

LINE = {"x": (0.0, 1.0)}


def play(study: stoic.Study, notes: bool) -> list[dict[str, float]]:
    asked = []
    for number in range(14):
        trial = study.ask()
        if notes:
            study.note(trial, f"before {number}")
        if number == 5:
            study.fail(trial, "crash")
        else:
            study.tell(trial, -((trial.params["x"] - 0.3) ** 2))
        if notes:
            study.note(trial, "after:\n it was\tcold")
            study.note(trial, "after: it was cold")
        asked.append(trial.params)
    return asked


def test_they_stay_and_change_nothing_else(store: str) -> None:
    with stoic.Study(store, "plain", space=LINE, direction="maximize") as study:
        expected = play(study, notes=False)
    with stoic.Study(store, "noted", space=LINE, direction="maximize") as study:
        assert play(study, notes=True) == expected
        open_ = study.ask()
        study.note(open_.number, "still running")
    with stoic.Study(store, "noted") as study:
        assert [t.notes for t in study.trials[:2]] == [
            ("before 0", "after: it was cold"),
            ("before 1", "after: it was cold"),
        ]
        assert study.trials[14].notes == ("still running",)
        assert study.trials[14].state == "open"
        assert study.finished == 14
        assert study.trials[5].reason == "crash"
        result = study.result()
        assert len(result.trials) == 14
        assert study.recommend() == result.best


@pytest.mark.parametrize("text", ["", " \n", "x" * 1001, None, 3])
def test_what_is_no_note_is_refused(tmp_path: Path, text: object) -> None:
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        trial = study.ask()
        with pytest.raises(InvalidInput, match="expected a note as text"):
            study.note(trial, text)  # type: ignore[arg-type]
        with pytest.raises(UnknownTrial):
            study.note(7, "of no trial")
        assert study.trials[0].notes == ()


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_exports_have_them(tmp_path: Path, kind: str) -> None:
    store, file = tmp_path / "s.db", tmp_path / f"s.{kind}"
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        play(study, notes=True)
        study.note(3, "=HYPERLINK('x')")
        before = study.trials
    export(store, "study", file)
    if kind == "csv":
        rows = list(csv.DictReader(io.StringIO(file.read_text())))
        assert rows[0]["notes"] == "before 0\nafter: it was cold"
    else:
        assert "before 0" in json.loads(file.read_text())["trials"][0]["notes"]
    import_file(store, None, file)  # nothing is new
    with stoic.Study(store) as study:
        assert study.trials == before
    stoic.Study(tmp_path / "new.db", space=LINE, direction="maximize").close()
    import_file(tmp_path / "new.db", "study", file)
    with stoic.Study(tmp_path / "new.db") as study:
        assert [t.notes for t in study.trials] == [t.notes for t in before]


def test_the_doctor_knows_them(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        play(study, notes=True)
        expected = study.trials
    assert examine(store).healthy
    (kept,) = recover(store, tmp_path / "new.db")
    assert kept.share == 1.0
    assert not kept.reopened
    with stoic.Study(tmp_path / "new.db") as study:
        assert [t.notes for t in study.trials] == [t.notes for t in expected]
        assert [t.state for t in study.trials] == [t.state for t in expected]
