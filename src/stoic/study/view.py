"""Read-only access to a study of a store."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from stoic.checks import integer
from stoic.study.advisers import Adviser
from stoic.study.answers import StudyAnswers
from stoic.study.definition import Definition
from stoic.study.exchange.logs import log_page
from stoic.study.opened import OpenStudy
from stoic.study.records import TrialRecord
from stoic.study.store.urls import shown
from stoic.study.trials import Records, records

__all__ = ["StudyView"]


class StudyView(StudyAnswers):
    """The part of `stoic.Study` that changes nothing."""

    def __init__(self, opened: OpenStudy) -> None:
        self._opened = opened
        self._records: Records | None = None

    @property
    def _definition(self) -> Definition:
        return self._opened.definition

    @property
    def _thinking(self) -> AbstractContextManager[object]:
        return self._opened.thinking

    @property
    def widened(self) -> tuple[str, ...]:
        """What opening this study with a wider space, or a first baseline, changed, in words."""
        return self._opened.changes

    @property
    def uid(self) -> str:
        """A universally unique id of the study."""
        return self._opened.ledger.uid

    @property
    def url(self) -> str:
        """Where the store is, without a password."""
        return shown(self._opened.database.url)

    @property
    def finished(self) -> int:
        """How many trials have a value or failed, of all workers."""
        with self._opened.database.read() as connection:
            return self._opened.ledger.present(connection).row.finished

    @property
    def asked(self) -> int:
        """How many trials there are, those under evaluation included."""
        with self._opened.database.read() as connection:
            return self._opened.ledger.present(connection).row.next_number

    @property
    def trials(self) -> tuple[TrialRecord, ...]:
        """All trials, by number."""
        with self._opened.database.read() as connection:
            return records(connection, self._opened.ledger)

    def records(self) -> Records:
        """All trials, for those who follow a study: a further call reads what is new."""
        if self._records is None:
            self._records = Records(self._opened.ledger)
        with self._opened.database.read() as connection:
            self._records.update(connection)
        return self._records

    def entries_after(self, seq: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
        """At most ``limit`` entries of the log after the ``seq``-th, in order, as plain data.

        An outcome has ``seq``, ``trial``, ``measurement``, ``value``, ``reason`` (of a failure) and
        ``told``, and of its trial ``params`` and ``worker``. A mark (a note, an exclusion, finals,
        a change of the definition) has its content as ``mark``.
        """
        after = integer(seq, "seq", at_least=0)
        most = integer(limit, "limit", at_least=1)
        with self._opened.database.read() as connection:
            return log_page(connection, self._opened.ledger, after, most)[0]

    def informed(self) -> Adviser:
        return self._opened.informed()
