"""Conformance tests of stores: one worker, leases, many workers, forks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest

from stoic.errors import ConflictingValue, StoreUnavailable, StudyMismatch, UnknownStudy
from stoic.study import Study, StudyTrial
from stoic.testing.repeats import RepeatChecks

__all__ = ["StoreSuite"]

_SPACE = {"x": (0.0, 1.0), "gc": ["g1", "zgc"]}
_VALUES = (0.1 + 0.2, -0.0, 5e-324, -1.7976931348623157e308, 1e16 + 2.0)
_THREADS = 4
_SHORT_LEASE, _HOUR = 0.05, 3600.0  # seconds


class StoreSuite(RepeatChecks):
    """Checks of the guarantees that `stoic.Study` gives, for one kind of store.

    Subclass it in a test file, and have the fixture ``store`` give the path or URL of a new, empty
    store; pytest collects the checks::

        class TestMyStore(StoreSuite):
            @pytest.fixture
            def store(self, tmp_path):
                return f"mystore://{tmp_path}/studies"

    Where a study of your store is not opened by ``stoic.Study(store, …)``, override `study`. Where
    another program can block its writers, override `busy`.

    Attributes
    ----------
    forks
        Whether a forked child may use a study that it inherits.
    """

    forks: ClassVar[bool] = hasattr(os, "fork")

    @pytest.fixture
    def store(self, tmp_path: Path) -> str:
        """The path or URL of a new store."""
        raise NotImplementedError(f"expected a fixture store for {tmp_path}; see StoreSuite")

    def study(self, store: str, **arguments: Any) -> Study:
        """Open the study of a store."""
        return Study(store, **arguments)

    def busy(self, store: str) -> AbstractContextManager[object] | None:
        """Another program that blocks all writers; None where there can be none."""
        del store
        return None

    def new(self, store: str, **arguments: Any) -> Study:
        """Make the study of the checks."""
        options = {"space": _SPACE, "direction": "maximize", "method": "random", "seed": 3}
        return self.study(store, **(options | arguments))

    # -- one worker ---------------------------------------------------------------------------

    def test_trials_are_numbered_and_leased_one_by_one(self, store: str) -> None:
        with self.new(store) as study:
            trials = [study.ask() for _ in range(4)]
            assert [trial.number for trial in trials] == [0, 1, 2, 3]
            assert {trial.attempt for trial in trials} == {1}
            assert len({trial.token for trial in trials}) == 4
            assert [record.state for record in study.trials] == ["open"] * 4
            assert study.finished == 0

    def test_everything_is_there_when_it_is_opened_again(self, store: str) -> None:
        with self.new(store) as study:
            trials = [study.ask() for _ in range(len(_VALUES) + 2)]
            for trial, value in zip(trials, _VALUES, strict=False):
                study.tell(trial, value)
            study.fail(trials[-2], "crash \u00e9\n\x00")
            before, uid = study.trials, study.uid
        with self.study(store) as again:
            assert (again.uid, again.seed, again.direction) == (uid, 3, "maximize")
            assert again.trials == before
            assert again.finished == len(_VALUES) + 1
            values = [value.hex() for record in again.trials for value in record.values]
            assert values == [value.hex() for value in _VALUES]  # to the sign of zero
            assert again.trials[-2].reason == "crash \u00e9\n\x00"
            assert [record.params for record in again.trials] == [trial.params for trial in trials]

    def test_a_study_goes_on_as_if_it_was_never_closed(self, store: str) -> None:
        with self.new(store, name="whole", method="auto") as study:
            whole = [_round(study).params for _ in range(8)]
        parts = []
        for _ in range(4):
            with self.new(store, name="parts", method="auto") as study:
                parts += [_round(study).params for _ in range(2)]
        assert parts == whole

    def test_an_outcome_is_taken_once(self, store: str) -> None:
        with self.new(store) as study:
            told, failed = study.ask(), study.ask()
            for _ in range(2):
                study.tell(told, 1.5)
                study.fail(failed, "timeout")
            with pytest.raises(ConflictingValue):
                study.tell(told, 2.5)
            with pytest.raises(ConflictingValue):
                study.fail(told, "late")
            with pytest.raises(ConflictingValue):
                study.tell(failed, 1.0)
            study.tell(told, 2.5, measurement=1)
            assert [record.values for record in study.trials] == [(1.5, 2.5), ()]
            assert study.finished == 2

    def test_the_log_keeps_the_order_of_outcomes(self, store: str) -> None:
        order = [3, 0, 4, 1, 2]
        with self.new(store) as one, self.study(store) as two:
            trials = [(one, two)[i % 2].ask() for i in range(5)]
            for i, number in enumerate(order):
                (one, two)[i % 2].tell(trials[number], float(number))
            assert [trial.number for trial in one.result().trials] == order
            assert two.result().trials == one.result().trials

    def test_what_is_enqueued_is_asked_first(self, store: str) -> None:
        with self.new(store) as study:
            study.enqueue({"x": 0.125, "gc": "zgc"})
            study.add({"x": 0.25, "gc": "g1"}, 7.0)
            assert study.ask().params == {"x": 0.125, "gc": "zgc"}
            assert study.ask().number == 2
            assert study.trials[1].values == (7.0,)

    def test_what_is_not_there_or_other_is_refused(self, store: str) -> None:
        study = self.new(store)
        study.close()
        with pytest.raises(StoreUnavailable):
            study.ask()
        with pytest.raises(UnknownStudy):
            self.study(store, name="another")
        with pytest.raises(StudyMismatch):
            self.new(store, seed=4)

    # -- leases -------------------------------------------------------------------------------

    def test_a_lease_that_ends_gives_the_trial_to_the_next_worker(self, store: str) -> None:
        with self.new(store, worker="a") as one, self.study(store, worker="b") as two:
            late = one.ask(lease=_SHORT_LEASE)
            held = one.ask(lease=_HOUR)
            again = _until(two.ask, lambda trial: trial.number == late.number)
            assert (again.params, again.attempt) == (late.params, 2)
            assert not one.renew(late)
            assert not one.release(late)
            assert one.renew(held)
            one.tell(late, 1.0)  # accepted while there is no other value
            two.tell(again, 1.0)
            with pytest.raises(ConflictingValue):
                two.tell(again, 2.0)

    def test_leases_are_renewed_and_given_back(self, store: str) -> None:
        with self.new(store, worker="a") as one, self.study(store, worker="b") as two:
            trial = one.ask(lease=_SHORT_LEASE)
            assert one.renew(trial, _HOUR)
            time.sleep(2 * _SHORT_LEASE)
            assert two.ask().number == 1
            assert not two.renew(trial.number)  # it has no token of it
            assert two.renew(trial)
            assert one.release(trial)
            assert not one.renew(trial)
            again = two.ask()
            assert (again.number, again.params, again.attempt) == (0, trial.params, 2)

    def test_a_trial_that_loses_all_its_leases_fails(self, store: str) -> None:
        with self.new(store, worker="a", max_lost_leases=2) as study:
            assert study.ask(lease=_SHORT_LEASE).number == 0
            _until(lambda: study.ask(lease=_SHORT_LEASE), lambda trial: trial.number == 0)
            _until(lambda: study.ask(lease=_HOUR), lambda _: study.finished > 0)
            assert study.trials[0].state == "failed"
            assert "lost 2 leases" in str(study.trials[0].reason)

    @pytest.mark.parametrize("off", [-1e6, 1e6])
    def test_no_clients_date_ends_a_lease(
        self, store: str, off: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with self.new(store, worker="a") as one, self.study(store, worker="b") as two:
            held, back = one.ask(lease=_HOUR), one.ask(lease=_HOUR)
            right = time.time
            monkeypatch.setattr(time, "time", lambda: right() + off)
            assert two.ask().number == 2
            assert one.renew(held, _HOUR)
            assert one.release(back)
            assert two.ask().number == back.number

    # -- many workers -------------------------------------------------------------------------

    def test_no_trial_is_given_twice_and_no_value_is_lost(self, store: str) -> None:
        rounds, asked = 8, list[StudyTrial]()

        def work(study: Study) -> None:
            asked.extend(_round(study) for _ in range(rounds))

        self._in_threads(store, work)
        with self.study(store) as study:
            assert sorted(trial.number for trial in asked) == list(range(_THREADS * rounds))
            assert study.finished == _THREADS * rounds
            found = {record.number: record.values for record in study.trials}
            assert found == {trial.number: (_value(trial),) for trial in asked}

    def test_a_budget_is_kept_among_workers(self, store: str) -> None:
        asked: list[int] = []

        def work(study: Study) -> None:
            while (trial := study.ask_within(10)) is not None:
                asked.append(trial.number)

        self._in_threads(store, work)
        assert sorted(asked) == list(range(10))

    def test_of_many_values_the_first_stays(self, store: str) -> None:
        with self.new(store) as study:
            study.ask()
        won: list[float] = []
        values = iter([1.0, 2.0, 3.0, 4.0])

        def work(study: Study) -> None:
            value = next(values)
            with suppress(ConflictingValue):
                study.tell(0, value)
                won.append(value)

        self._in_threads(store, work)
        with self.study(store) as study:
            assert [record.values for record in study.trials] == [tuple(won)]
            assert len(won) == 1

    def _in_threads(self, store: str, work: Callable[[Study], None]) -> None:
        """Run several workers at once, each with a study of its own."""
        together = threading.Barrier(_THREADS)

        def run(study: Study) -> None:
            together.wait()
            work(study)

        with ExitStack() as stack, ThreadPoolExecutor(_THREADS) as pool:
            studies = [stack.enter_context(self.new(store)) for _ in range(_THREADS)]
            for _ in pool.map(run, studies):
                pass  # raises what a worker raised

    def test_a_store_that_is_busy_is_waited_for(self, store: str) -> None:
        with self.new(store) as study, self.study(store) as reader:
            trial = study.ask()
            held_up = self.busy(store)
            if held_up is None:
                pytest.skip("no other program can block the writers of this store")
            telling = threading.Thread(target=study.tell, args=(trial, 2.5))
            with held_up:
                telling.start()
                assert reader.finished == 0
            telling.join()
            assert study.trials[0].values == (2.5,)

    @pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads
    def test_a_forked_child_uses_the_study_that_it_inherits(self, store: str) -> None:
        if not self.forks:
            pytest.skip("this store does not claim it")
        with self.new(store) as study:
            held = study.ask()
            child = os.fork()
            if child == 0:  # pragma: no cover
                fine = not study.renew(held.number) and _round(study).number == 1
                os._exit(0 if fine else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert study.renew(held)
            study.tell(held, 1.0)
            assert [record.state for record in study.trials] == ["told", "told"]


def _value(trial: StudyTrial) -> float:
    return -((float(trial.params["x"]) - 0.3) ** 2)


def _round(study: Study) -> StudyTrial:
    trial = study.ask()
    study.tell(trial, _value(trial))
    return trial


def _until(ask: Callable[[], StudyTrial], wanted: Callable[[StudyTrial], bool]) -> StudyTrial:
    """Ask until the wanted trial comes: a lease ends by the clock of the store."""
    for _ in range(600):
        if wanted(found := ask()):
            return found
        time.sleep(_SHORT_LEASE)
    raise AssertionError(f"expected another trial within 30 s, got {found}")
