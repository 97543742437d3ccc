"""Conformance tests of stores: asks that are repeated, groups of operations, exclusions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import pytest

from stoic.errors import ConflictingValue, StaleProposal
from stoic.study import Study

__all__ = ["RepeatChecks"]


class RepeatChecks(ABC):
    """The part of `StoreSuite` about operations that a server needs."""

    @abstractmethod
    def study(self, store: str, **arguments: Any) -> Study:
        """Open the study of a store."""

    @abstractmethod
    def new(self, store: str, **arguments: Any) -> Study:
        """Make the study of the checks."""

    def test_an_ask_is_repeated_by_its_key(self, store: str) -> None:
        with self.new(store) as study:
            first, second = study.ask(key="a"), study.ask(key="b")
            assert study.ask(key="a").number == first.number
            study.tell(first, 1.0)
            assert study.release(second)
            assert study.ask().number == second.number
        with self.study(store) as study:
            again = study.ask(key="a")
            assert (again.number, again.params, again.token) == (
                first.number, first.params, first.token,
            )  # fmt: skip
            assert study.ask(key="b").number == 2  # the second trial is another's by now
            assert study.asked == 3

    def test_additions_are_repeated_by_their_keys(self, store: str) -> None:
        params = {"x": 0.5, "gc": "g1"}
        with self.new(store) as study:
            for _ in range(2):
                assert study.add(params, 1.0, key="a").number == 0
                study.enqueue(params, key="a")
            study.tell(study.ask(), 2.0)
            study.enqueue(params, key="a")
            assert [record.state for record in study.trials] == ["told", "told"]

    def test_a_group_is_written_as_a_whole(self, store: str) -> None:
        with self.new(store) as study:
            first = study.ask()
            with study.group():
                study.tell(first, 1.0)
                with pytest.raises(ConflictingValue):
                    study.tell(first, 2.0)
                assert study.ask(key="a").number == 1
            with pytest.raises(KeyError), study.group():
                study.tell(1, 3.0)
                study.ask()
                raise KeyError
        with self.study(store) as study:
            assert [record.values for record in study.trials] == [(1.0,), ()]
            assert study.ask(key="a").number == 1

    def test_a_proposal_is_taken_while_it_is_up_to_date(self, store: str) -> None:
        with self.new(store) as study, self.study(store) as other:
            first, second = other.suggest(2)
            assert study.ask(proposal=first).params == first.params
            study.tell(0, 1.0)
            with pytest.raises(StaleProposal):
                study.ask(proposal=second)
            assert study.ask(proposal=second, stale_ok=True).params == second.params

    def test_what_is_excluded_can_be_taken_back(self, store: str) -> None:
        with self.new(store) as study:
            for value in (1.0, 2.0, 9e9):
                study.tell(study.ask(), value, worker="bad/1" if value > 5.0 else "good/1")
            before = study.result().to_dict()
            assert study.exclude_worker("bad/")
            assert study.exclude(0)
            assert [trial.value for trial in study.result().trials] == [2.0]
        with self.study(store) as study:
            assert [record.excluded for record in study.trials] == [(0,), (), (0,)]
            assert study.include_worker("bad/")
            assert study.include(0)
            assert study.result().to_dict() == before
