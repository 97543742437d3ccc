"""The log of a study on a server, and the adviser here that follows it."""

from __future__ import annotations

import threading

from stoic.errors import InvalidInput, StoreDamaged
from stoic.forks import ForkAware, held_elsewhere
from stoic.remote.calling import Caller
from stoic.remote.wire import entry_of, number_in, rows_in
from stoic.study.advisers import Adviser
from stoic.study.advisers.following import Follower, Logged
from stoic.study.definition import Definition
from stoic.study.records import Exclusion
from stoic.study.store.rows import Entry

__all__ = ["RemoteLog"]

_PAGE = 1000  # entries of a reply


class RemoteLog(ForkAware):
    """Draws conclusions here, from the log there, by the code of a local study.

    So the server's work for an answer is to send what is new, and the figures are those of
    `stoic.Study`. A thread holds the lock ``thinking`` while it uses the adviser.
    """

    def __init__(self, caller: Caller, name: str, uid: str, definition: Definition) -> None:
        self._caller, self._name = caller, name
        self._path = caller.address.path("studies", uid, "log")
        self._follower = Follower(name, uid, definition)
        self.thinking = threading.RLock()
        self.join_forks()

    def after_fork_in_child(self) -> None:
        if held_elsewhere(self.thinking):
            self.thinking = threading.RLock()
            self._follower.forget()

    @property
    def definition(self) -> Definition:
        """What the study is about, as far as the adviser has the log."""
        return self._follower.definition

    def informed(self) -> Adviser:
        """The adviser, with the whole log."""
        with self.thinking:
            follower = self._follower
            if follower.definition.method == "policy" and follower.definition.policy is None:
                raise InvalidInput(
                    f"expected a study of a space for answers here, got {self._name!r} of a policy "
                    "that the server keeps to itself; read them on its page"
                )
            entries, last = self._after(follower.seen)
            if follower.needs_all(entries):
                follower.forget()
                entries, last = self._after(0)
            if entries:
                follower.take(entries, last, "")
            return follower.adviser

    def excluded(self) -> tuple[Exclusion, ...]:
        """What is excluded now."""
        with self.thinking:
            self.informed()
            return self._follower.excluded.rules()

    def entries(self) -> list[Entry]:
        """The whole log."""
        return [entry for entry, _, _ in self._after(0)[0]]

    def _after(self, seen: int) -> tuple[list[Logged], int]:
        """All entries behind the first ``seen``, and how many there are then."""
        found: list[Logged] = []
        while True:
            reply = self._caller.get(self._path, {"after": seen + len(found), "limit": _PAGE})
            rows, last = rows_in(reply, "entries"), number_in(reply, "last")
            for row in rows:
                found.append(entry_of(row, seen + len(found) + 1))
            if last < seen:
                raise StoreDamaged(
                    f"expected the log of study {self._name!r} to go on from entry {seen}, got "
                    f"one of {last} entries; was the store replaced by an old copy?"
                )
            if not rows or seen + len(found) >= last:
                return found, seen + len(found)
