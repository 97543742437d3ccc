"""Ask and tell over HTTP: the promises of the store, and the suggestions of `Study`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from helpers.here import Client, Here, running
from helpers.service import serving
from stoic.server.settings import Settings
from stoic.study import Study

SPACE = {"x": (0.0, 1.0), "n": (1, 9)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("serving")


@pytest.fixture(scope="module")
def here(folder: Path) -> Iterator[Here]:
    with running(folder) as made:
        yield made


def ask(here: Here, path: str, **body: Any) -> list[dict[str, Any]]:
    reply = here.call("POST", f"{path}:ask", body)
    assert reply.status == 200, reply.body
    trials: list[dict[str, Any]] = reply.data["trials"]
    return trials


def tell(here: Here, path: str, trial: int, value: float) -> dict[str, Any]:
    reply = here.call("POST", f"{path}:tell", {"trial": trial, "value": value})
    assert reply.status == 200, reply.body
    data: dict[str, Any] = reply.data
    return data


def measured(params: dict[str, Any]) -> float:
    return float((params["x"] - 0.3) ** 2 + 0.1 * params["n"])


@pytest.mark.parametrize("method", ["auto", "random"])
def test_suggestions_are_those_of_a_study(here: Here, tmp_path: Path, method: str) -> None:
    """Asked one by one, failed, asked two at a time, and told later: the same to the last bit."""
    path = here.made(f"same-{method}", seed=5, method=method)
    with Study(tmp_path / "a.db", space=SPACE, direction="minimize", seed=5,
               method=method) as study:  # fmt: skip
        for step in range(9):
            (mine,) = ask(here, path)
            theirs = study.ask()
            assert (mine["number"], mine["params"]) == (theirs.number, theirs.params)
            assert mine["made"] == {"auto": "model", "random": "random"}[method]
            if step == 3:
                study.fail(theirs, "crashed")
                body = {"trial": mine["number"], "reason": "crashed"}
                assert here.call("POST", f"{path}:fail", body).status == 200
                continue
            study.tell(theirs, measured(theirs.params))
            told = tell(here, path, mine["number"], measured(mine["params"]))
            assert told == {"trial": step, "state": "told", "finished": step + 1}
        both = [study.ask(), study.ask()]
        mine_both = ask(here, path, count=2)
        assert [trial["params"] for trial in mine_both] == [trial.params for trial in both]
        for trial in both:
            study.tell(trial, measured(trial.params))
            tell(here, path, trial.number, measured(trial.params))
        found = here.call("GET", f"{path}/result").data
        assert found == json.loads(json.dumps(study.result().to_dict()))
        for part in ("best", "verdict", "suspects", "luckiest"):
            assert here.call("GET", f"{path}/{part}").data == {part: found[part]}


def test_the_store_has_what_was_acknowledged(here: Here, folder: Path) -> None:
    path = here.made("kept", method="random")
    (trial,) = ask(here, path, worker="ann")
    tell(here, path, trial["number"], 0.1 + 0.2)
    with Study(folder / "studies.db", "kept") as study:
        (record,) = study.trials
        assert record.values == (0.1 + 0.2,)
        assert record.params == trial["params"]
        assert record.worker == "local/ann"
    log = here.call("GET", f"{path}/log").data
    assert log["last"] == 1
    (entry,) = log["entries"]
    assert (entry["trial"], entry["value"], entry["params"]) == (0, 0.1 + 0.2, trial["params"])
    assert here.call("GET", f"{path}/log?after=1").data["entries"] == []


def test_a_repeated_ask_gives_the_same_trial(here: Here) -> None:
    for method in ("auto", "random"):
        path = here.made(f"repeated-{method}", method=method)
        key = {"Idempotency-Key": "5"}
        first = here.call("POST", f"{path}:ask", {"count": 2}, key).data["trials"]
        again = here.call("POST", f"{path}:ask", {"count": 2}, key).data["trials"]
        assert [t["number"] for t in first] == [t["number"] for t in again] == [0, 1]
        assert [t["lease"]["token"] for t in first] == [t["lease"]["token"] for t in again]
        assert {t["made"] for t in again} == {"again"}
        other = here.call("POST", f"{path}:ask", {}, {"Idempotency-Key": "6"}).data["trials"]
        assert [t["number"] for t in other] == [2]


def test_leases_belong_to_their_tokens(here: Here) -> None:
    path = here.made("leases", method="random")
    (trial,) = ask(here, path)
    own = {"trial": 0, "lease": trial["lease"]["token"]}
    wrong = {"trial": 0, "lease": "f" * 16}
    assert here.call("POST", f"{path}:renew", wrong).data == {"renewed": False}
    assert here.call("POST", f"{path}:release", wrong).data == {"released": False}
    assert here.call("POST", f"{path}:renew", {**own, "seconds": 60.0}).data == {"renewed": True}
    assert here.call("POST", f"{path}:release", own).data == {"released": True}
    (again,) = ask(here, path)
    assert (again["number"], again["made"], again["attempt"]) == (0, "queue", 2)


def test_a_budget_ends(here: Here) -> None:
    for method in ("auto", "random"):
        path = here.made(f"budget-{method}", method=method)
        assert [t["number"] for t in ask(here, path, count=5, budget=3)] == [0, 1, 2]
        assert ask(here, path, budget=3) == []


def test_what_conflicts_is_refused(here: Here) -> None:
    path = here.made("conflicts", method="random")
    ask(here, path)
    tell(here, path, 0, 1.0)
    tell(here, path, 0, 1.0)
    reply = here.call("POST", f"{path}:tell", {"trial": 0, "value": 2.0})
    assert (reply.status, reply.data["code"]) == (409, "conflicting-value")
    reply = here.call("POST", f"{path}:tell", {"trial": 7, "value": 2.0})
    assert (reply.status, reply.data["code"]) == (404, "unknown-trial")
    reply = here.call("POST", f"{path}:enqueue", {"params": {"x": 2.0, "n": 1}})
    assert (reply.status, reply.data["code"]) == (422, "invalid-params")
    reply = here.call("GET", "/v1/studies/absent")
    assert (reply.status, reply.data["code"]) == (404, "unknown-study")


def test_what_is_enqueued_is_asked_next(here: Here) -> None:
    path = here.made("queue", seed=1)
    here.call("POST", f"{path}:enqueue", {"params": {"x": 0.25, "n": 4}})
    (trial,) = ask(here, path)
    assert (trial["params"], trial["made"]) == ({"x": 0.25, "n": 4}, "queue")


def test_spaces_get_wider(here: Here) -> None:
    path = here.made("wider", method="random")
    body = {"space": ["x=0:2.0", "n=1:9"]}
    reply = here.call("POST", f"{path}:widen", body)
    assert reply.status == 200, reply.body
    assert reply.data["definition"]["space"]["parameters"][0]["high"] == 2.0
    reply = here.call("POST", f"{path}:widen", {"space": ["x=0:0.5", "n=1:9"]})
    assert (reply.status, reply.data["code"]) == (409, "study-mismatch")


def test_finals(here: Here) -> None:
    path = here.made("finals", baseline={"x": 0.9, "n": 9})
    for _ in range(6):
        (trial,) = ask(here, path)
        tell(here, path, trial["number"], measured(trial["params"]))
    assert here.call("POST", f"{path}:finals", {"begin": 8}).data == {"finals": True}
    for _ in range(8):
        (trial,) = ask(here, path)
        tell(here, path, trial["number"], measured(trial["params"]))
    assert here.call("GET", f"{path}/verdict").data["verdict"] is not None
    assert here.call("POST", f"{path}:finals", {"end": True}).data == {"finals": False}


def test_a_deleted_study_is_gone(here: Here) -> None:
    path = here.made("gone", method="random")
    ask(here, path)
    uid = here.call("GET", path).data["uid"]
    reply = here.call("DELETE", f"{path}?uid={'0' * 32}")
    assert reply.status == 409
    assert here.call("DELETE", f"{path}?uid={uid}").data == {"deleted": True}
    assert here.call("POST", f"{path}:ask", {}).status == 404
    here.made("gone", method="random")
    assert here.call("GET", f"/v1/studies/{uid}").status == 404
    assert [trial["number"] for trial in ask(here, path)] == [0]


def test_studies_and_trials_come_in_pages(here: Here) -> None:
    path = here.made("pages", method="random")
    ask(here, path, count=5)
    numbers, cursor = [], ""
    while cursor is not None:
        page = here.call("GET", f"{path}/trials?limit=2&cursor={cursor}").data
        numbers += [trial["number"] for trial in page["trials"]]
        cursor = page["next"]
    assert numbers == [0, 1, 2, 3, 4]
    every = here.call("GET", "/v1/studies?limit=1000").data["studies"]
    page = here.call("GET", "/v1/studies?limit=1").data
    assert [study["name"] for study in page["studies"]] == [every[0]["name"]]


def test_many_at_once_get_different_trials(here: Here) -> None:
    """By the model or without it: nobody waits for long, and each trial is leased once."""
    path = here.made("crowd")

    def work(_: int) -> list[int]:
        client = Here(here.service)
        found = []
        for _ in range(4):
            (trial,) = ask(client, path)
            assert trial["made"] in ("model", "earlier-model", "random")
            tell(client, path, trial["number"], measured(trial["params"]))
            found.append(trial["number"])
        client.close()
        return found

    with ThreadPoolExecutor(8) as pool:
        numbers = [number for found in pool.map(work, range(8)) for number in found]
    assert sorted(numbers) == list(range(32))
    state = here.call("GET", path).data
    assert (state["asked"], state["finished"], state["open"]) == (32, 32, 0)


def once(here: Here, path: str) -> list[dict[str, Any]]:
    """Ask by a connection of its own."""
    client = Here(here.service)
    try:
        return ask(client, path)
    finally:
        client.close()


def test_late_asks_get_draws(tmp_path: Path) -> None:
    """With a deadline that no model meets, whoever is not alone gets a draw."""
    with running(tmp_path, deadline=1e-6) as made:
        path = made.made("late")
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: once(made, path), range(4)))
        kinds = {trial["made"] for trials in found for trial in trials}
        assert kinds <= {"random", "model", "batch", "earlier-model"}
        assert "random" in kinds
        text = made.call("GET", "/metrics").body.decode()
    assert 'stoic_suggestions_total{kind="random"}' in text
    assert (
        'stoic_requests_total{method="POST",route="/v1/studies/{study}:ask",status="200"} 4' in text
    )


def test_a_restart_keeps_everything(tmp_path: Path) -> None:
    with running(tmp_path) as made:
        path = made.made("kept", seed=3)
        (first,) = ask(made, path)
        tell(made, path, 0, 1.5)
        (leased,) = ask(made, path)
        key = {"Idempotency-Key": "k"}
        keyed = made.call("POST", f"{path}:ask", {}, key).data["trials"][0]
        before = made.call("GET", path).data
    with running(tmp_path) as made:
        assert made.call("GET", path).data == before
        again = made.call("POST", f"{path}:ask", {}, key).data["trials"][0]
        assert again["number"] == keyed["number"]
        own = {"trial": leased["number"], "lease": leased["lease"]["token"]}
        assert made.call("POST", f"{path}:renew", own).data == {"renewed": True}
        records = made.call("GET", f"{path}/trials").data["trials"]
    assert [record["values"] for record in records] == [[1.5], [], []]
    assert records[0]["params"] == first["params"]


def test_a_server_ends_by_a_signal(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db") as service:
        assert service.stop() in (0, -15)


def test_a_server_that_stops_ends_its_streams(tmp_path: Path) -> None:
    lines: list[str] = []
    ready = threading.Event()
    with running(tmp_path) as made:
        path = made.made("mine", method="random")
        client = Client(made.port)
        thread = threading.Thread(target=client.stream, args=(f"{path}/events", lines, ready, "-"))
        thread.start()
        assert ready.wait(30)
    thread.join(30)
    assert not thread.is_alive()


def test_events_come_as_they_happen(here: Here, folder: Path) -> None:
    path = here.made("events", method="random")
    ask(here, path)
    seen: list[str] = []
    ready = threading.Event()

    def listen() -> None:
        client = Here(here.service)
        client.stream(f"{path}/events", seen, ready, until="note")

    thread = threading.Thread(target=listen)
    thread.start()
    assert ready.wait(30)
    tell(here, path, 0, 0.5)
    with Study(folder / "studies.db", "events") as study:  # another process, as it were
        trial = study.ask()
        study.fail(trial, "no memory")
        study.note(trial, "swapped")
    thread.join(30)
    assert not thread.is_alive()
    text = "\n".join(seen)
    for kind in ("told", "asked", "failed", "noted"):
        assert f"event: {kind}" in text
    ids = [line.removeprefix("id: ") for line in seen if line.startswith("id: ")]
    again: list[str] = []
    Here(here.service).stream(f"{path}/events", again, threading.Event(), "note", after="0-0")
    assert [line for line in again if line.startswith("id: ")][-1] == f"id: {ids[-1]}"
    assert sum(line == "event: asked" for line in again) == 2
    assert here.call("GET", f"{path}/events", headers={"Last-Event-ID": "x"}).status == 400


def test_it_says_whether_it_is_ready(tmp_path: Path) -> None:
    with running(tmp_path) as made:
        assert made.call("GET", "/readyz").data == {"status": "ready"}
        (tmp_path / "studies.db").unlink()
        assert made.call("GET", "/readyz").status == 503
        assert made.call("GET", "/healthz").status == 200


@pytest.mark.parametrize(
    "how", [{"host": "0.0.0.0"}, {"behind_proxy": True}, {"port": 70_000}, {"advisers": 0}]
)
def test_unsafe_settings_are_refused(how: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Settings(**how).checked()
