"""Begin and end the finals of a study, for all of its workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stoic.study.advisers import Mark
from stoic.study.opened import OpenStudy
from stoic.study.outcomes import Outcomes

__all__ = ["StudyFinals"]


class StudyFinals:
    """Writes the marks of finals, each on top of the log that it was decided on."""

    def __init__(self, opened: OpenStudy, outcomes: Outcomes) -> None:
        self._opened, self._outcomes = opened, outcomes

    def begin(self, evaluations: int, contenders: Sequence[Mapping[str, Any]] | None) -> bool:
        """Begin finals; False where there are not two contenders."""
        with self._opened.thinking:
            while True:
                adviser, seen = self._opened.informed(), self._opened.seen
                if adviser.finals is not None:
                    return True
                chosen = contenders or adviser.contenders(evaluations)
                if len(chosen) < 2:
                    return False
                if self._outcomes.mark(Mark(evaluations, tuple(chosen)), seen):
                    self._opened.informed()
                    return True

    def end(self) -> None:
        """End the finals, if there are any."""
        with self._opened.thinking:
            while self._opened.informed().finals is not None:
                if self._outcomes.mark(Mark(0), self._opened.seen):
                    self._opened.informed()
