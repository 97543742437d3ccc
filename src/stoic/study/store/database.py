"""One connection to a store: transactions, clock, forks, and driver errors as Stoic's own."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

from stoic.errors import StoreDamaged, StoreError, StoreUnavailable
from stoic.forks import ForkAware, never_freed
from stoic.redaction import masked, redacted
from stoic.study.store.connection import Connection, Foreign, Group
from stoic.study.store.lockfile import Counters
from stoic.study.store.rows import RESTORE, StudyRow
from stoic.study.store.urls import StoreUrl, secrets

__all__ = ["Database"]


class Database(ForkAware, ABC):
    """A store, by one connection; threads take turns.

    The driver is in autocommit mode. Explicit statements begin and end every transaction, so that
    they alone decide what is locked and when.

    A fork waits for a transaction of another thread. The child makes a connection of its own; a
    child that was forked within a transaction can neither commit it nor roll it back.
    """

    begin_write: str
    begin_read: str
    lease_clock = ""  # name of the clock that measures leases: the server's, or a machine's

    def __init__(self, url: StoreUrl) -> None:
        self.url = url
        self._lock = threading.RLock()  # one thread at a time
        self._using = threading.RLock()  # held while the driver is used: a fork waits for it
        self._quiet = self._within = False  # at rest for a fork; within a transaction
        self.driver_errors = self._driver_errors()
        self._connection: Connection | None = None
        self._changed: dict[int, StudyRow | None] = {}  # by the transaction; None for deleted ones
        self._group: Group | None = None
        self.undone = 0  # groups that were not written; what was read within them may not be true
        self._closed = False
        self.join_forks()
        with self._ours(), self._turn(), self._using:
            self._prepare()

    # -- what subclasses define ----------------------------------------------------------------

    @abstractmethod
    def _connect(self) -> Connection:
        """A new connection in autocommit mode."""

    @abstractmethod
    def _prepare(self) -> None:
        """Make or check the tables, while the store is locked for writing."""

    @abstractmethod
    def _driver_errors(self) -> type[Exception]:
        """The base of the driver's errors."""

    @abstractmethod
    def explain(self, error: BaseException) -> StoreError | None:
        """A driver's error as one of Stoic's; None for an unexpected one."""

    @abstractmethod
    def check(self, connection: Connection) -> None:
        """Let the database check itself."""

    @abstractmethod
    def now(self, clock: object) -> float:
        """Unix seconds, from what ``clock`` selected."""

    def lease_now(self, now: float) -> float:
        """Seconds by the clock of leases, at ``now`` of the store's clock."""
        return now

    def note(self, row: StudyRow) -> None:
        """Remember what a study's row will be when the transaction ends."""
        self._changed[row.id] = row

    @abstractmethod
    def _committed(self) -> None:
        """Called after a commit."""

    @abstractmethod
    def counters(self) -> dict[int, Counters]:
        """Counters of the studies that are kept outside the database."""

    def deleted(self, study: int) -> None:
        """Drop the counters of a study that the transaction deletes."""
        self._changed[study] = None

    def _turn(self) -> AbstractContextManager[None]:
        return nullcontext()

    # -- transactions --------------------------------------------------------------------------

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes; durable when the block is left without an error.

        Within a group, a part of its transaction.
        """
        with self._ours():
            if self._group is not None:
                with self._group.operation() as connection:
                    yield connection
            else:
                with self._turn(), self._transaction(self.begin_write) as connection:
                    yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees the store at one moment; or a part of a group."""
        with self._ours():
            if self._group is not None:
                with self._group.reading() as connection:
                    yield connection
            else:
                with self._transaction(self.begin_read) as connection:
                    yield connection

    @contextmanager
    def group(self) -> Iterator[None]:
        """One transaction of many operations of this thread, with one sync at its end.

        Each `write` within it is undone alone if it raises. What the others wrote is durable when
        the block is left without an error, and not before; else nothing is written.
        """
        if self.grouped:
            yield  # one within another is a part of it
            return
        try:
            with (
                self._ours(),
                self._turn(),
                self._transaction(self.begin_write) as connection,
            ):
                self._group = Group(connection, self.driver_errors, self._changed)
                try:
                    yield
                    self._group.check()
                finally:
                    self._group = None
        except BaseException:
            self.undone += 1
            raise

    @property
    def grouped(self) -> bool:
        """Whether this thread is within a group."""
        return self._group is not None and self._group.thread == threading.get_ident()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Connection]:
        with self._using:
            self._changed, self._within = {}, True
            try:
                connection = self._begun(begin)
                with self._ending(connection):
                    yield connection
            finally:
                self._within = False

    @contextmanager
    def _ending(self, connection: Connection) -> Iterator[None]:
        """Commit at the end, or roll back."""
        try:
            self._entered(connection)
            yield
            connection.execute("COMMIT")
            self._committed()
        except BaseException:
            if connection is self._connection:  # else it is the parent's
                self._undo(connection)
            raise

    def _begun(self, begin: str) -> Connection:
        """Begin a transaction; where the connection was lost, connect once more."""
        if self._connection is not None:
            try:
                self._connection.execute(begin)
                return self._connection
            except self.driver_errors:
                lost = getattr(self._connection.driver, "closed", False)
                self.drop()
                if not lost:
                    raise
        self._connection = self._connect()
        self._connection.execute(begin)
        return self._connection

    @abstractmethod
    def _entered(self, connection: Connection) -> None:
        """Checks at the beginning of a transaction."""

    def _undo(self, connection: Connection) -> None:
        try:
            connection.execute("ROLLBACK")
        except self.driver_errors:
            self.drop()  # its state is not known: the next transaction connects again

    @contextmanager
    def _ours(self) -> Iterator[None]:
        """Hold the lock of this process's threads; raise driver errors as Stoic's own."""
        if self._closed:
            raise StoreUnavailable("expected an open study, got one that was closed; open it again")
        with self._lock:
            try:
                yield
            except self.driver_errors as error:
                explained = self.explain(error)
                if explained is None:
                    raise
                raise explained from self.cause(error)
            except UnicodeDecodeError as error:  # SQLite quotes the damage in its own message
                raise StoreDamaged(
                    f"expected {self.url.path} to be a whole store of Stoic, got invalid UTF-8",
                    RESTORE,
                ) from error

    def words(self, error: BaseException) -> str:
        """A driver's message on one line, without the secrets of this store's URL."""
        return " ".join(masked(redacted(str(error)), secrets(self.url)).split())

    def cause(self, error: BaseException) -> BaseException | None:
        """The error as a cause; None where a traceback, which prints it, would show a secret."""
        return error if self.words(error) == " ".join(str(error).split()) else None

    def drop(self) -> None:
        """Close the connection; the next transaction makes a new one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self.driver_errors):
                connection.driver.close()

    def close(self) -> None:
        """Close permanently."""
        with self._lock, self._using:
            self._closed = True
            self.drop()

    # -- forks ---------------------------------------------------------------------------------

    def before_fork(self, patience: float) -> None:
        self._quiet = self._using.acquire(timeout=patience)
        if self._quiet and not self._within:
            self._rest()

    def _rest(self) -> None:
        """Prepare for a fork outside of a transaction."""

    def after_fork_in_parent(self) -> None:
        if self._quiet:
            self._quiet = False
            self._using.release()

    def after_fork_in_child(self) -> None:
        self._lock, self._using = threading.RLock(), threading.RLock()
        self._within, self._group = False, None
        connection, self._connection = self._connection, None
        if connection is not None:
            self._forsake(connection.driver)
            never_freed(connection.driver)
            connection.driver = Foreign()
        self._quiet = False

    def _forsake(self, inherited: Any) -> None:
        """Give up the driver's connection of a parent, without a message to the database."""

    def present(self, connection: Connection) -> float:
        """Unix seconds by the store's clock."""
        return self.now(connection.value(f"SELECT {connection.dialect.clock}"))

    @abstractmethod
    def exclusive(self, connection: Connection) -> None:
        """Keep others from making studies until the transaction ends."""
