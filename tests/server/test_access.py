"""Every route of the table × every kind of wrong token: none is let in, and nothing changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("fastapi")

from helpers.here import Here, Reply, running
from stoic.server.access import SAFE, TABLE, Access, Verb
from stoic.server.app import api_of
from stoic.server.routing import Guarded
from stoic.server.settings import Limits, Settings
from stoic.server.tokens import TokenFile
from stoic.server.watch.metrics import Metrics
from stoic.study import Study

EVERY = tuple(verb.value for verb in Verb)
PROTECTED = [(*route, access) for route, access in TABLE.items() if access.verb is not None]

# Bodies with which each route would change something, if it let the request in.
PARAMS = {"x": 0.5, "n": 3}
BODIES: dict[str, Any] = {
    ":ask": {},
    ":renew": {"trial": 0, "lease": "t"},
    ":release": {"trial": 0, "lease": "t"},
    ":enqueue": {"params": PARAMS},
    ":finals": {"end": True},
    ":reclaim": {},
    ":tell": {"trial": 0, "value": 1.0},
    ":fail": {"trial": 0},
    ":add": {"params": PARAMS, "value": 1.0},
    ":note": {"trial": 0, "text": "a note"},
    ":exclude": {"trial": 0},
    ":include": {"trial": 0},
    ":widen": {"baseline": PARAMS},
    "/v1/studies": {"name": "other", "space": ["x=0:1.0"], "direction": "minimize"},
}


class Tokens(NamedTuple):
    """Tokens for one server, by what is wrong with them."""

    right: str
    other_study: str
    revoked: str
    expired: str
    without: dict[Verb, str]  # all verbs but this one, and not admin

    def wrong_secret(self) -> str:
        """The id of the right one, with another secret."""
        return self.right[:-4] + ("aaaa" if self.right[-4:] != "aaaa" else "bbbb")


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Tokens]:
    path = str(tmp_path_factory.mktemp("tokens") / "tokens.json")
    file = TokenFile(path)
    revoked = file.add(EVERY, ())
    file.revoke(revoked.split("_")[1])
    without = {
        verb: file.add(tuple(v for v in EVERY if v not in (verb.value, "admin")), ("mine",))
        for verb in Verb
    }
    made = Tokens(
        right=file.add(EVERY, ("mine",)),
        other_study=file.add(EVERY, ("theirs",)),
        revoked=revoked,
        expired=file.add(EVERY, (), seconds=1e-9),
        without=without,
    )
    return path, made


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, tokens: tuple[str, Tokens]) -> Iterator[Here]:
    folder = tmp_path_factory.mktemp("store")
    with Study(folder / "studies.db", "mine", space={"x": (0.0, 1.0), "n": (1, 9)},
               direction="minimize", method="random") as study:  # fmt: skip
        study.ask()
    time.sleep(0.01)
    limits = Limits(refused_per_second=1e6, refused_burst=1e6)
    with running(folder, token_file=tokens[0], limits=limits) as made:
        yield made


def state_of(here: Here, tokens: Tokens) -> Any:
    headers = {"Authorization": f"Bearer {tokens.right}"}
    state = here.call("GET", "/v1/studies/mine", headers=headers)
    trials = here.call("GET", "/v1/studies/mine/trials", headers=headers)
    studies = here.call("GET", "/v1/studies", headers=headers)
    assert (state.status, trials.status, studies.status) == (200, 200, 200)
    return state.data, trials.data, studies.data


def send(
    here: Here, method: str, path: str, access: Access, token: str = "", query: str = ""
) -> Reply:
    url = path.replace("{study}", "mine").replace("{name}", "style.css") + query
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if method in SAFE:
        return here.call(method, url, headers=headers)
    if access.page:
        form = "application/x-www-form-urlencoded"
        headers |= {"Content-Type": form, "Origin": f"http://127.0.0.1:{here.port}"}
        return here.call(method, url, headers=headers, body=b"trial=0&csrf=x")
    if method == "DELETE":
        query = query or f"?uid={'0' * 32}"
        return here.call(method, url.partition("?")[0] + query, headers=headers)
    action = path if path == "/v1/studies" else ":" + path.rpartition(":")[2]
    return here.call(method, url, BODIES[action], headers)


def refused(reply: Reply, access: Access, status: int) -> None:
    """The reply refuses, and says nothing else."""
    if access.page and reply.status == 303:  # to the page to sign in
        assert status == 401
        assert reply.headers["location"] == "/login"
        return
    assert reply.status == status, reply.body
    assert b"definition" not in reply.body


def test_every_route_is_in_the_table(tmp_path: Path) -> None:
    app = api_of(Settings(str(tmp_path / "a.db")), Metrics())
    routes = {
        (m, r.path_format) for r in app.routes if isinstance(r, Guarded) for m in r.methods or ()
    }
    assert len(routes) == len(app.routes)
    assert routes == set(TABLE)


def test_a_route_without_a_row_is_refused() -> None:
    async def endpoint() -> None: ...

    with pytest.raises(KeyError):
        Guarded("/v1/unheard-of", endpoint, methods=["GET"])


@pytest.mark.parametrize(
    ("method", "path", "access"), PROTECTED, ids=lambda x: x if isinstance(x, str) else ""
)
def test_wrong_tokens_are_refused(
    here: Here, tokens: tuple[str, Tokens], method: str, path: str, access: Access
) -> None:
    made = tokens[1]
    assert access.verb is not None
    before = state_of(here, made)
    refused(send(here, method, path, access), access, 401)
    for token in (made.wrong_secret(), made.revoked, made.expired, "stoic_x_y", "ä", "a b"):
        refused(send(here, method, path, access, token.encode().decode("latin-1")), access, 401)
    for query in (f"?token={made.right}", f"?access_token={made.right}",
                  f"?Authorization=Bearer%20{made.right}"):  # fmt: skip
        refused(send(here, method, path, access, query=query), access, 401)
    refused(send(here, method, path, access, made.without[access.verb]), access, 403)
    if access.study:
        theirs = send(here, method, path, access, made.other_study)
        absent = send(here, method, path.replace("{study}", "absent"), access, made.other_study)
        assert theirs.status == absent.status == 404
        assert theirs.body.replace(b"mine", b"absent") == absent.body
    assert state_of(here, made) == before


@pytest.mark.parametrize("verb", ["read", "ask", "tell", "admin"])
def test_right_tokens_are_let_in(here: Here, tokens: tuple[str, Tokens], verb: str) -> None:
    """Else the test above would pass with a server that refuses all."""
    token = TokenFile(tokens[0]).add((verb,), ("mine",))
    for method, path, access in PROTECTED:
        if access.verb == verb and path not in ("/v1/studies/{study}/events", "/v1/studies"):
            reply = send(here, method, path, access, token)
            assert reply.status not in (401, 403, 404) or access.page, (path, reply.body)


def test_a_token_of_one_study_lists_and_makes_no_other(
    here: Here, tokens: tuple[str, Tokens]
) -> None:
    for token, names in ((tokens[1].right, ["mine"]), (tokens[1].other_study, [])):
        headers = {"Authorization": f"Bearer {token}"}
        listed = here.call("GET", "/v1/studies", headers=headers)
        assert [study["name"] for study in listed.data["studies"]] == names
        made = here.call("POST", "/v1/studies", BODIES["/v1/studies"], headers)
        assert made.status == 403


def test_to_make_a_study_needs_admin(here: Here, tokens: tuple[str, Tokens]) -> None:
    headers = {"Authorization": f"Bearer {tokens[1].without[Verb.ADMIN]}"}
    same = {"name": "mine", "space": ["x=0:1.0", "n=1:9"], "direction": "minimize",
            "method": "random"}  # fmt: skip
    assert here.call("POST", "/v1/studies", same, headers).status == 200
    other = here.call("POST", "/v1/studies", {**same, "direction": "maximize"}, headers)
    assert (other.status, other.data["code"]) == (409, "study-mismatch")
    assert here.call("POST", "/v1/studies", {**same, "name": "new"}, headers).status == 403
    wider = {**same, "space": ["x=0:2.0", "n=1:9"]}
    assert here.call("POST", "/v1/studies", wider, headers).status == 403
    narrower = {**same, "space": ["x=0:0.5", "n=1:9"]}
    assert here.call("POST", "/v1/studies", narrower, headers).status == 409


def test_a_token_that_is_revoked_ends_at_once(here: Here, tokens: tuple[str, Tokens]) -> None:
    file = TokenFile(tokens[0])
    token = file.add(EVERY, ("mine",))
    headers = {"Authorization": f"Bearer {token}"}
    assert here.call("GET", "/v1/studies/mine", headers=headers).status == 200
    file.revoke(token.split("_")[1])
    assert here.call("GET", "/v1/studies/mine", headers=headers).status == 401


def test_two_tokens_are_none(here: Here, tokens: tuple[str, Tokens]) -> None:
    headers = {"Authorization": f"Bearer {tokens[1].right}, Bearer {tokens[1].right}"}
    assert here.call("GET", "/v1/studies/mine", headers=headers).status == 401
    headers = {"Authorization": f"Basic {tokens[1].right}"}
    assert here.call("GET", "/v1/studies/mine", headers=headers).status == 401


def test_only_get_is_served_read_only(tmp_path: Path) -> None:
    with Study(tmp_path / "studies.db", "mine", space={"x": (0.0, 1.0), "n": (1, 9)},
               direction="minimize") as study:  # fmt: skip
        study.ask()
    with running(tmp_path, read_only=True) as made:
        assert made.call("GET", "/v1/studies/mine").data["asked"] == 1
        for method, path, access in PROTECTED:
            if method not in SAFE:
                assert send(made, method, path, access).status == 403, path
        assert made.call("GET", "/v1/studies/mine").data["asked"] == 1
