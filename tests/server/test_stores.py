"""What a server does to its store: nothing if it only reads; nobody waits for a long log."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from helpers.here import Client, running
from stoic.server.store import writing
from stoic.server.store.opening import Following, Reading, Recording
from stoic.server.store.writing import StudyRef
from stoic.study import Study

SPACE = {"x": (0.0, 1.0), "n": (1, 9)}


def leave(store: str) -> None:
    """Ask, and end without an outcome."""
    with Study(store, "mine", space=SPACE, direction="minimize") as study:
        study.tell(study.ask(), 1.0)
        study.ask()


def left(tmp_path: Path) -> Path:
    """A store with a trial whose worker ended."""
    path = tmp_path / "studies.db"
    worker = multiprocessing.get_context("spawn").Process(target=leave, args=(str(path),))
    worker.start()
    worker.join()
    assert worker.exitcode == 0
    return path


def content(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        return list(connection.iterdump())


def test_a_read_only_server_writes_nothing(tmp_path: Path) -> None:
    path = left(tmp_path)
    before = content(path)
    with running(tmp_path, read_only=True) as here:
        for part in ("", "/trials", "/result", "/log"):
            assert here.call("GET", f"/v1/studies/mine{part}").status == 200
        uid = here.call("GET", "/v1/studies/mine").data["uid"]
        assert here.call("GET", f"/studies/{uid}").status == 200
        assert here.call("POST", "/v1/studies/mine:ask", {}).status == 403
    assert content(path) == before
    with running(tmp_path) as here:
        (trial,) = here.call("POST", "/v1/studies/mine:ask", {}).data["trials"]
        assert trial["number"] == 1  # of the worker that ended
    assert content(path) != before


@pytest.mark.parametrize("kind", [Reading, Following])
def test_whoever_reads_takes_no_trial_back(tmp_path: Path, kind: type[Study]) -> None:
    path = left(tmp_path)
    before = content(path)
    with kind(str(path), "mine") as study:
        assert study.result().best is not None
        assert study.suggest()
    assert content(path) == before


def test_recording_needs_no_log(tmp_path: Path) -> None:
    path = left(tmp_path)
    with Recording(str(path), "mine") as study, Study(path, "mine") as other:
        (proposal,) = other.suggest()
        study.tell(study.ask(), 2.0)
        trial = study.ask(proposal=proposal, stale_ok=True)
        assert (trial.params, trial.made) == (proposal.params, "earlier-model")
        study.tell(trial, 3.0)
        with Study(path, "mine", space={"x": (0.0, 2.0), "n": (1, 9)}, direction="minimize"):
            study.enqueue({"x": 1.5, "n": 2})  # the space is wider by now
        assert study.suggest(1, model=False)[0].made == "random"
        assert study._opened.seen == 0
        assert study.finished == 3
        assert len(study.result().trials) == 3  # with the log, once it is needed
        assert study._opened.seen > 0


def test_others_are_served_while_a_long_study_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = threading.Event(), threading.Event()
    verified = writing._verified

    def slow(store: str, ref: StudyRef) -> None:
        if ref.name == "long":
            began.set()
            assert go_on.wait(60)
        verified(store, ref)

    monkeypatch.setattr(writing, "_verified", slow)
    with running(tmp_path) as here:
        for name in ("long", "short"):
            here.made(name, method="random")
        replies: list[int] = []

        def ask_long() -> None:
            client = Client(here.port)
            replies.append(client.call("POST", "/v1/studies/long:ask", {}).status)
            client.close()

        thread = threading.Thread(target=ask_long)
        thread.start()
        assert began.wait(60)
        for number in range(3):
            (trial,) = here.call("POST", "/v1/studies/short:ask", {}).data["trials"]
            body = {"trial": trial["number"], "value": 1.0}
            assert here.call("POST", "/v1/studies/short:tell", body).data["finished"] == number + 1
        assert not replies
        go_on.set()
        thread.join(60)
        assert replies == [200]


def test_a_study_that_is_damaged_is_refused_each_time(tmp_path: Path) -> None:
    path = left(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE stoic_log SET value = '7.0'")
    with running(tmp_path) as here:
        for _ in range(2):
            reply = here.call("POST", "/v1/studies/mine:ask", {})
            assert (reply.status, reply.data["code"]) == (500, "store-damaged")
