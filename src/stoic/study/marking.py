"""The part of a study that writes marks into its log: notes on trials, and finals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stoic.checks import integer
from stoic.study.definition import checked_params
from stoic.study.marks.additions import add_note, checked_note
from stoic.study.marks.stage import StudyFinals
from stoic.study.opened import OpenStudy
from stoic.study.outcomes import Outcomes
from stoic.study.records import StudyTrial, TrialRecord
from stoic.study.view import StudyView

__all__ = ["StudyMarks"]


class StudyMarks(StudyView):
    """A study with notes and finals."""

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
