"""Persistent ask and tell."""

from __future__ import annotations

import os
import threading
import uuid
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection

from stoic.checks import describe, integer, number
from stoic.errors import (
    ConflictingValue,
    InvalidInput,
    InvalidPayoff,
    StoreDamaged,
    StoreUnavailable,
    UnknownStudy,
    UnknownTrial,
)
from stoic.optimize import Answer, Luckiest, Result, Suspect
from stoic.policies import Policy
from stoic.spaces import Space
from stoic.study.advisers import Adviser, adviser_of
from stoic.study.database import Database
from stoic.study.ledger import Ledger, Present, create, find
from stoic.study.listing import names
from stoic.study.opening import open_store
from stoic.study.plain import params_of, read, text_of, value_of, written
from stoic.study.problem import Asked, Problem
from stoic.study.reading import records
from stoic.study.records import StudyTrial, TrialRecord
from stoic.study.rows import FAILED, OPEN, TOLD, Entry, StudyRow, TrialRow, first_head
from stoic.study.verify import verify
from stoic.study.workers import gone, this_worker

__all__ = ["Study"]

_RACES = 3  # suggestions that may come too late before one is made while all others wait
_LONGEST_NAME = 200
_LONGEST_REASON = 10_000


class _Proposal(NamedTuple):
    """A suggestion, and what it was made from."""

    next_number: int
    entries: int
    params: dict[str, Any]


class Study:
    """A search that survives: crashes, kills, power cuts, many workers at once.

    Every ``ask`` and every ``tell`` is one transaction; what ``tell`` returned from is on the
    disk. Any number of processes may work on one study. A trial is lent to the worker that asked
    for it; if no outcome comes before the lease ends, the trial is asked again. Suggestions are
    a function of the seed and of what stands in the store, so that a study that was stopped goes
    on as if it never had been.

    Parameters
    ----------
    store
        A path, or a URL: ``sqlite:///…``, ``postgresql://user@host/database``.
    name
        Of the study; a store may hold several.
    space
        What to search, as for `stoic.Optimizer`. Makes the study if it is not there; if it is,
        it must be of this space. With neither space nor policy, the study must be there.
    policy
        A policy of `stoic.policies` instead of a space; it is copied as it is now. Trials then
        have ``params == {"arm": i}``, or ``x0``, ``x1``, … on a box.
    direction
        ``"maximize"`` (the default of a new study) or ``"minimize"``.
    seed
        Of all that is drawn; 0 by default.
    method
        ``"auto"``, the optimiser, or ``"random"``, uniform draws that depend on the seed and the
        trial's number alone.
    objective
        What is measured, for reports.
    lease
        Seconds before an asked trial of a silent worker comes back.
    worker
        The name of who asks; by default host, process and its start, by which a worker that died
        on this machine is known at once, and its trials come back when a study is opened.

    >>> import tempfile, os
    >>> store = os.path.join(tempfile.mkdtemp(), "study.db")
    >>> with Study(store, space={"x": (0.0, 1.0)}, direction="minimize") as study:
    ...     trial = study.ask()
    ...     study.tell(trial, (trial.params["x"] - 0.3) ** 2)
    >>> with Study(store) as study:
    ...     study.finished
    1
    """

    def __init__(
        self,
        store: str | os.PathLike[str] = "stoic.db",
        name: str = "study",
        *,
        space: Space | Mapping[str, Any] | None = None,
        policy: Policy | None = None,
        direction: str | None = None,
        seed: int | None = None,
        method: str | None = None,
        objective: str | None = None,
        lease: float = 600.0,
        worker: str | None = None,
    ) -> None:
        asked = Asked(space, policy, direction, seed, method, objective)
        self.name = _name(name, "name")
        self.lease = _lease(lease)
        self.worker = this_worker() if worker is None else _name(worker, "worker")
        self._policy = policy
        wanted = Problem.of(asked) if asked.enough else None
        self._database = _opened(store, self.name, wanted is not None)
        self._closing = weakref.finalize(self, self._database.close)
        try:
            row, self._problem = self._found(wanted)
            self._problem.agree(asked, self.name)
            self._ledger = Ledger(self._database, row)
            self._thinking = threading.RLock()
            self._forget()
            self._load()
        except BaseException:
            self.close()
            raise

    # -- open and close -----------------------------------------------------------------------

    def _found(self, wanted: Problem | None) -> tuple[StudyRow, Problem]:
        with self._database.read() as connection:
            self._database.check(connection)
            found = find(connection, self.name)
            others = names(connection)
        if found is not None:
            return found[0], Problem.from_text(found[1])
        if wanted is None:
            raise UnknownStudy(
                f"expected a study among {', '.join(map(repr, others)) or 'none'}, "
                f"got {self.name!r}; give a space to make it"
            )
        with self._database.write() as connection:
            self._database.exclusive(connection)
            found = find(connection, self.name)  # another process may have been quicker
            if found is None:
                now = self._database.present(connection)
                row = create(connection, uuid.uuid4().hex, self.name, now, wanted.text())
                return row, wanted
        return found[0], Problem.from_text(found[1])

    def _load(self) -> None:
        with self._database.read() as connection:
            row = self._ledger.look(connection).row
            verify(connection, self._ledger, row)
            if self._adviser.needs_history:
                self._catch_up(connection, row)
            lost = any(gone(trial.worker) for trial in self._ledger.open(connection))
        if lost:
            self.reclaim()

    def _forget(self) -> None:
        """Begin the adviser afresh; it is a cache of the log."""
        self._adviser: Adviser = adviser_of(self._problem, self._policy)
        self._seen, self._head = 0, first_head(self._ledger.uid)

    def _catch_up(self, connection: Connection, row: StudyRow) -> None:
        """Tell the adviser what the log has and it has not."""
        if row.entries < self._seen or (row.entries == self._seen and row.head != self._head):
            raise StoreDamaged(
                f"expected the log of study {self.name!r} to go on from entry {self._seen}, got "
                f"another of {row.entries} entries; open the study again"
            )
        try:
            for entry, trial in self._ledger.entries(connection, row, self._seen, self._head):
                value = None if entry.value is None else value_of(entry.value)
                reason = None if entry.reason is None else str(read(entry.reason, "a reason"))
                self._adviser.take(entry.trial, params_of(trial.params), value, reason)
        except BaseException as error:
            self._forget()  # never half of it
            if isinstance(error, InvalidInput):
                raise StoreDamaged(f"study {self.name!r} holds what it can't: {error}") from error
            raise
        self._seen, self._head = row.entries, row.head

    def refresh(self) -> None:
        """Take in what other processes told."""
        with self._thinking, self._database.read() as connection:
            self._catch_up(connection, self._ledger.look(connection).row)

    def close(self) -> None:
        """Let go of the store; trials that were asked stay lent until their leases end."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Study({self.url!r}, {self.name!r})"

    # -- ask ----------------------------------------------------------------------------------

    def ask(self, *, lease: float | None = None) -> StudyTrial:
        """The next trial to evaluate, lent for ``lease`` seconds.

        Trials that were enqueued, released or lent to a worker that fell silent come first.
        """
        seconds = self.lease if lease is None else _lease(lease)
        with self._thinking:
            for _ in range(_RACES if self._adviser.needs_history else 0):
                taken = self._take(seconds, self._propose())
                if taken is not None:
                    return taken
            taken = self._take(seconds, None, now=True)
            assert taken is not None
            return taken

    def _propose(self) -> _Proposal | None:
        """A suggestion made while others may write; None where a trial waits to be asked again."""
        with self._database.read() as connection:
            present = self._ledger.look(connection)
            if self._ledger.expired(connection, present.now) is not None:
                return None
            row, pending = present.row, self._pending(connection, present.row)
        params = self._adviser.suggest(row.next_number, pending)
        return _Proposal(row.next_number, row.entries, params)

    def _pending(self, connection: Connection, row: StudyRow) -> list[dict[str, Any]]:
        self._catch_up(connection, row)
        return [params_of(trial.params) for trial in self._ledger.open(connection)]

    def _take(
        self, seconds: float, proposal: _Proposal | None, *, now: bool = False
    ) -> StudyTrial | None:
        """Lend a trial; None where the proposal came too late, unless it must be ``now``."""
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            row = present.row
            expired = self._ledger.expired(connection, present.now)
            if expired is not None:
                return self._lend_again(connection, expired, present, seconds)
            if proposal is not None and proposal[:2] == (row.next_number, row.entries):
                params = proposal.params
            elif now:
                needed = self._adviser.needs_history
                pending = self._pending(connection, row) if needed else []
                params = self._adviser.suggest(row.next_number, pending)
            else:
                return None
            trial = TrialRow(
                row.next_number, text_of(params), OPEN,
                present.now, present.now + seconds, self.worker, 1,
            )  # fmt: skip
            self._ledger.add(connection, trial)
            self._ledger.save(connection, row._replace(next_number=row.next_number + 1))
            return self._lent(trial)

    def _lend_again(
        self, connection: Connection, trial: TrialRow, present: Present, seconds: float
    ) -> StudyTrial:
        again = trial._replace(
            asked=present.now if trial.attempt == 0 else trial.asked,
            lease_until=present.now + seconds,
            worker=self.worker,
            attempt=trial.attempt + 1,
        )
        self._ledger.change(connection, again)
        return self._lent(again)

    def _lent(self, row: TrialRow) -> StudyTrial:
        params = params_of(row.params)
        return StudyTrial(row.number, params, row.attempt, row.lease_until, self.uid)

    # -- leases -------------------------------------------------------------------------------

    def renew(self, trial: StudyTrial | int, lease: float | None = None) -> bool:
        """Lend for ``lease`` seconds from now; False where the trial is no longer ours."""
        return self._again(trial, self.lease if lease is None else _lease(lease))

    def release(self, trial: StudyTrial | int) -> bool:
        """Give a trial back, to be asked again at once; False where it is no longer ours."""
        return self._again(trial, None)

    def _again(self, trial: StudyTrial | int, seconds: float | None) -> bool:
        wanted = self._number(trial)
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            row = self._known(connection, wanted)
            ours = not isinstance(trial, StudyTrial) or trial.attempt == row.attempt
            if row.state != OPEN or not ours:
                return False
            until = 0.0 if seconds is None else present.now + seconds
            self._ledger.change(connection, row._replace(lease_until=until))
            return True

    def reclaim(self) -> int:
        """Take back the trials of processes that ended on this machine; their number."""
        with self._database.write() as connection:
            self._ledger.look(connection, lock=True)
            lost = [t for t in self._ledger.open(connection) if t.lease_until and gone(t.worker)]
            for trial in lost:
                self._ledger.change(connection, trial._replace(lease_until=0.0))
        return len(lost)

    # -- tell ---------------------------------------------------------------------------------

    def tell(self, trial: StudyTrial | int, value: float, *, measurement: int = 0) -> None:
        """Report a value; on the disk when this returns.

        The same value again is fine, another one is a `ConflictingValue`. Further measurements
        of the same trial have other numbers.
        """
        wanted = self._number(trial)
        y = number(value, "value", error=InvalidPayoff)
        which = integer(measurement, "measurement", at_least=0, at_most=2**31)
        self._record(wanted, which, repr(y), None)

    def fail(self, trial: StudyTrial | int, reason: str = "") -> None:
        """Report that a trial gave no value; again is fine."""
        wanted = self._number(trial)
        if not isinstance(reason, str):
            raise InvalidInput(f"expected reason as text, got {describe(reason)}")
        self._record(wanted, 0, None, written(reason[:_LONGEST_REASON]))

    def _record(self, wanted: int, measurement: int, value: str | None, reason: str | None) -> None:
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            trial = self._known(connection, wanted)
            if trial.state != OPEN and self._settled(connection, trial, measurement, value):
                return
            self._write(connection, present, trial, (measurement, value, reason))
            if trial.state == OPEN:
                state = TOLD if reason is None else FAILED
                self._ledger.change(connection, trial._replace(state=state))

    def _settled(
        self, connection: Connection, trial: TrialRow, measurement: int, value: str | None
    ) -> bool:
        """Whether the very same was told before."""
        if value is None and trial.state == FAILED:
            return True
        if value is None or trial.state == FAILED:
            has, got = ("failed", f"the value {value}") if value else ("a value", "a failure")
            raise ConflictingValue(
                f"expected no other outcome of trial {trial.number}, which has {has}, got {got}; "
                "the first one stays"
            )
        known = self._ledger.entry(connection, trial.number, measurement)
        if known is None:
            return False
        if value_of(known[0]) == value_of(value):
            return True
        raise ConflictingValue(
            f"expected {known[0]} again as measurement {measurement} of trial {trial.number}, "
            f"got {value}; the first one stays, and a further one needs another measurement="
        )

    def _write(
        self,
        connection: Connection,
        present: Present,
        trial: TrialRow,
        outcome: tuple[int, str | None, str | None],
    ) -> None:
        entry = Entry(present.row.entries + 1, trial.number, *outcome, present.now)
        row = self._ledger.append(connection, present, trial, entry)
        self._ledger.save(connection, row)

    def _number(self, trial: object) -> int:
        if isinstance(trial, StudyTrial):
            if trial.study != self.uid:
                raise UnknownTrial(
                    f"expected a trial of study {self.name!r}, got trial {trial.number} of "
                    "another study; tell it there"
                )
            trial = trial.number
        if isinstance(trial, TrialRecord):
            trial = trial.number
        return integer(trial, "trial", at_least=-(2**62), at_most=2**62)

    def _known(self, connection: Connection, wanted: int) -> TrialRow:
        row = self._ledger.trial(connection, wanted)
        if row is None:
            raise UnknownTrial(
                f"expected a trial that study {self.name!r} asked, got number {wanted}; "
                "tell what ask() gave"
            )
        return row

    # -- trials from elsewhere ----------------------------------------------------------------

    def add(self, params: Mapping[str, Any], value: float) -> StudyTrial:
        """Take in a measurement that was made elsewhere, as a trial of its own."""
        text = text_of(self._plain(params))
        y = number(value, "value", error=InvalidPayoff)
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            count, now = present.row.next_number, present.now
            trial = TrialRow(count, text, OPEN, now, now, self.worker, 1)
            self._ledger.add(connection, trial._replace(state=TOLD))
            present.row = present.row._replace(next_number=count + 1)
            self._write(connection, present, trial, (0, repr(y), None))
        return self._lent(trial)

    def enqueue(self, params: Mapping[str, Any]) -> None:
        """Have a configuration asked before anything else."""
        text = text_of(self._plain(params))
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            count = present.row.next_number
            self._ledger.add(connection, TrialRow(count, text, OPEN, present.now, 0.0, "", 0))
            self._ledger.save(connection, present.row._replace(next_number=count + 1))

    def _plain(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Plain values of the space, floats to the last digit, or `InvalidParams`."""
        plain = self.space.decode(self.space.encode(params))
        return {k: float(params[k]) if isinstance(v, float) else v for k, v in plain.items()}

    # -- what is known ------------------------------------------------------------------------

    @property
    def space(self) -> Space:
        """What is searched."""
        return self._problem.space

    @property
    def direction(self) -> str:
        """``"maximize"`` or ``"minimize"``."""
        return self._problem.direction

    @property
    def seed(self) -> int:
        """Of all that is drawn."""
        return self._problem.seed

    @property
    def method(self) -> str:
        """``"auto"``, ``"random"`` or ``"policy"``."""
        return self._problem.method

    @property
    def objective(self) -> str:
        """What is measured."""
        return self._problem.objective

    @property
    def uid(self) -> str:
        """The study's own name among all studies anywhere."""
        return self._ledger.uid

    @property
    def url(self) -> str:
        """Where the store is, without a password."""
        return self._database.url.render_as_string(hide_password=True)

    @property
    def finished(self) -> int:
        """How many trials were told or failed, by anyone."""
        with self._database.read() as connection:
            return self._ledger.look(connection).row.finished

    @property
    def trials(self) -> tuple[TrialRecord, ...]:
        """All trials, by number."""
        with self._database.read() as connection:
            return records(connection, self._ledger)

    # -- answers ------------------------------------------------------------------------------

    def recommend(self) -> Answer:
        """The configuration to stand by: the best *estimated* one, with a 90% interval."""
        return self._informed().recommend()

    @property
    def luckiest(self) -> Luckiest:
        """The best *observed* value, and why it is, or is not, the answer."""
        return self._informed().luckiest

    def suspects(self) -> tuple[Suspect, ...]:
        """Measurements judged corrupt, each with the reason."""
        return self._informed().suspects()

    def result(self) -> Result:
        """All that was found so far; its trials have the study's numbers, in the log's order."""
        with self._thinking:
            return self._informed().result(interrupted=False)

    def _informed(self) -> Adviser:
        with self._thinking:
            self.refresh()
            return self._adviser


def _opened(store: object, name: str, make: bool) -> Database:
    try:
        return open_store(store, make=make)
    except StoreUnavailable as error:
        if make or isinstance(error.__cause__, Exception):
            raise
        raise UnknownStudy(f"expected study {name!r}: {error}") from error


def _name(name: object, what: str) -> str:
    whole = isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable()
    if not isinstance(name, str) or not whole:
        raise InvalidInput(
            f"expected {what} as printable text of at most {_LONGEST_NAME} characters, "
            f"got {describe(name)}"
        )
    return str(name)


def _lease(lease: object) -> float:
    return number(lease, "lease", above=0.0, at_most=1e9)
