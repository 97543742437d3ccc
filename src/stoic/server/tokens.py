"""Tokens: who a request is from, and what its sender may do.

A token is ``stoic_<id>_<secret>``. The file has its id and a digest of its secret, which is random
and of 256 bits, so that one round of a hash protects it. The secret is shown once, when it is made.
"""

from __future__ import annotations

import fcntl
import hmac
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput, MissingData, UnknownName
from stoic.files import write
from stoic.server.access import Verb

__all__ = ["EVERY_STUDY", "LOCAL", "Principal", "TokenFile", "TokenRecord"]

EVERY_STUDY = "*"
_FORMAT, _VERSION = "stoic.Tokens", 1
_TOKEN = re.compile(r"stoic_(?P<id>[a-z0-9]{8})_(?P<secret>[A-Za-z0-9_-]{43})")
_MAX_FILE_BYTES = 2**24
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_NOBODYS = sha256(b"").hexdigest()  # compared with where no token has the id, for equal time


@dataclass(frozen=True)
class Principal:
    """Who sent a request: a token, or anybody who reached a server without tokens."""

    id: str
    verbs: frozenset[Verb]
    studies: tuple[str, ...]  # names, or `EVERY_STUDY`

    def may(self, verb: Verb) -> bool:
        """Whether this verb is granted."""
        return verb in self.verbs or Verb.ADMIN in self.verbs

    def sees(self, study: str) -> bool:
        """Whether the study of this name is granted."""
        return EVERY_STUDY in self.studies or study in self.studies


LOCAL = Principal("local", frozenset(Verb), (EVERY_STUDY,))  # without a token file, on loopback


@dataclass(frozen=True)
class TokenRecord:
    """A token as it is stored; times are Unix seconds, None for never."""

    id: str
    digest: str  # SHA-256 of the secret, hexadecimal
    verbs: tuple[str, ...]
    studies: tuple[str, ...]
    made: float
    expires: float | None = None
    revoked: float | None = None
    note: str = ""

    def valid(self, now: float) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    @property
    def principal(self) -> Principal:
        """What it grants."""
        return Principal(self.id, frozenset(map(Verb, self.verbs)), self.studies)


class TokenFile:
    """The tokens of a file, read again when it changes."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self._seen: tuple[int, int, int] | None = None
        self._records: dict[str, TokenRecord] = {}
        self._principals: dict[str, Principal] = {}

    # -- read ---------------------------------------------------------------------------------

    def records(self) -> tuple[TokenRecord, ...]:
        """All tokens, oldest first; `MissingData` where there is no file."""
        self._follow()
        return tuple(self._records.values())

    def principal(self, presented: str) -> Principal | None:
        """What a presented token grants; None for one that is unknown, wrong or no longer valid."""
        self._follow()
        found = _TOKEN.fullmatch(presented)
        record = self._records.get(found["id"]) if found is not None else None
        digest = sha256((found["secret"] if found is not None else "").encode()).hexdigest()
        same = hmac.compare_digest(digest, _NOBODYS if record is None else record.digest)
        if record is None or not same or not record.valid(time.time()):
            return None
        return self._principals[record.id]

    def of_id(self, key: str) -> Principal | None:
        """What the token of this id grants now; None where it is no longer valid."""
        self._follow()
        record = self._records.get(key)
        return self._principals[key] if record is not None and record.valid(time.time()) else None

    def _follow(self) -> None:
        """Read the file, unless it is as it was."""
        try:
            found = os.stat(self.path)
        except OSError as cause:
            self._seen, self._records, self._principals = None, {}, {}
            raise MissingData(
                f"expected a file of tokens at {self.path}, got {cause.strerror}; make one with "
                "`stoic token new`"
            ) from cause
        identity = (found.st_ino, found.st_size, found.st_mtime_ns)
        if identity == self._seen:
            return
        if found.st_mode & _WRITABLE_BY_OTHERS:
            raise InvalidInput(
                f"expected {self.path} to be written by its owner alone, got mode "
                f"{stat.S_IMODE(found.st_mode):o}; chmod 600 it"
            )
        with open(self.path, "rb") as file:
            text = file.read(_MAX_FILE_BYTES + 1)
        records = _records(text, self.path)
        self._records = {record.id: record for record in records}
        self._principals = {record.id: record.principal for record in records}
        self._seen = identity

    # -- write --------------------------------------------------------------------------------

    def add(
        self,
        verbs: tuple[str, ...],
        studies: tuple[str, ...],
        *,
        seconds: float | None = None,
        note: str = "",
    ) -> str:
        """Make a token, and return it: it is shown this once. Makes the file if there is none."""
        verbs = _verbs(verbs)
        studies = _studies(studies)
        secret, now = secrets.token_urlsafe(32), time.time()
        with self._changing() as records:
            key = _new_id(records)
            expires = None if seconds is None else now + seconds
            digest = sha256(secret.encode()).hexdigest()
            records[key] = TokenRecord(key, digest, verbs, studies, now, expires, None, note[:200])
        return f"stoic_{key}_{secret}"

    def revoke(self, key: str) -> None:
        """Let a token end now; a second time changes nothing."""
        with self._changing() as records:
            if key not in records:
                raise UnknownName(f"expected the id of a token in {self.path}, got {key[:40]!r}")
            if records[key].revoked is None:
                records[key] = replace(records[key], revoked=time.time())

    @contextmanager
    def _changing(self) -> Iterator[dict[str, TokenRecord]]:
        """The records by id; they are written when the block ends, while no other process does."""
        lock = os.open(self.path + "-lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                self._follow()
            except MissingData:
                self._records = {}
            records = dict(self._records)
            yield records
            listed = [asdict(record) for record in records.values()]
            data = {"format": _FORMAT, "version": _VERSION, "tokens": listed}
            write(self.path, json.dumps(data, indent=1, allow_nan=False) + "\n", mode=0o600)
            self._seen = None
        finally:
            os.close(lock)


def _records(text: bytes, path: str) -> list[TokenRecord]:
    """The records of a file, or `InvalidInput`."""
    try:
        if len(text) > _MAX_FILE_BYTES:
            raise InvalidInput(f"more than {_MAX_FILE_BYTES} bytes")
        data = json.loads(text)
        if data["format"] != _FORMAT or data["version"] != _VERSION:
            raise InvalidInput(f"not {_FORMAT} of version {_VERSION}")
        records = [_record(each) for each in data["tokens"]]
        if len({record.id for record in records}) != len(records):
            raise InvalidInput("an id occurs twice")
        return records
    except (ValueError, LookupError, TypeError, RecursionError) as cause:
        # the content is not quoted: it may be a file of secrets that was named by mistake
        words = cause if isinstance(cause, InvalidInput) else type(cause).__name__
        raise InvalidInput(
            f"expected {path} to be a file of `stoic token new`, got another ({words}); name the "
            "right one"
        ) from None


def _record(data: Mapping[str, Any]) -> TokenRecord:
    record = TokenRecord(
        **{**data, "verbs": tuple(data["verbs"]), "studies": tuple(data["studies"])}
    )
    texts = (record.id, record.digest, record.note, *record.studies)
    times = (record.made, record.expires or 0.0, record.revoked or 0.0)
    if not all(isinstance(each, str) for each in texts):
        raise InvalidInput("a field that is not text")
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in times):
        raise InvalidInput("a time that is not a number")
    _verbs(record.verbs)
    return record


def _verbs(verbs: tuple[str, ...]) -> tuple[str, ...]:
    known = [verb.value for verb in Verb]
    for verb in verbs:
        if verb not in known:
            raise InvalidInput(f"expected verbs among {', '.join(known)}, got {describe(verb)}")
    if not verbs:
        raise InvalidInput(f"expected at least one verb of {', '.join(known)}, got none")
    return tuple(verb for verb in known if verb in verbs)


def _studies(studies: tuple[str, ...]) -> tuple[str, ...]:
    for name in studies:
        if not name or len(name) > 200 or not name.isprintable():
            raise InvalidInput(f"expected names of studies, got {describe(name)}")
    return tuple(dict.fromkeys(studies)) or (EVERY_STUDY,)


def _new_id(taken: Mapping[str, TokenRecord]) -> str:
    letters = "abcdefghijkmnpqrstuvwxyz23456789"  # none that look alike
    while (key := "".join(secrets.choice(letters) for _ in range(8))) in taken:
        pass
    return key
