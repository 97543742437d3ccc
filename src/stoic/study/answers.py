"""What a study is about and what it shows: its definition and its answers, wherever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from stoic.errors import StoreError
from stoic.notebook import block, words
from stoic.optimize import Answer, Luckiest, Suspect, Verdict
from stoic.optimize.aim import Bounds
from stoic.report import Result
from stoic.report.notebook import notebook_result
from stoic.spaces import Space
from stoic.study.advisers import Adviser
from stoic.study.definition import Definition
from stoic.study.exchange.frames import study_frame
from stoic.study.records import TrialRecord
from stoic.study.store.rows import FAILED, OPEN, TOLD

__all__ = ["StudyAnswers"]


class StudyAnswers(ABC):
    """The part of a study that follows from its definition, its trials and its adviser."""

    name: str

    @property
    @abstractmethod
    def _definition(self) -> Definition:
        """The definition, as far as the adviser has the log."""

    @property
    @abstractmethod
    def _thinking(self) -> AbstractContextManager[object]:
        """Held while the adviser is used."""

    @property
    @abstractmethod
    def url(self) -> str:
        """Where the study is, without a secret."""

    @property
    @abstractmethod
    def trials(self) -> tuple[TrialRecord, ...]:
        """All trials, by number."""

    def hurried(self) -> AbstractContextManager[None]:
        """Within the block, a server that does not answer is an error soon; for the end of a run.

        A store in a file or a database is not waited for in any case.
        """
        return nullcontext()

    @abstractmethod
    def informed(self) -> Adviser:
        """The adviser, which draws the conclusions, with the whole log."""

    # -- definition ---------------------------------------------------------------------------

    @property
    def space(self) -> Space:
        """What is searched; wider once this object took in that another worker widened it."""
        return self._definition.space

    @property
    def direction(self) -> str:
        """``"maximize"`` or ``"minimize"``."""
        return self._definition.direction

    @property
    def target(self) -> str:
        """What answers estimate: ``"median"`` or ``"mean"``."""
        return self._definition.target

    @property
    def bounds(self) -> Bounds | None:
        """The lowest and the highest possible value, None where unknown."""
        return self._definition.bounds

    @property
    def seed(self) -> int:
        """The seed of all random draws."""
        return self._definition.seed

    @property
    def method(self) -> str:
        """``"auto"``, ``"random"`` or ``"policy"``."""
        return self._definition.method

    @property
    def objective(self) -> str:
        """What is measured."""
        return self._definition.objective

    @property
    def baseline(self) -> dict[str, Any] | None:
        """The baseline, if one was given."""
        baseline = self._definition.baseline
        return None if baseline is None else dict(baseline)

    def to_frame(self, library: str = "pandas") -> Any:
        """All trials as a data frame: a row for each measurement, failure and open trial.

        Columns: ``trial``, ``measurement``, the parameters, ``value``, ``state``, ``reason``,
        ``suspect``, ``excluded``, ``notes``, ``asked``, ``told`` and ``worker``; see
        `stoic.Result.to_frame`.
        """
        return study_frame(self.space.names, self.trials, self.suspects(), library)

    def _repr_html_(self) -> str:
        """What a notebook shows: the study's name and counts, and its result so far."""
        try:
            states = [record.state for record in self.trials]
            result = self.result()
        except StoreError as error:  # a closed or deleted study is still an object
            return block(words(f"{self!r}: {error}"))
        counts = ", ".join(f"{states.count(state)} {state}" for state in (TOLD, FAILED, OPEN))
        about = f"study {self.name!r} in {self.url}: {counts}"
        return notebook_result(result, words(about))

    # -- answers ------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take in what other processes reported; all methods below do so themselves."""
        self.informed()

    def recommend(self) -> Answer:
        """The recommended configuration: the best *estimated* one, with a 90% interval."""
        with self._thinking:
            return self.informed().recommend()

    @property
    def luckiest(self) -> Luckiest:
        """The best *observed* value, and why it is or is not the answer."""
        with self._thinking:
            return self.informed().luckiest

    def suspects(self) -> tuple[Suspect, ...]:
        """Measurements that are taken for corrupt, each with the reason."""
        with self._thinking:
            return self.informed().suspects()

    @property
    def verdict(self) -> Verdict | None:
        """Whether the answer is better than the baseline; None where there are no finals."""
        with self._thinking:
            return self.informed().verdict()

    def result(self) -> Result:
        """All conclusions so far; trials have the study's numbers, in the log's order."""
        with self._thinking:
            return self.informed().result()
