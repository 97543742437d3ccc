"""What is written into the log of a study on a server beside outcomes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from stoic.checks import integer
from stoic.errors import InvalidInput
from stoic.remote.verbs import RemoteVerbs
from stoic.study.definition import checked_name
from stoic.study.exchange.tables import Table
from stoic.study.exchange.transfer import table_of
from stoic.study.marks.additions import checked_note
from stoic.study.records import Exclusion, StudyTrial, TrialRecord
from stoic.study.store.rows import OPEN, Entry

__all__ = ["RemoteMarks"]

_OF_TOKEN = re.compile(r"(?P<id>[a-z0-9]{1,20})/")  # how the names of a token's workers begin


class RemoteMarks(RemoteVerbs):
    """A study on a server with notes, exclusions and finals."""

    def note(self, trial: StudyTrial | TrialRecord | int, text: str) -> None:
        """Add a note of at most 1000 characters to a trial; see `stoic.Study.note`."""
        self._post("note", {"trial": self._number(trial), "text": checked_note(text)})

    def start_finals(
        self, evaluations: int, contenders: Sequence[Mapping[str, Any]] | None = None
    ) -> bool:
        """Begin the finals for all workers; False where there are not two contenders.

        If another worker began finals meanwhile, these go on.
        """
        wish: dict[str, Any] = {"begin": integer(evaluations, "evaluations", at_least=1)}
        if contenders is not None:
            wish["contenders"] = [self._checked(params) for params in contenders]
        return self._post("finals", wish).get("finals") is True

    def end_finals(self) -> None:
        """Go on with the search, with all that was measured."""
        self._post("finals", {"end": True})

    # -- exclusions ---------------------------------------------------------------------------

    def exclude(
        self, trial: StudyTrial | TrialRecord | int, measurement: int | None = None
    ) -> bool:
        """Leave a measurement out of all answers and suggestions; by default all of the trial.

        Nothing is deleted, and `include` takes it back. False where it is excluded already. It
        needs a token with the verb ``admin``.
        """
        return self._mark("exclude", trial, measurement)

    def include(
        self, trial: StudyTrial | TrialRecord | int, measurement: int | None = None
    ) -> bool:
        """Take back what `exclude` excluded; False where it is not excluded so."""
        return self._mark("include", trial, measurement)

    def exclude_worker(self, prefix: str) -> bool:
        """Leave out all that workers report whose names begin so, now and later.

        The names begin with the id of the worker's token, and a server excludes whole tokens:
        ``"k3v9x2ab/"``.
        """
        return self._post("exclude", _workers(prefix)).get("changed") is True

    def include_worker(self, prefix: str) -> bool:
        """Take back what `exclude_worker` excluded; False where it is not excluded so."""
        return self._post("include", _workers(prefix)).get("changed") is True

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What is excluded now: workers, then trials and measurements."""
        return self._log.excluded()

    def _mark(
        self, verb: str, trial: StudyTrial | TrialRecord | int, measurement: int | None
    ) -> bool:
        wish: dict[str, Any] = {"trial": self._number(trial)}
        if measurement is not None:
            wish["measurement"] = integer(measurement, "measurement", at_least=0, at_most=2**31)
        return self._post(verb, wish).get("changed") is True

    # -- exports ------------------------------------------------------------------------------

    def table(self) -> Table:
        """All trials with their entries of the log, as an export has them."""
        trials, entries = self.trials, self._log.entries()
        of: dict[int, list[Entry]] = {}
        for entry in entries:
            of.setdefault(entry.trial, []).append(entry)
        # a trial that was open a moment ago is shown as it was then
        found = [(t, [] if t.state == OPEN else of.get(t.number, [])) for t in trials]
        return table_of(self.name, self._definition, found)


def _workers(prefix: str) -> dict[str, str]:
    """The wish about all workers of a token."""
    found = _OF_TOKEN.fullmatch(checked_name(prefix, "prefix"))
    if found is None:
        raise InvalidInput(
            f"expected the id of a token and a slash, as in 'k3v9x2ab/', got {prefix!r}; exclude "
            "single workers of a token in the store"
        )
    return {"token_id": found["id"]}
