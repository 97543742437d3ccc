"""Statements that run thousands of times: composed by SQLAlchemy once, run by the driver.

SQLAlchemy takes 60 µs to run a statement that SQLite answers in 5, ten times for each trial, and
while all other workers wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection
from sqlalchemy.sql import ClauseElement

__all__ = ["Statement", "driver"]


def driver(connection: Connection) -> Any:
    """The driver's own connection, of sqlite3 or psycopg: both have ``execute``."""
    return connection.connection.dbapi_connection


class _Compiled(NamedTuple):
    sql: str
    order: list[str] | None  # of the parameters, where the driver has them by place
    constants: dict[str, Any]  # parameters that the statement brings itself


class Statement:
    """A statement whose parameters are plain numbers and text, all bound by name."""

    def __init__(self, clause: ClauseElement) -> None:
        self._clause = clause
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, given: Mapping[str, Any]) -> Any:
        """The driver's cursor."""
        made = self._compiled.get(connection.dialect.name) or self._compile(connection)
        given = {**made.constants, **given} if made.constants else given
        values = given if made.order is None else [given[name] for name in made.order]
        return driver(connection).execute(made.sql, values)

    def one(self, connection: Connection, given: Mapping[str, Any]) -> Any:
        """The first row, or None."""
        return self.run(connection, given).fetchone()

    def all(self, connection: Connection, given: Mapping[str, Any]) -> list[Any]:
        """All rows."""
        rows: list[Any] = self.run(connection, given).fetchall()
        return rows

    def _compile(self, connection: Connection) -> _Compiled:
        compiled: Any = self._clause.compile(dialect=connection.dialect)
        constants = {k: v for k, v in compiled.params.items() if v is not None}
        made = _Compiled(str(compiled), compiled.positiontup, constants)
        self._compiled[connection.dialect.name] = made
        return made
