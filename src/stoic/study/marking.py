"""The part of a study that writes marks into its log: notes, exclusions, and finals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stoic.checks import integer
from stoic.errors import InvalidInput
from stoic.study.definition import checked_name, checked_params
from stoic.study.marks.additions import add_note, checked_note
from stoic.study.marks.exclusions import exclusions, mark_trial, mark_worker
from stoic.study.marks.stage import StudyFinals
from stoic.study.opened import OpenStudy
from stoic.study.outcomes import Outcomes
from stoic.study.records import Exclusion, StudyTrial, TrialRecord
from stoic.study.view import StudyView

__all__ = ["StudyMarks"]


class StudyMarks(StudyView):
    """A study with notes, exclusions and finals."""

    def __init__(self, opened: OpenStudy) -> None:
        super().__init__(opened)
        self._outcomes = Outcomes(opened)
        self._finals = StudyFinals(opened, self._outcomes)

    def note(self, trial: StudyTrial | TrialRecord | int, text: str) -> None:
        """Add a note of at most 1000 characters to a trial; the same note again changes nothing.

        For people: no suggestion and no answer depends on it. `trials`, `to_frame` and exports have
        it. Line breaks become spaces.
        """
        wanted, line = self._opened.number(trial), checked_note(text)
        with self._opened.database.write() as connection:
            present = self._opened.ledger.present(connection, lock=True)
            self._opened.known(connection, wanted)
            add_note(connection, self._opened.ledger, present, wanted, line)

    # -- exclusions ---------------------------------------------------------------------------

    def exclude(
        self, trial: StudyTrial | TrialRecord | int, measurement: int | None = None
    ) -> bool:
        """Leave a measurement out of all answers and suggestions; by default all of the trial.

        Nothing is deleted, and `include` takes it back. A whole trial is excluded with further
        measurements of it. False where it is excluded already.
        """
        return self._exclude(trial, measurement, out=True)

    def include(
        self, trial: StudyTrial | TrialRecord | int, measurement: int | None = None
    ) -> bool:
        """Take back what `exclude` excluded; False where it is not excluded so."""
        return self._exclude(trial, measurement, out=False)

    def exclude_worker(self, prefix: str) -> bool:
        """Leave out all that workers report whose names begin so, now and later.

        False where they are excluded already.
        """
        return self._exclude_worker(prefix, out=True)

    def include_worker(self, prefix: str) -> bool:
        """Take back what `exclude_worker` excluded; False where it is not excluded so."""
        return self._exclude_worker(prefix, out=False)

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What is excluded now: workers, then trials and measurements."""
        with self._opened.database.read() as connection:
            self._opened.ledger.present(connection)  # else it was deleted
            return exclusions(connection, self._opened.ledger).rules()

    def _exclude(
        self, trial: StudyTrial | TrialRecord | int, measurement: int | None, *, out: bool
    ) -> bool:
        wanted, which = self._opened.number(trial), measurement
        if which is not None:
            which = integer(which, "measurement", at_least=0, at_most=2**31)
        with self._opened.database.write() as connection:
            ledger = self._opened.ledger
            present = ledger.present(connection, lock=True)
            self._opened.known(connection, wanted)
            if which is not None and ledger.entry(connection, wanted, which) is None:
                raise InvalidInput(
                    f"expected a measurement of trial {wanted}, got {which}, which was never "
                    "reported; leave it out for all of the trial"
                )
            return mark_trial(connection, ledger, present, wanted, which, out=out)

    def _exclude_worker(self, prefix: str, *, out: bool) -> bool:
        name = checked_name(prefix, "prefix")
        with self._opened.database.write() as connection:
            present = self._opened.ledger.present(connection, lock=True)
            return mark_worker(connection, self._opened.ledger, present, name, out=out)

    # -- finals -------------------------------------------------------------------------------

    def start_finals(
        self, evaluations: int, contenders: Sequence[Mapping[str, Any]] | None = None
    ) -> bool:
        """Begin the finals for all workers, as `stoic.Optimizer.start_finals` does.

        They are an entry of the log. False where there are not two contenders. If another worker
        began finals meanwhile, these go on.
        """
        count = integer(evaluations, "evaluations", at_least=1)
        named = None
        if contenders is not None:
            named = [checked_params(self.space, params) for params in contenders]
        return self._finals.begin(count, named)

    def end_finals(self) -> None:
        """Go on with the search, with all that was measured."""
        self._finals.end()
