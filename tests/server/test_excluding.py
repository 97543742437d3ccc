"""What one token reported can be excluded and taken back, and the model follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("fastapi")

from helpers.here import Here, running
from stoic.server.tokens import TokenFile
from stoic.study import Study

SPACE = {"x": (0.0, 1.0), "n": (1, 9)}
GRID = [{"x": i / 10, "n": 1 + i % 9} for i in range(10)]


class Server(NamedTuple):
    """A server, and headers of two workers' tokens and an operator's."""

    here: Here
    good: dict[str, str]
    rogue: dict[str, str]
    operator: dict[str, str]

    @property
    def rogue_id(self) -> str:
        """The id of the rogue's token."""
        return self.rogue["Authorization"].split("_")[1]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    file = TokenFile(str(tmp_path / "tokens.json"))
    verbs = [("read", "ask", "tell"), ("read", "ask", "tell"), ("admin",)]
    headers = [{"Authorization": f"Bearer {file.add(each, ())}"} for each in verbs]
    with Study(tmp_path / "studies.db", "mine", space=SPACE, direction="minimize"):
        pass
    with running(tmp_path, token_file=file.path) as here:
        yield Server(here, *headers)


def post(server: Server, action: str, body: Any, headers: dict[str, str]) -> Any:
    reply = server.here.call("POST", f"/v1/studies/mine:{action}", body, headers)
    assert reply.status == 200, reply.body
    return reply.data


def best(server: Server) -> Any:
    found = server.here.call("GET", "/v1/studies/mine/best", headers=server.operator)
    return found.data["best"]


def test_all_of_a_token(server: Server) -> None:
    for params in GRID:
        post(server, "add", {"params": params, "value": (params["x"] - 0.3) ** 2}, server.good)
    honest = best(server)
    for params in GRID[6:]:
        for _ in range(4):
            post(server, "add", {"params": params, "value": -0.2}, server.rogue)
    assert honest["params"]["x"] < 0.5 < best(server)["params"]["x"]
    body = {"token_id": server.rogue_id}
    refused = server.here.call("POST", "/v1/studies/mine:exclude", body, server.rogue)
    assert refused.status == 403
    assert post(server, "exclude", body, server.operator) == {"changed": True}
    assert post(server, "exclude", body, server.operator) == {"changed": False}
    assert best(server) == honest
    post(server, "add", {"params": GRID[9], "value": -0.2}, server.rogue)  # also what comes later
    assert best(server) == honest
    assert post(server, "include", body, server.operator) == {"changed": True}
    assert best(server)["params"]["x"] > 0.5


def test_whoever_reports_is_the_source(server: Server) -> None:
    """A trial that one token asked and another told is of the latter, which alone goes on."""
    asked = post(server, "ask", {"worker": "w"}, server.good)["trials"][0]
    post(server, "tell", {"trial": asked["number"], "value": 1.0}, server.rogue)
    trials = server.here.call("GET", "/v1/studies/mine/trials", headers=server.operator)
    assert trials.data["trials"][0]["worker"] == f"{server.rogue_id}/"
    more = {"trial": asked["number"], "value": 2.0, "measurement": 1}
    reply = server.here.call("POST", "/v1/studies/mine:tell", more, server.good)
    assert (reply.status, reply.data["code"]) == (403, "access-denied")
    assert post(server, "tell", more, server.rogue)["finished"] == 1


def test_one_trial_and_one_measurement(server: Server) -> None:
    for params in GRID:
        post(server, "add", {"params": params, "value": params["x"]}, server.good)
    before = best(server)
    post(server, "tell", {"trial": 5, "value": -100.0, "measurement": 1}, server.good)
    post(server, "exclude", {"trial": 5, "measurement": 1}, server.operator)
    assert best(server) == before
    post(server, "include", {"trial": 5, "measurement": 1}, server.operator)
    post(server, "exclude", {"trial": 5}, server.operator)
    records = server.here.call("GET", "/v1/studies/mine/trials", headers=server.operator).data
    assert [bool(trial["excluded"]) for trial in records["trials"]] == [i == 5 for i in range(10)]
    for body in ({}, {"trial": 1, "token_id": "a"}, {"token_id": "a", "measurement": 1}):
        reply = server.here.call("POST", "/v1/studies/mine:exclude", body, server.operator)
        assert reply.status == 422


def test_repeated_requests_count_once(server: Server) -> None:
    key = {"Idempotency-Key": "once"}
    body = {"params": GRID[0], "value": 1.0}
    first = post(server, "add", body, server.good | key)
    assert post(server, "add", body, server.good | key) == first
    assert post(server, "add", body, server.rogue | key)["number"] != first["number"]
    for _ in range(2):
        post(server, "enqueue", {"params": GRID[1]}, server.good | key)
    state = server.here.call("GET", "/v1/studies/mine", headers=server.operator).data
    assert (state["finished"], state["open"]) == (2, 1)
