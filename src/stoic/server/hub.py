"""What the routes and the page use: the studies of one store, asynchronously."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from stoic.server.definitions import definition_of
from stoic.server.metrics import Metrics
from stoic.server.problems import Problem
from stoic.server.reading import Reader
from stoic.server.settings import Settings
from stoic.server.writing import StudyRef, Writer
from stoic.study import Study, StudyTrial

__all__ = ["Asking", "Hub", "state_of"]

_MAX_NAMES = 10_000  # that are remembered
_FRESH_SECONDS = 0.5  # how long a list of studies is shown again

Result = TypeVar("Result")


@dataclass(frozen=True)
class Asking:
    """What a client asks for."""

    count: int = 1
    worker: str = ""
    lease: float = 600.0
    budget: int | None = None
    key: str | None = None  # of a request that may be repeated


class Hub:
    """The studies of a store."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings, self.metrics = settings, metrics
        self.writer = Writer(settings.store)
        self.reader = Reader(settings.store)
        self._names: dict[str, StudyRef] = {}  # by name and by uid
        self._listed: tuple[float, list[dict[str, Any]]] = (0.0, [])
        metrics.gauge("writes_waiting", "Operations that wait for the writer.",
                      lambda: float(self.writer.waiting))  # fmt: skip

    async def close(self) -> None:
        """Finish what was begun, and close the store."""
        await self.writer.close()
        await self.reader.close()

    # -- studies ------------------------------------------------------------------------------

    async def resolve(self, given: str) -> StudyRef | None:
        """The study of a name or a unique id; None where there is none."""
        found = self._names.get(given)
        if found is None:
            await self._list()
            found = self._names.get(given)
        return found

    async def studies(self) -> list[dict[str, Any]]:
        """All studies with their counts, oldest first."""
        made, listed = self._listed
        if time.monotonic() - made > _FRESH_SECONDS:
            listed = await self._list()
        return listed

    async def _list(self) -> list[dict[str, Any]]:
        found = await self.reader.studies()
        listed = [
            {
                "name": each.name,
                "uid": each.uid,
                "direction": each.direction,
                "objective": each.objective,
                "asked": each.trials,
                "finished": each.told + each.failed,
                "failed": each.failed,
                "open": each.open,
                "made": each.made,
                "last": each.last,
            }
            for each in found
        ]
        self._names = {}
        for each in found[-_MAX_NAMES:]:
            ref = StudyRef(each.name, each.uid)
            self._names[each.uid] = ref
            self._names[each.name] = ref
        self._listed = (time.monotonic(), listed)
        return listed

    async def create(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Make a study, or open it where the definition is the same; its state."""

        def make() -> dict[str, Any]:
            with Study(self.settings.store, **arguments) as study:
                return state_of(study)

        state = await self.writer.run_alone(make)
        self._listed = (0.0, [])
        await self._list()
        return state

    def forget(self, ref: StudyRef) -> None:
        """Forget a study that was deleted, or that another definition replaced."""
        self._names = {key: found for key, found in self._names.items() if found != ref}
        self._listed = (0.0, [])

    async def read(self, ref: StudyRef, operation: Callable[[Study], Result]) -> Result:
        """Read from a study."""
        return await self.reader.run(ref, operation)

    async def write(self, ref: StudyRef, operation: Callable[[Study], Result]) -> Result:
        """Change a study; it is on the disk when this returns."""
        result = await self.writer.run(ref, operation)
        self.changed(ref)
        return result

    # -- ask ----------------------------------------------------------------------------------

    async def ask(self, ref: StudyRef, asking: Asking) -> tuple[list[tuple[StudyTrial, str]], int]:
        """Trials, each with how it was made, and how many the study has finished."""
        found = []
        for _ in range(asking.count):
            trial = await self.writer.run(ref, lambda study: _ask(study, asking))
            if trial is None:
                break
            found.append((trial, "model"))
        finished = await self.writer.run(ref, lambda study: study.finished)
        self.changed(ref)
        return found, finished

    # -- for the page -------------------------------------------------------------------------

    async def enqueue(self, ref: StudyRef, params: Mapping[str, Any]) -> None:
        """Let a configuration be asked before any suggestion."""
        await self.write(ref, lambda study: study.enqueue(params))

    async def exclude(self, ref: StudyRef, trial: int, measurement: int | None = None) -> None:
        """Exclude a measurement, or all of a trial."""
        raise Problem(501, "not-yet", f"exclusion of {trial}, {measurement} in {ref.name!r}")

    async def include(self, ref: StudyRef, trial: int, measurement: int | None = None) -> None:
        """Take an exclusion back."""
        raise Problem(501, "not-yet", f"inclusion of {trial}, {measurement} in {ref.name!r}")

    async def snapshot(self, ref: StudyRef) -> dict[str, Any]:
        """What the page shows of a study."""
        raise Problem(501, "not-yet", f"snapshot of {ref.name!r}")

    def changed(self, ref: StudyRef) -> None:
        """Tell who waits that a study changed."""

    async def subscribe(self, ref: StudyRef) -> AsyncIterator[dict[str, Any]]:
        """Changes of a study as they happen."""
        del ref
        while True:
            await asyncio.sleep(3600.0)
            yield {}


def state_of(study: Study) -> dict[str, Any]:
    """A study's definition and counts."""
    study.refresh()
    return {
        "name": study.name,
        "uid": study.uid,
        "definition": definition_of(study),
        "asked": study.asked,
        "finished": study.finished,
    }


def _ask(study: Study, asking: Asking) -> StudyTrial | None:
    if asking.budget is None:
        return study.ask(lease=asking.lease)
    return study.ask_within(asking.budget, lease=asking.lease)
