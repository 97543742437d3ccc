"""What a store holds, and how to get rid of it."""

from __future__ import annotations

import os

import sqlalchemy as sa

from stoic.errors import StoreDamaged, UnknownStudy
from stoic.study.definition import Problem
from stoic.study.records import StudySummary
from stoic.study.store.ledger import find
from stoic.study.store.opening import open_store
from stoic.study.store.rows import FAILED, OPEN, TOLD
from stoic.study.store.schema import log, studies, trials

__all__ = ["delete", "names", "summaries"]


def summaries(store: str | os.PathLike[str]) -> tuple[StudySummary, ...]:
    """The studies of a store, in the order in which they were made."""
    database = open_store(store, make=False)
    try:
        with database.read() as connection:
            return tuple(_summary(connection, name) for name in names(connection))
    finally:
        database.close()


def names(connection: sa.Connection) -> list[str]:
    """The names of all studies, in the order in which they were made."""
    return list(connection.execute(sa.select(studies.c.name).order_by(studies.c.id)).scalars())


def _summary(connection: sa.Connection, name: str) -> StudySummary:
    found = find(connection, name)
    if found is None:  # a list of names that does not agree with the table
        raise StoreDamaged(f"study {name!r} is listed, but not found; restore a copy of the store")
    row, problem = found[0], Problem.from_text(found[1])
    counted = connection.execute(
        sa.select(trials.c.state, sa.func.count())
        .where(trials.c.study == row.id)
        .group_by(trials.c.state)
    )
    states = {state: int(n) for state, n in counted.all()}
    last = connection.execute(sa.select(sa.func.max(log.c.told)).where(log.c.study == row.id))
    return StudySummary(
        name=name,
        uid=row.uid,
        direction=problem.direction,
        objective=problem.objective,
        trials=row.next_number,
        told=states.get(TOLD, 0),
        failed=states.get(FAILED, 0),
        open=states.get(OPEN, 0),
        made=row.made,
        last=last.scalar(),
    )


def delete(store: str | os.PathLike[str], name: str) -> None:
    """Remove a study and all of its trials, for good."""
    database = open_store(store, make=False)
    try:
        with database.write() as connection:
            wanted = sa.select(studies.c.id).where(studies.c.name == name).with_for_update()
            place = connection.execute(wanted).scalar()
            if place is None:
                listed = ", ".join(map(repr, names(connection))) or "none"
                raise UnknownStudy(f"expected a study among {listed}, got {name!r}")
            for table in (log, trials):
                connection.execute(table.delete().where(table.c.study == place))
            connection.execute(studies.delete().where(studies.c.id == place))
            database.deleted(place)
    finally:
        database.close()
