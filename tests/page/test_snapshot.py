"""Snapshots hold the report's figures, whatever a study holds, and grow with it piece by piece."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any, cast

import pytest

import stoic
from stoic import Study
from stoic.report.html.markup import figure
from stoic.report.html.phrases import spans
from stoic.report.replay import replay
from stoic.server.events import Feeds
from stoic.server.page import keeping
from stoic.server.page.files import static_file
from stoic.server.page.keeping import Keeper
from stoic.server.page.listed import Marks
from stoic.server.page.present import first, present
from stoic.server.page.rendering import PARTS, digests, page, parts
from stoic.server.page.snapshot import Snapshots, snapshot
from stoic.server.store.reading import Reader
from stoic.server.store.writing import StudyRef
from stoic.server.thinking.process import Process

SPACE = {"threads": (1, 64, "log"), "gc": ["g1", "zgc"]}
HOSTILE = "<script>alert(1)</script>\u202e\"'&lt;"
MAY = {"ask": True, "admin": True}


def rendered(found: dict[str, Any]) -> str:
    """The page of a snapshot that went through JSON, as the server gets it."""
    found = json.loads(json.dumps(found, allow_nan=False))
    made = parts(found, MAY, "secret")
    assert set(made) == set(PARTS)
    return page("study", s=found, parts=made, done="")


def studied(path: Path, values: list[float | None], **about: Any) -> Study:
    """A study of these values; None for a failure."""
    about = {"space": SPACE, "direction": "minimize", "method": "random"} | about
    study = Study(path / "s.db", **about)
    for value in values:
        trial = study.ask()
        if value is None:
            study.fail(trial, HOSTILE)
        else:
            study.tell(trial, value)
    return study


def latency(params: dict[str, Any], i: int) -> float:
    true: float = (
        40.0 + 8.0 * (math.log(params["threads"]) - 2.5) ** 2 + 6.0 * (params["gc"] == "g1")
    )
    return true * (1.0 + 0.02 * math.sin(7.0 * i))


def tuned(path: Path, n: int = 24) -> Study:
    """A study of a known function with a lucky outlier."""
    study = studied(path, [], baseline={"threads": 4, "gc": "g1"})
    for i in range(n):
        trial = study.ask()
        study.tell(trial, 3.0 if i == 9 else latency(trial.params, i))
    return study


KINDS: dict[str, tuple[list[float | None], dict[str, Any]]] = {
    "empty": ([], {}),
    "one": ([1.5], {}),
    "failed": ([None, None, None], {}),
    "failed first": ([None, None, 2.0], {}),
    "equal": ([3.0] * 8, {}),
    "huge": ([1e300, -1e300, 1e-300, 0.0] * 3, {}),
    "one parameter": ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], {"space": {"x": (0.0, 1.0)}}),
    "hostile": (
        [1.0, 2.0, 3.0, None, 5.0],
        {"space": {HOSTILE[:20]: (0.0, 1.0), "kind": [HOSTILE, "b"]}, "objective": HOSTILE},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_study_has_a_page(tmp_path: Path, kind: str) -> None:
    values, about = KINDS[kind]
    with studied(tmp_path, values, **about) as study:
        found = snapshot(study)
        html = rendered(found)
    assert found["unfinished"] == []
    assert found["counts"]["evaluations"] == len(values)
    assert "<script>alert" not in html
    assert "\u202e" not in html
    assert "style=" not in html
    assert "NaN" not in html


def test_a_study_of_a_policy_has_a_page(tmp_path: Path) -> None:
    policy = stoic.policies.GPUCB(stoic.Arms([0.0, 0.5, 1.0]), stoic.Matern(2.5, 0.5))
    with Study(tmp_path / "s.db", policy=policy) as study:
        for _ in range(6):
            trial = study.ask()
            study.tell(trial, float(trial.params["arm"]))
        html = rendered(snapshot(study))
        assert spans(study.recommend())[0] in html


def test_the_figures_are_those_of_the_study(tmp_path: Path) -> None:
    with tuned(tmp_path) as study:
        result, found = study.result(), snapshot(study)
        html = rendered(found)
    assert result.best is not None
    assert result.luckiest is not None
    value, low, high = spans(result.best)
    assert found["headline"]["value"] == value
    assert found["headline"]["interval"] == f"{low} to {high}"
    assert found["best"]["params"] == result.best.params
    assert (
        [each["trial"] for each in found["suspects"]] == [s.trial for s in result.suspects] == [9]
    )
    assert found["luckiest"]["trial"] == 9
    assert found["luckiest"]["why"] == result.luckiest.why
    assert found["chart"]["values"] == [trial.value for trial in result.trials]
    assert found["chart"]["suspects"] == [9]
    assert f"estimated at <b>{value}</b>" in html
    assert figure(3.0) in html
    _, estimates = replay(result)
    known = {at: (v, a, b) for at, v, a, b in found["chart"]["estimates"]}
    for each in estimates:  # up to the order of the replay, which is the same up to 200 values
        if each.position in known and each.bounded:
            assert known[each.position] == (each.value, each.low, each.high)
    assert len(known) >= 8


def test_it_is_computed_piece_by_piece(tmp_path: Path) -> None:
    with tuned(tmp_path) as study:
        whole, pieces = snapshot(study), Snapshots(study)
        found = pieces.take(0.0)
        assert found["headline"] == whole["headline"]
        assert "estimates" in found["unfinished"]
        assert "is being checked" in found["markup"]["answer"]
        rounds = 0
        while found["unfinished"]:
            found, rounds = pieces.take(0.2), rounds + 1
            assert rounds < 100
        assert found["markup"]["answer"] == whole["markup"]["answer"]
        assert found["chart"] == whole["chart"]
        study.add({"threads": 12, "gc": "zgc"}, 41.0)
        later = pieces.take(0.0)
        assert later["counts"]["evaluations"] == 25
        before = {row[0]: row for row in found["chart"]["estimates"]}
        after = {row[0]: row for row in later["chart"]["estimates"]}
        assert before.items() <= after.items()  # what was estimated then stays so


def test_exclusions_are_followed(tmp_path: Path) -> None:
    with tuned(tmp_path) as study:
        pieces = Snapshots(study)
        pieces.take(math.inf)
        study.exclude(9)
        found = pieces.take(math.inf)
        assert found["suspects"] == []
        assert [(each["trial"], each["y"]) for each in found["excluded"]] == [(9, 3.0)]
        assert found["chart"] == snapshot(study)["chart"]
        assert len(found["chart"]["values"]) == 23
        assert "Take back" in rendered(found)
        study.include(9)
        study.exclude(3)  # as many as before
        found = pieces.take(math.inf)
        assert [each["trial"] for each in found["suspects"]] == [9]
        assert [each["trial"] for each in found["excluded"]] == [3]


def test_the_queue_shows_what_is_asked_next(tmp_path: Path) -> None:
    with tuned(tmp_path, 3) as study:
        study.enqueue({"threads": 7, "gc": "zgc"})
        running = study.ask()
        study.enqueue({"threads": 9, "gc": "g1"})
        found = snapshot(study)["queue"]
        assert [row["trial"] for row in found["running"]] == [running.number]
        assert [row["params"] for row in found["waiting"]] == ["threads=9, gc=g1"]
        assert study.ask().params == {"threads": 9, "gc": "g1"}


def test_rates_of_workers_count_their_own_trials(tmp_path: Path) -> None:
    tuned(tmp_path, 16).close()
    with Study(tmp_path / "s.db", worker="bad") as study:
        for _ in range(4):
            study.fail(study.ask(), "no")
        rows = {row["name"]: row for row in snapshot(study)["workers"]["rows"]}
    assert rows["bad"]["failed"] == rows["bad"]["trials"] == 4
    assert rows["bad"]["crashed"] == "100%"
    (other,) = (row for name, row in rows.items() if name != "bad")
    assert (other["failed"], other["suspects"]) == (0, 1)


@pytest.mark.parametrize("may", [{"ask": False, "admin": False}, {"ask": True, "admin": False}])
def test_forms_are_those_that_the_reader_may_use(tmp_path: Path, may: dict[str, bool]) -> None:
    with tuned(tmp_path) as study:
        study.exclude(2)
        html = "".join(parts(snapshot(study), may, "secret").values())
    assert ("/again" in html) is may["ask"]
    assert "/exclude" not in html
    assert "/include" not in html


def test_a_part_has_the_digest_of_its_content(tmp_path: Path) -> None:
    with tuned(tmp_path, 4) as study:
        pieces = Snapshots(study)
        before = parts(pieces.take(math.inf), MAY, "secret")
        again = parts(pieces.take(math.inf), MAY, "secret")
        study.note(0, "nothing that is shown")
        assert before == again
        study.tell(study.ask(), 50.0)
        after = parts(pieces.take(math.inf), MAY, "secret")
    assert {name for name in PARTS if before[name] != after[name]} >= {"status", "latest"}
    assert before["terms"] == after["terms"]
    assert digests("status:1,unknown:2,room") == {"status": "1", "room": ""}


NAMES = ("htmx.min.js", "uPlot.iife.min.js", "uPlot.min.css", "live.js", "chart.js", "live.css",
         "report.css", "icon.svg")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_files_are_there_and_name_no_other_host(name: str) -> None:
    found = static_file(name)
    assert found is not None
    for other in (b"//cdn", b"@import", b"url(http", b"importScripts"):
        assert other not in found.content


def test_other_names_are_no_files() -> None:
    for name in ("../snapshot.py", "README.md", "vendor/htmx.min.js", "", "live.js\0"):
        assert static_file(name) is None


def test_vendored_scripts_come_with_their_licences() -> None:
    folder = Path(stoic.__file__).parent / "server" / "page" / "static" / "vendor"
    for path in folder.glob("*.js"):
        licence = folder / f"{path.name.partition('.')[0]}.LICENSE"
        assert licence.is_file(), licence
        assert path.name in (folder / "README.md").read_text()


def test_forms_name_measurements_as_they_were_reported(tmp_path: Path) -> None:
    with tuned(tmp_path) as study:
        study.tell(9, 2.5, measurement=7)  # the numbers from 1 to 6 were never reported
        found = snapshot(study)
        assert found["latest"][0]["measurement"] == 7
        assert found["luckiest"]["measurement"] == 7
        html = "".join(parts(found, MAY, "secret").values())
        assert 'name="measurement" value="7"' in html
        assert study.exclude(9, found["latest"][0]["measurement"])
        (row,) = snapshot(study)["excluded"]
        assert (row["trial"], row["measurement"], row["y"]) == (9, 7, 2.5)
        assert study.include(9, row["measurement"])


def test_lists_need_no_model(tmp_path: Path) -> None:
    """What the page shows at once is what the snapshot shows, but for what the model found."""
    with tuned(tmp_path) as study:
        whole, known = snapshot(study), present(study, Marks(), alone=True)
        for name in ("counts", "queue", "workers"):
            differs = {"suspects", "suspected"}
            assert without(known[name], differs) == without(whole[name], differs), name
        assert [row["value"] for row in known["latest"]] == [
            row["value"] for row in whole["latest"]
        ]
        assert known["chart"]["values"] == whole["chart"]["values"]
        marked = present(study, Marks.read(json.loads(json.dumps(whole["marks"]))))
        assert marked["latest"] == whole["latest"]
        assert marked["workers"] == whole["workers"]


def without(data: Any, names: set[str]) -> Any:
    if isinstance(data, dict):
        return {key: without(value, names) for key, value in data.items() if key not in names}
    return [without(each, names) for each in data] if isinstance(data, list) else data


@pytest.mark.parametrize("kind", KINDS)
def test_every_study_has_a_page_before_there_are_figures(tmp_path: Path, kind: str) -> None:
    values, about = KINDS[kind]
    with studied(tmp_path, values, **about) as study:
        found = first(present(study, Marks(), alone=True)) | {"behind": len(values)}
        html = rendered(json.loads(json.dumps(found, allow_nan=False)))
    assert "It is being computed." in html
    assert f"{len(values)} evaluation" in html
    assert "<script>alert" not in html


class Slow:
    """A process that computes a snapshot when the test lets it."""

    def __init__(self, study: Study) -> None:
        self.pieces, self.go_on = Snapshots(study), asyncio.Event()

    async def do(self, task: str, ref: StudyRef, *, seconds: float) -> dict[str, Any]:
        assert task == "snapshot"
        await self.go_on.wait()
        self.go_on.clear()
        found: dict[str, Any] = json.loads(json.dumps(self.pieces.take(math.inf)))
        return found


def test_very_long_studies_show_counts_until_there_are_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_MAX_FOLLOWED", 20)

    async def work(study: Study) -> None:
        ref = StudyRef(study.name, study.uid)
        reader, slow = Reader(str(tmp_path / "s.db")), Slow(study)
        keeper = Keeper(cast(Process, slow), reader, Feeds(reader))
        try:
            found = await keeper.get(ref)
            assert (found["counts"]["evaluations"], found["latest"]) == (24, [])
            assert "24 evaluations" in rendered(found)
            slow.go_on.set()
            while not found["headline"]["value"]:
                found = await keeper.get(ref)
            study.tell(study.ask(), 44.0)
            found = await keeper.get(ref)  # all is of the snapshot
            assert (found["latest"][0]["trial"], found["counts"]["evaluations"]) == (23, 24)
            assert found["behind"] == 1
        finally:
            slow.go_on.set()
            await keeper.close()
            await reader.close()

    with tuned(tmp_path) as study:
        asyncio.run(work(study))


def test_nobody_waits_for_the_model(tmp_path: Path) -> None:
    async def work(study: Study) -> None:
        ref = StudyRef(study.name, study.uid)
        reader, slow = Reader(str(tmp_path / "s.db")), Slow(study)
        keeper = Keeper(cast(Process, slow), reader, Feeds(reader))
        try:
            found = await keeper.get(ref)
            assert (found["headline"]["value"], found["behind"]) == ("", 24)
            assert found["counts"]["evaluations"] == len(found["chart"]["values"]) == 24
            slow.go_on.set()
            while found["behind"]:
                found = await keeper.get(ref, patience=0.1)
            assert [row["suspect"] for row in found["latest"]].count(True) == 1
            before = found["headline"]
            study.tell(study.ask(), 44.0)
            found = await keeper.get(ref)  # the new trial, with the earlier figures
            assert (found["latest"][0]["trial"], found["counts"]["evaluations"]) == (24, 25)
            assert (found["headline"], found["behind"]) == (before, 1)
            assert "the figures follow" in "".join(parts(found, MAY, "secret").values())
            slow.go_on.set()
            while found["behind"]:
                found = await keeper.get(ref, patience=0.1)
            assert len(found["chart"]["values"]) == 25
        finally:
            slow.go_on.set()
            await keeper.close()
            await reader.close()

    with tuned(tmp_path) as study:
        asyncio.run(work(study))
