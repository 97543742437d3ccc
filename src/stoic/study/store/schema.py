"""Tables of a store, and the steps that lead from one format to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, MetaData, Table, Text

from stoic.errors import StoreDamaged, StoreUnavailable
from stoic.study.store.digests import seal

__all__ = [
    "FORMAT",
    "STEPS",
    "TABLES",
    "create",
    "first_tables",
    "log",
    "meta",
    "prepare",
    "studies",
    "trials",
]

_Whole = sa.BigInteger().with_variant(Integer(), "sqlite")
_Seconds: sa.Double[float] = sa.Double()

TABLES = MetaData()

meta = Table(
    "stoic_meta",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("format", Integer, nullable=False),
    Column("seal", Text, nullable=False),
)

studies = Table(
    "stoic_studies",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("uid", Text, nullable=False),
    Column("name", Text, nullable=False, unique=True),
    Column("made", _Seconds, nullable=False),
    Column("problem_seal", Text, nullable=False),
    Column("next_number", _Whole, nullable=False),  # trials are 0 … next_number − 1
    Column("finished", _Whole, nullable=False),  # trials told or failed
    Column("entries", _Whole, nullable=False),  # of the log: 1 … entries
    Column("head", Text, nullable=False),  # seal of the last entry
    Column("seal", Text, nullable=False),
    Column("problem", Text, nullable=False),
)


def _trials(tables: MetaData, *later: Column[Any], ends: str) -> Table:
    """The table of trials, with the columns of later formats behind the others."""
    made = Table(
        "stoic_trials",
        tables,
        Column("study", ForeignKey("stoic_studies.id"), primary_key=True),
        Column("number", _Whole, primary_key=True, autoincrement=False),
        Column("params", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("asked", _Seconds, nullable=False),
        Column("lease_until", _Seconds, nullable=False),
        Column("worker", Text, nullable=False),
        Column("attempt", Integer, nullable=False),
        Column("seal", Text, nullable=False),
        *later,
        sqlite_with_rowid=False,
    )
    Index("stoic_open", made.c.study, made.c[ends], made.c.number, sqlite_where=_is_open)
    return made


_is_open = sa.text("state = 'open'")
_since_2: list[Column[Any]] = [  # see `stoic.study.store.rows.TrialRow`
    Column("token", Text, nullable=False, server_default=""),
    Column("clock", Text, nullable=False, server_default=""),
    Column("lease", _Seconds, nullable=False, server_default="0.0"),
    Column("lost", Integer, nullable=False, server_default="0"),
    Column("expires", _Seconds, nullable=False, server_default="-1.0"),
]
trials = _trials(TABLES, *_since_2, ends="expires")
(_open,) = trials.indexes

log = Table(
    "stoic_log",
    TABLES,
    Column("study", ForeignKey(studies.c.id), primary_key=True),
    Column("seq", _Whole, primary_key=True, autoincrement=False),
    Column("trial", _Whole, nullable=False),
    Column("measurement", _Whole, nullable=False),
    Column("value", Text),  # None for a failure
    Column("reason", Text),  # None for a value
    Column("told", _Seconds, nullable=False),
    Column("seal", Text, nullable=False),
    sa.UniqueConstraint("study", "trial", "measurement"),
    sqlite_with_rowid=False,
)


def create(connection: Connection) -> None:
    """Make the tables of the present format."""
    TABLES.create_all(connection, checkfirst=False)


def first_tables() -> MetaData:
    """The tables of format 1, as they are in stores that were made then."""
    first = MetaData()
    for table in TABLES.sorted_tables:
        if table is not trials:
            table.to_metadata(first)
    _trials(first, ends="lease_until")
    return first


def _leases(connection: Connection) -> None:
    """Leases with a token, by a clock that is known. Rows stay as they are, with their seals."""
    for each in _since_2:
        column = sa.schema.CreateColumn(each).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {trials.name} ADD COLUMN {column}")
    connection.exec_driver_sql("DROP INDEX stoic_open")
    connection.execute(sa.schema.CreateIndex(_open))


STEPS: list[Callable[[Connection], None]] = [_leases]  # the n-th leads from format n to n + 1
FORMAT = 1 + len(STEPS)


def prepare(connection: Connection) -> None:
    """Bring a store to the present format, within a transaction that nobody shares."""
    found = _format(connection) if sa.inspect(connection).has_table(meta.name) else 0
    if found > FORMAT:
        raise StoreUnavailable(
            f"expected a store of format {FORMAT} at most, got {found}, made by a newer Stoic; "
            "upgrade with pip install -U stoic"
        )
    if connection.dialect.name == "postgresql":  # to name it above would import its dialect
        _open.dialect_kwargs["postgresql_where"] = _is_open
    for step in STEPS[found - 1 :] if found else [create]:
        step(connection)
    if found < FORMAT:
        sealed = seal("meta", FORMAT, *_definitions(connection))
        connection.execute(meta.delete())
        connection.execute(meta.insert().values(id=1, format=FORMAT, seal=sealed))


def _format(connection: Connection) -> int:
    rows = connection.execute(sa.select(meta.c.format, meta.c.seal)).all()
    if len(rows) != 1 or seal("meta", rows[0][0], *_definitions(connection)) != rows[0][1]:
        raise StoreDamaged(
            "expected the tables as they were made, got others; restore the store from a copy"
        )
    return int(rows[0][0])


def _definitions(connection: Connection) -> list[str]:
    """How SQLite holds the tables, and whatever else could act on them."""
    if connection.dialect.name != "sqlite":
        return []
    rows = connection.exec_driver_sql(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name LIKE 'stoic\\_%' "
        "ESCAPE '\\' OR type IN ('trigger', 'view') ORDER BY type, name"
    )
    return [ascii(tuple(row)) for row in rows]
