"""The loop on its own: when it gives up, when it stops, and what it does with what runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any

import pytest

from stoic.errors import StoreUnavailable
from stoic.optimize import Trial
from stoic.runs import patience
from stoic.runs.evaluation import Finished, Observer, Outcome, Ticket
from stoic.runs.loop import Loop
from stoic.runs.patience import Failures, GaveUp, Patience, patiently


@dataclass
class Numbers:
    """Trials without an end of their own; the first ``held`` asks find all held by others."""

    budget: int = 10
    held: int = 0
    fresh: bool = True
    told: list[Finished] = field(default_factory=list)
    asked: int = 0

    def left(self) -> int:
        return self.budget - len(self.told)

    def ask(self, pending: Sequence[Ticket]) -> Trial | None:
        assert len(pending) < self.left()
        if self.held:
            self.held -= 1
            return None
        self.asked += 1
        return Trial(self.asked - 1, {"x": self.asked - 1}, None)

    def record(self, ticket: Ticket, outcome: Outcome) -> Finished:
        self.told.append(Finished(ticket.number, ticket.params, outcome))
        return self.told[-1]


class Scripted:
    """Evaluations whose outcomes are given in advance; the last one is repeated."""

    def __init__(self, *outcomes: Outcome, patience: Patience | None = None) -> None:
        self.outcomes, self.patience = outcomes, patience or Patience()
        self.stoppable, self.stopped = False, threading.Event()

    def submit(self, pool: Executor, ticket: Ticket) -> Future[Any]:
        return pool.submit(self.evaluate, ticket.number)

    def evaluate(self, number: int) -> Outcome:
        return self.outcomes[min(number, len(self.outcomes) - 1)]

    def outcome(self, future: Future[Any]) -> Outcome:
        found: Outcome = future.result()
        return found

    def gave_up(self, count: int, finished: Finished, *, alike: bool) -> GaveUp:
        return GaveUp(f"{count} {finished.number} {alike}")

    def stop(self) -> None:
        self.stopped.set()


class Endless(Scripted):
    """Evaluations that run until they are stopped."""

    def __init__(self) -> None:
        super().__init__(Outcome((), "stopped", stopped=True))
        self.stoppable, self.begun = True, threading.Barrier(3)

    def evaluate(self, number: int) -> Outcome:
        self.begun.wait(20)
        assert self.stopped.wait(20)
        return super().evaluate(number)


class Log(Observer):
    """Notes what it sees."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def waiting(self) -> None:
        self.seen.append("waiting")

    def stopping(self) -> None:
        self.seen.append("stopping")


VALUE = Outcome((1.0,))
MISTAKE = Outcome((), "m", "mistake", mistake=True)
CRASH, OTHER = Outcome((), "c", "crash"), Outcome((), "o", "other")
ODD = Outcome((), "returned nan")  # no reason to give up


@pytest.mark.parametrize("jobs", [1, 3])
def test_it_spends_the_budget_and_no_more(jobs: int) -> None:
    source = Numbers(budget=17)
    Loop(source, Scripted(VALUE), Observer()).run(jobs)
    assert len(source.told) == source.asked == 17


@pytest.mark.parametrize(
    ("outcomes", "one_kind", "count"),
    [
        ([MISTAKE], True, 5),
        ([CRASH], True, 20),
        ([CRASH, OTHER], True, None),
        ([CRASH, OTHER], False, 20),
        ([CRASH, MISTAKE], False, 20),
        ([VALUE, MISTAKE], True, None),
        ([ODD, CRASH], True, None),
        ([CRASH, VALUE, CRASH], False, None),
    ],
)
def test_when_it_gives_up(outcomes: list[Outcome], one_kind: bool, count: int | None) -> None:
    evaluation = Scripted(*outcomes, patience=Patience(one_kind=one_kind))
    source = Numbers(budget=30)
    if count is None:
        Loop(source, evaluation, Observer()).run(1)
        assert len(source.told) == 30
        return
    with pytest.raises(GaveUp, match=f"{count} {count - 1} {len(outcomes) == 1}"):
        Loop(source, evaluation, Observer()).run(1)
    assert len(source.told) == count


def test_it_goes_on_where_there_were_values_before() -> None:
    source = Numbers(budget=30, fresh=False)
    Loop(source, Scripted(MISTAKE), Observer()).run(1)
    assert len(source.told) == 30


def test_it_waits_for_what_others_hold_and_says_so_once() -> None:
    source, log = Numbers(budget=2, held=2), Log()
    Loop(source, Scripted(VALUE), log).run(1)
    assert log.seen == ["waiting"]
    assert len(source.told) == 2


def test_a_stop_request_ends_what_runs_and_tells_nothing_of_it() -> None:
    source, log, evaluation = Numbers(), Log(), Endless()
    stop = threading.Event()

    def request() -> None:
        evaluation.begun.wait(20)  # both evaluations are under way
        stop.set()

    asking = threading.Thread(target=request)
    asking.start()
    Loop(source, evaluation, log, stop.is_set).run(2)
    asking.join()
    assert log.seen == ["stopping"]
    assert (source.asked, source.told) == (2, [])


def test_failures_count_from_the_first() -> None:
    failures = Failures(Patience(mistakes=2, failures=3))
    assert [failures.exhausted("a", mistake=False) for _ in range(3)] == [False, False, True]
    assert failures.alike
    assert failures.exhausted("a", mistake=True)
    assert not failures.exhausted(None, mistake=False)
    assert not failures.exhausted("a", mistake=True)


def test_a_store_that_is_away_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "RETRY_SECONDS", (0.0, 0.0))
    calls: list[int] = []

    def away(times: int) -> str:
        calls.append(len(calls))
        if len(calls) <= times:
            raise StoreUnavailable("away")
        return "back"

    assert patiently(lambda: away(2)) == "back"
    assert len(calls) == 3
    calls.clear()
    with pytest.raises(StoreUnavailable):
        patiently(lambda: away(3))
