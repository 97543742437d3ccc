"""The log page by page, from which the same conclusions follow; and studies deleted by their id."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import stoic
from stoic.errors import InvalidInput, StoreDamaged, UnknownStudy
from stoic.study import delete, open_store, summaries

SPACE = {"x": (0.0, 1.0)}


def fill(study: stoic.Study) -> None:
    for number in range(9):
        trial = study.ask()
        if number == 4:
            study.fail(trial, "crash\n")
        else:
            study.tell(trial, 0.1 * number, worker=f"w/{number}")
        study.note(trial, f"note {number}")
    study.tell(0, -0.0, measurement=2)
    study.exclude(2)
    study.exclude_worker("w/7")


def test_pages_are_the_log(store: str) -> None:
    with stoic.Study(store, space=SPACE, direction="maximize", method="random") as study:
        assert study.entries_after() == []
        fill(study)
        whole = study.entries_after()
        assert json.loads(json.dumps(whole)) == whole
        assert [entry["seq"] for entry in whole] == list(range(1, 22))
        for size in (1, 2, 7, 20, 21, 50):
            pages: list[dict[str, object]] = []
            while more := study.entries_after(len(pages), size):
                assert len(more) <= size
                pages += more
            assert pages == whole
        told = [entry for entry in whole if "value" in entry]
        trials = study.trials
        assert all(entry["params"] == trials[entry["trial"]].params for entry in told)
        assert {entry["worker"] for entry in told} >= {"w/0", "w/8", study.worker}
        assert told[4]["reason"] == "crash\n"
        assert str(told[-1]["value"]) == "-0.0"
        assert [entry["mark"] for entry in whole if "mark" in entry][-2:] == [
            {"exclude": None}, {"exclude": "w/7"},
        ]  # fmt: skip
        for wrong in ((-1, 1), (0, 0), (0.5, 1)):
            with pytest.raises(InvalidInput):
                study.entries_after(*wrong)


def test_damage_within_a_page_is_found(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with stoic.Study(store, space=SPACE, direction="maximize", method="random") as study:
        fill(study)
        raw = sqlite3.connect(store)
        raw.execute("UPDATE stoic_log SET value = '7.0' WHERE seq = 5")
        raw.commit()
        raw.close()
        assert len(study.entries_after(0, 4)) == 4
        assert len(study.entries_after(5)) == 16
        with pytest.raises(StoreDamaged):
            study.entries_after(3, 4)


def test_only_the_study_that_was_meant_is_deleted(store: str) -> None:
    database = open_store(store, make=True)
    made: dict[str, object] = {"space": SPACE, "direction": "maximize"}
    with stoic.Study(database, "a", **made) as study:  # type: ignore[arg-type]
        uid = study.uid
    with pytest.raises(UnknownStudy, match="uid"):
        delete(database, "a", "0" * 32)
    with database.group():
        delete(database, "a", uid)
    with stoic.Study(database, "a", **made) as study:  # type: ignore[arg-type]
        with pytest.raises(UnknownStudy):
            delete(database, "a", uid)
        assert [each.uid for each in summaries(database)] == [study.uid]
    delete(store, "a")
    assert summaries(store) == ()
    database.close()
