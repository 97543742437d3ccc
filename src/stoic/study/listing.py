"""List and delete the studies of a store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from stoic.errors import StoreDamaged, UnknownStudy
from stoic.study.definition import Definition
from stoic.study.records import StudySummary
from stoic.study.store import Database, open_store
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, find, names
from stoic.study.store.rows import FAILED, OPEN, TOLD

__all__ = ["delete", "identified", "summaries"]


def summaries(store: str | os.PathLike[str] | Database) -> tuple[StudySummary, ...]:
    """The studies of a store, oldest first."""
    with _using(store) as database, database.read() as connection:
        return tuple(_summary(database, connection, name) for name in names(connection))


def identified(database: Database, given: str) -> tuple[str, str] | None:
    """Name and unique id of the study that has one of them; None where there is none."""
    wanted = "SELECT name, uid FROM stoic_studies WHERE uid = ? OR name = ? ORDER BY uid = ? DESC"
    with database.read() as connection:
        found = connection.execute(wanted, (given, given, given)).fetchone()
    return None if found is None else (str(found[0]), str(found[1]))


def _summary(database: Database, connection: Connection, name: str) -> StudySummary:
    found = find(connection, name)
    if found is None:  # a list of names that does not agree with the table
        raise StoreDamaged(
            f"study {name!r} is listed, but not found", "restore a copy of the store"
        )
    row, definition = found[0], Definition.from_text(found[1])
    states = Ledger(database, row).states(connection)
    latest = "SELECT max(told) FROM stoic_log WHERE study = ? AND measurement >= 0"
    last = connection.value(latest, (row.id,))
    return StudySummary(
        name=name,
        uid=row.uid,
        direction=definition.direction,
        objective=definition.objective,
        trials=row.next_number,
        told=states.get(TOLD, 0),
        failed=states.get(FAILED, 0),
        open=states.get(OPEN, 0),
        made=row.made,
        last=last,
    )


def delete(store: str | os.PathLike[str] | Database, name: str, uid: str | None = None) -> None:
    """Remove a study and all of its trials; this can't be undone.

    With its ``uid``, no other study is removed that has the name by now.
    """
    with _using(store) as database, database.write() as connection:
        wanted = "SELECT id, uid FROM stoic_studies WHERE name = ?"
        found = connection.execute(wanted + connection.dialect.for_update, (name,)).fetchone()
        if found is None or uid not in (None, found[1]):
            listed = ", ".join(map(repr, names(connection))) or "none"
            got = repr(name) if found is None else f"{name!r} with the uid {uid!r}"
            raise UnknownStudy(f"expected a study among {listed}, got {got}")
        for table, column in (("log", "study"), ("trials", "study"), ("studies", "id")):
            connection.execute(f"DELETE FROM stoic_{table} WHERE {column} = ?", (found[0],))
        database.deleted(found[0])


@contextmanager
def _using(store: str | os.PathLike[str] | Database) -> Iterator[Database]:
    """A store that is open, or for as long as it is used."""
    if isinstance(store, Database):
        yield store
        return
    database = open_store(store, make=False)
    try:
        yield database
    finally:
        database.close()
