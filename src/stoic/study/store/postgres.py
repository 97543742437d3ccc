"""Stores on a PostgreSQL server: a study's row is locked while it is written."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from stoic.errors import InvalidInput, MissingExtra, StoreDamaged, StoreError, StoreUnavailable
from stoic.study.store import schema
from stoic.study.store.counters import Mark
from stoic.study.store.database import Database
from stoic.study.store.urls import shown

__all__ = ["PostgreSQL"]

_PATIENCE = 60  # seconds that a writer waits for the others, and that it may hold them up
_LOCK = 0x53746F6963  # of all who make tables
_SETTINGS = (
    "SET synchronous_commit TO on",
    f"SET lock_timeout TO '{_PATIENCE}s'",
    f"SET idle_in_transaction_session_timeout TO '{_PATIENCE}s'",
)
# classes of SQLSTATE: connection, read-only, who, deadlock, resources, locks, operator, system
_UNAVAILABLE = ("08", "25", "28", "3D", "40", "53", "55", "57", "58")


class PostgreSQL(Database):
    """A database of a server, by the driver psycopg 3."""

    begin_write = "BEGIN"
    begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    clock = sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()), sa.Double())

    def _make_engine(self) -> sa.Engine:
        try:
            import psycopg as _psycopg  # noqa: F401
        except ImportError as missing:
            raise MissingExtra.of("psycopg", "stores on PostgreSQL", "postgres") from missing
        patience = {"connect_timeout": 10} if "connect_timeout" not in self.url.query else {}
        try:
            engine = sa.create_engine(
                self.url,
                poolclass=NullPool,
                isolation_level="AUTOCOMMIT",
                connect_args=patience,
            )
        except ArgumentError as cause:
            raise InvalidInput(
                f"expected a URL of PostgreSQL, got {shown(self.url)} ({self.words(cause)}); "
                "correct it"
            ) from self.cause(cause)
        sa.event.listen(engine, "connect", _configure)
        return engine

    def _prepare(self) -> None:
        with self._transaction(self.begin_write) as connection:
            self.exclusive(connection)
            schema.prepare(connection)

    def exclusive(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")

    def _committed(self) -> None:
        """The server keeps its own log whole."""

    def _entered(self, connection: Connection) -> None:
        """A server keeps its database where it is."""

    def before(self) -> dict[int, Mark]:
        return {}

    def deleted(self, place: int) -> None:
        """Nothing is noted elsewhere."""

    def check(self, connection: Connection) -> None:
        """The server checks its pages itself."""

    def now(self, clock: object) -> float:
        return float(clock)  # type: ignore[arg-type]

    def _forsake(self, inherited: Any) -> None:
        # The server ends a transaction when the last copy of the socket is closed. The number
        # stays taken, by a file that swallows what the driver may still write to it.
        with suppress(OSError, self._errors):
            number = inherited.fileno()
            nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            os.dup2(nowhere, number, inheritable=False)
            os.close(nowhere)

    def driver_error(self) -> type[Exception]:
        import psycopg

        return psycopg.Error

    def explain(self, error: BaseException) -> StoreError | None:
        where, said = shown(self.url), self.words(error)
        state = getattr(error, "sqlstate", None) or ""
        if not state or state[:2] in _UNAVAILABLE or state == "42501":  # no privilege
            return StoreUnavailable(
                f"expected to use {where}, got {said}; look at the server, "
                "then go on: what was acknowledged is safe"
            )
        if state[:2] in ("42", "XX", "22", "23"):
            return StoreDamaged(
                f"expected {where} to be a whole store of Stoic, got {said}; "
                "restore a copy, or name another database"
            )
        return None


def _configure(connection: Any, record: object) -> None:
    del record
    with connection.cursor() as cursor:
        for setting in _SETTINGS:
            cursor.execute(setting)
