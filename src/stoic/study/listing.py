"""List and delete the studies of a store."""

from __future__ import annotations

import os

from stoic.errors import StoreDamaged, UnknownStudy
from stoic.study.definition import Definition
from stoic.study.records import StudySummary
from stoic.study.store import Database, open_store
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, find, names
from stoic.study.store.rows import FAILED, OPEN, TOLD

__all__ = ["delete", "summaries"]


def summaries(store: str | os.PathLike[str]) -> tuple[StudySummary, ...]:
    """The studies of a store, oldest first."""
    database = open_store(store, make=False)
    try:
        with database.read() as connection:
            return tuple(_summary(database, connection, name) for name in names(connection))
    finally:
        database.close()


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


def delete(store: str | os.PathLike[str], name: str) -> None:
    """Remove a study and all of its trials; this can't be undone."""
    database = open_store(store, make=False)
    try:
        with database.write() as connection:
            wanted = "SELECT id FROM stoic_studies WHERE name = ?"
            study = connection.value(wanted + connection.dialect.for_update, (name,))
            if study is None:
                listed = ", ".join(map(repr, names(connection))) or "none"
                raise UnknownStudy(f"expected a study among {listed}, got {name!r}")
            for table, column in (("log", "study"), ("trials", "study"), ("studies", "id")):
                connection.execute(f"DELETE FROM stoic_{table} WHERE {column} = ?", (study,))
            database.deleted(study)
    finally:
        database.close()
