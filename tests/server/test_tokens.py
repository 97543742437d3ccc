"""Tokens: stored hashed, by study and verb, revoked at once, and never shown again."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from typer.testing import CliRunner, Result

from stoic.cli.app import app
from stoic.errors import InvalidInput, MissingData, UnknownName
from stoic.server.access import Verb
from stoic.server.tokens import TokenFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def test_a_token_grants_its_verbs_on_its_studies(path: Path) -> None:
    file = TokenFile(str(path))
    who = file.principal(file.add(("ask", "tell"), ("a", "b")))
    assert who is not None
    assert [verb for verb in Verb if who.may(verb)] == [Verb.ASK, Verb.TELL]
    assert [name for name in "abc" if who.sees(name)] == ["a", "b"]
    admin = file.principal(file.add(("admin",), ()))
    assert admin is not None
    assert all(map(admin.may, Verb))
    assert admin.sees("anything")


def test_secrets_are_not_stored(path: Path) -> None:
    made = TokenFile(str(path)).add(("read",), ())
    secret = made.split("_", 2)[2]
    assert secret not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    other = TokenFile(str(path)).add(("read",), ())
    assert made != other


def test_wrong_tokens_grant_nothing(path: Path) -> None:
    file = TokenFile(str(path))
    made = file.add(("read",), ())
    key, secret = made.split("_", 2)[1:]
    other = file.add(("read",), ()).split("_", 2)[2]
    for wrong in ("", made[:-1], made + "a", f"stoic_{key}_{other}", f"stoic_zzzzzzzz_{secret}",
                  f" {made}", made.upper(), secret, f"stoic_{key}_", "stoic_é_é"):  # fmt: skip
        assert file.principal(wrong) is None
    file.revoke(key)
    file.revoke(key)
    assert file.principal(made) is None
    assert file.of_id(key) is None
    assert file.principal(file.add(("read",), (), seconds=1e-9)) is None


def test_a_change_of_the_file_is_seen(path: Path) -> None:
    reader = TokenFile(str(path))
    made = TokenFile(str(path)).add(("read",), ())
    assert reader.principal(made) is not None
    TokenFile(str(path)).revoke(made.split("_")[1])
    assert reader.principal(made) is None
    os.unlink(path)
    with pytest.raises(MissingData, match="stoic token new"):
        reader.principal(made)


def test_none_is_lost_when_many_are_made_at_once(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: TokenFile(str(path)).add(("read",), ()), range(24)))
    file = TokenFile(str(path))
    assert len(file.records()) == 24
    assert all(file.principal(token) for token in made)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"format":"stoic.Tokens","version":2,"tokens":[]}', "[" * 100_000, "\xff",
     '{"format":"stoic.Tokens","version":1,"tokens":[{"id":1}]}',
     '{"format":"stoic.Tokens","version":1,"tokens":[{"id":"a","digest":"b","verbs":["fly"],'
     '"studies":[],"made":1}]}',
     '{"format":"stoic.Tokens","version":1,"tokens":[{"id":"a","digest":"b","verbs":["read"],'
     '"studies":[],"made":true}]}',
     "hush-a-secret"],
)  # fmt: skip
def test_damaged_files_are_refused(path: Path, text: str) -> None:
    path.write_text(text, encoding="latin-1")
    path.chmod(0o600)
    with pytest.raises(InvalidInput, match="to be a file of") as refused:
        TokenFile(str(path)).records()
    assert "hush" not in str(refused.value)


def test_a_file_that_others_may_write_is_refused(path: Path) -> None:
    TokenFile(str(path)).add(("read",), ())
    path.chmod(0o666)
    with pytest.raises(InvalidInput, match="chmod 600"):
        TokenFile(str(path)).records()


def test_unknown_verbs_names_and_ids_are_refused(path: Path) -> None:
    file = TokenFile(str(path))
    for verbs, studies in ((("fly",), ()), ((), ()), (("read",), ("",)), (("read",), ("a\n",))):
        with pytest.raises(InvalidInput):
            file.add(verbs, studies)
    assert not path.exists()
    file.add(("read",), ())
    with pytest.raises(UnknownName):
        file.revoke("zzzzzzzz")


def stoic(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_command(path: Path) -> None:
    made = stoic("token", "new", "-f", path, "--verb", "ask", "--study", "a", "--note", "bob")
    token = made.stdout.strip()
    who = TokenFile(str(path)).principal(token)
    assert who is not None
    assert who.verbs == frozenset({Verb.ASK})
    assert who.studies == ("a",)
    listed = stoic("token", "list", "-f", path, "--json").stdout
    (record,) = json.loads(listed)
    assert (record["state"], record["note"]) == ("valid", "bob")
    assert token.split("_", 2)[2] not in listed
    assert stoic("token", "revoke", "-f", path, who.id).exit_code == 0
    assert "revoked" in stoic("token", "list", "-f", path).stdout
    beyond = stoic("serve", path.parent / "a.db", "--host", "0.0.0.0")
    assert beyond.exit_code == 2
    assert "stoic token new" in beyond.stderr
