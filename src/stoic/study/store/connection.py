"""One connection to a database, with the same SQL statements for sqlite3 and psycopg."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

from stoic.errors import StoreUnavailable

__all__ = ["POSTGRESQL", "SQLITE", "Connection", "Dialect", "Foreign", "Group"]


@dataclass(frozen=True)
class Dialect:
    """The differences between the SQL of the two databases."""

    key: str  # type of a primary key that the database can count up
    whole: str  # type of a 64-bit integer
    real: str  # type of a 64-bit float
    end_of_table: str  # after the definition of a table that is ordered by its primary key
    has_table: str  # selects 1 where there is a table of the name ?
    clock: str  # the present time in Unix seconds; NULL where the client's clock serves
    for_update: str  # after a select: locks the row until the transaction ends
    placeholder: str  # of a parameter; statements in the code have ?


SQLITE = Dialect(
    key="INTEGER",
    whole="INTEGER",
    real="DOUBLE",
    end_of_table="\n WITHOUT ROWID\n\n",
    has_table="SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
    clock="NULL",
    for_update="",  # there is one writer at a time
    placeholder="?",
)
POSTGRESQL = Dialect(
    key="SERIAL",
    whole="BIGINT",
    real="DOUBLE PRECISION",
    end_of_table="",
    has_table="SELECT 1 WHERE to_regclass(?) IS NOT NULL",
    clock="CAST(EXTRACT(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)",
    for_update=" FOR UPDATE",
    placeholder="%s",
)


class Connection:
    """A driver's connection in autocommit mode; statements have ``?`` for their parameters."""

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        self.driver, self.dialect = driver, dialect

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement; the driver's cursor."""
        return self.driver.execute(_written(sql, self.dialect.placeholder), values)

    def execute_all(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""
        self.driver.cursor().executemany(_written(sql, self.dialect.placeholder), rows)

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row; None where there is no row."""
        row = self.execute(sql, values).fetchone()
        return None if row is None else row[0]


class Group:
    """A transaction of many operations, of which each can be undone alone.

    ``notes`` are what the transaction remembers beside the database; they are undone with it.
    """

    def __init__(
        self, connection: Connection, errors: type[Exception], notes: dict[int, Any]
    ) -> None:
        self._connection, self._errors, self._notes = connection, errors, notes
        self.thread = threading.get_ident()
        self._broken = False  # whether the database gave up the whole transaction

    @contextmanager
    def operation(self) -> Iterator[Connection]:
        """Changes that are undone if the block is left with an error; the others stay."""
        self.check()
        before = dict(self._notes)
        self._connection.execute("SAVEPOINT stoic_operation")
        try:
            yield self._connection
            self._connection.execute("RELEASE SAVEPOINT stoic_operation")
        except BaseException:
            self._notes.clear()
            self._notes.update(before)
            try:
                self._connection.execute("ROLLBACK TO SAVEPOINT stoic_operation")
                self._connection.execute("RELEASE SAVEPOINT stoic_operation")
            except self._errors:  # a full disk, or a lost connection
                self._broken = True
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """The store with what the group has written."""
        self.check()
        try:
            yield self._connection
        except self._errors:
            self._broken = True
            raise

    def check(self) -> None:
        """Raise `StoreUnavailable` where the transaction is lost."""
        if self._broken:
            raise StoreUnavailable(
                "expected a group of operations to go on, got one that the database gave up; "
                "nothing of it was written: do all of it again"
            )


class Foreign:
    """Replaces the parent's connection in a child that was forked within a transaction."""

    def __getattr__(self, name: str) -> NoReturn:
        raise StoreUnavailable(
            "expected a transaction of this process, got one of the process that forked it; "
            "fork between two calls of a study, not within one"
        )


@cache  # statements are constants of the code
def _written(sql: str, placeholder: str) -> str:
    return sql.replace("?", placeholder)
