"""Clients that work on a served study, and the history of what the server acknowledged to each."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import stoic
from stoic.errors import StoicError
from stoic.remote import RemoteStudy
from stoic.study import StudyTrial

__all__ = ["SPACE", "Clients", "History", "Lease", "Retries"]

SPACE = {"x": (0.0, 1.0), "threads": (1, 64), "gc": ["g1", "zgc"]}
_HOUR, _SHORT_SECONDS = 3600.0, 1.0  # leases: of trials that are evaluated, and abandoned
_PATIENCE_SECONDS = 180.0  # of clients, far above the time in which a server starts
_PAUSE_SECONDS = 0.01  # at most, between two operations of a client
_FIRST_ADDED = 1e6  # values that were measured elsewhere count from here


@dataclass
class Lease:
    """A trial that was acknowledged to one client; times are of ``time.monotonic``."""

    client: int
    trial: StudyTrial
    sent: float  # the request, for the first time
    received: float
    seconds: float
    ended: float | None = None  # when the client began to tell or to release it

    @property
    def until(self) -> float:
        """Before this moment no other client may be given the trial."""
        end = self.sent + self.seconds  # the server's count began later
        return end if self.ended is None else min(end, self.ended)


@dataclass
class History:
    """What clients sent, and what was acknowledged to them."""

    leases: list[Lease] = field(default_factory=list)
    told: dict[tuple[int, int], float] = field(default_factory=dict)  # by trial and measurement
    failed: dict[int, str] = field(default_factory=dict)
    added: dict[float, int] = field(default_factory=dict)  # trials by their values
    enqueued: set[float] = field(default_factory=set)  # values of x
    sent: set[tuple[int, int, float]] = field(default_factory=set)  # acknowledged or not
    errors: list[str] = field(default_factory=list)

    @property
    def acknowledged(self) -> int:
        """How many replies there were."""
        kept = (self.leases, self.told, self.failed, self.added, self.enqueued)
        return sum(map(len, kept))


class Retries(logging.Handler):
    """Counts the requests that failed and were sent again."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "next try" in record.msg


class Clients:
    """Clients in threads, each with a connection of its own, until they are told to end."""

    def __init__(self, urls: Sequence[str], count: int, seed: int) -> None:
        self.history = History()
        self._urls, self._seed = urls, seed
        self._over, self._guard, self._counter = threading.Event(), threading.Lock(), 0
        self._threads = [threading.Thread(target=self._work, args=(i,)) for i in range(count)]

    def __enter__(self) -> Clients:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _work(self, client: int) -> None:
        draws = random.Random(f"{self._seed} {client}")
        url = self._urls[client % len(self._urls)]
        with stoic.connect(
            url, "faults", worker=f"client {client}", patience=_PATIENCE_SECONDS
        ) as study:
            one = _Client(client, study, self.history, draws, self._unique)
            while not self._over.is_set():
                try:
                    one.operate()
                except StoicError as error:
                    self.history.errors.append(f"{type(error).__name__}: {error}")
                time.sleep(draws.uniform(0.0, _PAUSE_SECONDS))

    def _unique(self) -> int:
        with self._guard:
            self._counter += 1
            return self._counter


class _Client:
    """One client, and what it does."""

    def __init__(
        self,
        number: int,
        study: RemoteStudy,
        history: History,
        draws: random.Random,
        unique: Callable[[], int],
    ) -> None:
        self._number, self._study, self._history = number, study, history
        self._draws, self._unique = draws, unique
        self._measured: list[int] = []  # trials that this client told

    def operate(self) -> None:
        """Do one thing that clients do."""
        chances = {
            self._evaluate: 70, self._crash: 6, self._give_back: 6, self._abandon: 4,
            self._measure_again: 6, self._add: 4, self._enqueue: 4,
        }  # fmt: skip
        (chosen,) = self._draws.choices(list(chances), list(chances.values()))
        chosen()

    def _ask(self, seconds: float = _HOUR) -> Lease:
        sent = time.monotonic()
        trial = self._study.ask(lease=seconds)
        lease = Lease(self._number, trial, sent, time.monotonic(), seconds)
        self._history.leases.append(lease)
        return lease

    def _evaluate(self) -> None:
        lease = self._ask()
        if self._draws.random() < 0.2:  # an evaluation that takes longer
            self._study.renew(lease.trial)
        lease.ended = time.monotonic()
        self._tell(lease.trial.number, 0)
        self._measured.append(lease.trial.number)

    def _tell(self, number: int, measurement: int) -> None:
        value = self._unique() + number / 1e7  # no two are alike
        self._history.sent.add((number, measurement, value))
        self._study.tell(number, value, measurement=measurement)
        self._history.told[number, measurement] = value

    def _crash(self) -> None:
        lease = self._ask()
        lease.ended = time.monotonic()
        reason = f"crash {self._unique()}"
        self._study.fail(lease.trial, reason)
        self._history.failed[lease.trial.number] = reason

    def _give_back(self) -> None:
        lease = self._ask()
        lease.ended = time.monotonic()
        self._study.release(lease.trial)

    def _abandon(self) -> None:
        self._ask(_SHORT_SECONDS)

    def _measure_again(self) -> None:
        if self._measured:
            number = self._draws.choice(self._measured)
            self._tell(number, self._unique())

    def _add(self) -> None:
        value = _FIRST_ADDED + self._unique()
        self._history.added[value] = self._study.add(self._params(), value).number

    def _enqueue(self) -> None:
        params = self._params()
        self._study.enqueue(params)
        self._history.enqueued.add(params["x"])

    def _params(self) -> dict[str, Any]:
        return {"x": self._draws.random(), "threads": self._draws.randint(1, 64), "gc": "zgc"}
