"""Stores on a PostgreSQL server: a study's row is locked while it is written."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from stoic.errors import MissingExtra, StoreDamaged, StoreError, StoreUnavailable
from stoic.study.store import schema
from stoic.study.store.connection import POSTGRESQL, Connection
from stoic.study.store.database import Database
from stoic.study.store.lockfile import Counters
from stoic.study.store.urls import StoreUrl, connect_arguments, shown

__all__ = ["PostgreSQL"]

_PATIENCE_SECONDS = 60  # that a writer may wait for others, and that it may block them
_LOCK = 0x53746F6963  # key of the advisory lock for making tables and studies
_SETTINGS = (
    "SET synchronous_commit TO on",
    f"SET lock_timeout TO '{_PATIENCE_SECONDS}s'",
    f"SET idle_in_transaction_session_timeout TO '{_PATIENCE_SECONDS}s'",
)
# SQLSTATE classes: connection, read-only, login, deadlock, resources, locks, operator, system
_UNAVAILABLE = ("08", "25", "28", "3D", "40", "53", "55", "57", "58")


class PostgreSQL(Database):
    """A database of a server, by the driver psycopg 3."""

    begin_write = "BEGIN"
    begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    def __init__(self, url: StoreUrl, *, convert: bool = True) -> None:
        self._convert = convert
        self._arguments = connect_arguments(url)
        super().__init__(url)

    def _connect(self) -> Connection:
        import psycopg

        driver = psycopg.connect(autocommit=True, **self._arguments)
        for setting in _SETTINGS:
            driver.execute(setting)
        return Connection(driver, POSTGRESQL)

    def _prepare(self) -> None:
        try:
            with self._transaction(self.begin_write) as connection:
                self.exclusive(connection)
                schema.prepare(connection, convert=self._convert)
        except BaseException:
            self.drop()
            raise

    def exclusive(self, connection: Connection) -> None:
        connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")

    def _committed(self) -> None:
        """Nothing to do: the server protects its own log."""

    def _entered(self, connection: Connection) -> None:
        """Nothing to check: a server's database does not move."""

    def counters(self) -> dict[int, Counters]:
        return {}

    def check(self, connection: Connection) -> None:
        """Nothing to do: the server checks its pages itself."""

    def now(self, clock: object) -> float:
        return float(clock)  # type: ignore[arg-type]

    def _forsake(self, inherited: Any) -> None:
        # The server ends a transaction when the last copy of the socket is closed. The descriptor
        # then refers to a file that discards what the driver may still write to it.
        with suppress(OSError, self.driver_errors):
            number = inherited.fileno()
            nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            os.dup2(nowhere, number, inheritable=False)
            os.close(nowhere)

    def _driver_errors(self) -> type[Exception]:
        try:
            import psycopg
        except ImportError as missing:
            raise MissingExtra.of("psycopg", "stores on PostgreSQL", "postgres") from missing
        return psycopg.Error

    def explain(self, error: BaseException) -> StoreError | None:
        where, got = shown(self.url), self.words(error)
        state = getattr(error, "sqlstate", None) or ""
        if not state or state[:2] in _UNAVAILABLE or state == "42501":  # no privilege
            return StoreUnavailable(
                f"expected to use {where}, got {got}; check the server, "
                "then go on: what was acknowledged is safe"
            )
        if state[:2] in ("42", "XX", "22", "23"):
            return StoreDamaged(
                f"expected {where} to be a whole store of Stoic, got {got}",
                "restore a copy, or name another database",
            )
        return None
