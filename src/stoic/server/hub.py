"""What the routes and the page use: the studies of one store, asynchronously."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from stoic.errors import UnknownStudy
from stoic.server.events import Event, Feeds
from stoic.server.page.keeping import Keeper
from stoic.server.settings import Settings
from stoic.server.store.asking import Asking, ask_all, taking
from stoic.server.store.reading import Reader
from stoic.server.store.writing import StudyRef, Writer
from stoic.server.thinking.advisers import Advisers
from stoic.server.thinking.answering import Answers
from stoic.server.thinking.child import ANSWERS
from stoic.server.thinking.process import Process
from stoic.server.watch.metrics import Metrics
from stoic.study import Study, StudyTrial
from stoic.study.definition import StudyArguments

__all__ = ["Hub"]

_MAX_NAMES = 10_000  # that are remembered
_FRESH_SECONDS = 0.5  # how long a list of studies is shown again

Result = TypeVar("Result")


class Hub:
    """The studies of a store."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings, self.metrics = settings, metrics
        self.writer = Writer(settings.store, make=not settings.read_only)
        self.reader = Reader(settings.store)
        self.feeds = Feeds(self.reader)
        self._answers = Answers(Process(settings.store, ANSWERS), self.reader, self.feeds)
        self.pages = Keeper(self._answers.process, self.reader, self.feeds)
        self.advisers = Advisers(settings.store, settings.advisers, settings.deadline, self.writer)
        self._methods: dict[str, str] = {}  # of studies, by uid
        self._names: dict[str, StudyRef] = {}  # by name and by uid
        self._listed: tuple[float, list[dict[str, Any]]] = (0.0, [])
        self._streams: Counter[str] = Counter()
        gauge = metrics.gauge
        gauge("writes_waiting", "Operations that wait.", lambda: float(self.writer.waiting))
        gauge("asks_waiting", "Asks that wait.", lambda: float(self.advisers.waiting))
        gauge("streams", "Streams of events.", lambda: float(self._streams.total()))

    def stop_streams(self) -> None:
        """End the streams of events: the server stops."""
        self.feeds.closing.set()

    async def close(self) -> None:
        """Finish what was begun, and close the store."""
        await self.pages.close()
        await self.feeds.close()
        await self.advisers.close()
        await self.writer.close()
        await self._answers.process.close()
        await self.reader.close()

    # -- studies ------------------------------------------------------------------------------

    async def resolve(self, given: str) -> StudyRef | None:
        """The study of a name or a unique id; None where there is none."""
        found = self._names.get(given)
        if found is None:
            found = await self.reader.find(given)
            if found is not None:
                if len(self._names) >= _MAX_NAMES:
                    self._names.clear()
                self._names[given] = found
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
        self._listed = (time.monotonic(), listed)
        return listed

    async def changes(self, ref: StudyRef, arguments: Mapping[str, Any]) -> list[str]:
        """What opening a study with these arguments would change, in words."""
        return await self.reader.changes(ref, StudyArguments(**arguments))

    async def create(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Make a study; its state."""

        def make() -> StudyRef:
            with Study(self.settings.store, name, **arguments) as study:
                return StudyRef(study.name, study.uid)

        ref = await asyncio.to_thread(make)
        self.forget(ref)
        self.feeds.changed(ref)
        return await self.reader.state(ref)

    async def widen(self, ref: StudyRef, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Let a study go on in a wider space, or with a first baseline; its state."""

        def widen() -> None:
            with Study(self.settings.store, ref.name, **arguments) as study:
                if study.uid != ref.uid:
                    raise UnknownStudy(f"expected study {ref.name!r} to be there still, got none")

        await asyncio.to_thread(widen)
        self.feeds.changed(ref)
        return await self.reader.state(ref)

    async def finals(
        self, ref: StudyRef, evaluations: int, contenders: Sequence[Mapping[str, Any]] | None
    ) -> bool:
        """Begin finals, in the process that has the log; False without two contenders."""
        began = await self.advisers.begin_finals(ref, evaluations, contenders or None)
        self.feeds.changed(ref)
        return began

    async def end_finals(self, ref: StudyRef) -> None:
        """End the finals, if there are any."""
        await self.advisers.end_finals(ref)
        self.feeds.changed(ref)

    def forget(self, ref: StudyRef) -> None:
        """Forget a study that was deleted, or that another definition replaced."""
        self._names = {key: found for key, found in self._names.items() if found != ref}
        self._listed = (0.0, [])
        self._methods.pop(ref.uid, None)
        self.advisers.forget(ref)

    async def read(self, ref: StudyRef, operation: Callable[[Study], Result]) -> Result:
        """Read from a study."""
        return await self.reader.run(ref, operation)

    async def write(self, ref: StudyRef, operation: Callable[[Study], Result]) -> Result:
        """Change a study; it is on the disk when this returns."""
        result = await self.writer.run(ref, operation)
        self.feeds.changed(ref)
        self.pages.changed(ref)
        return result

    # -- ask ----------------------------------------------------------------------------------

    async def ask(self, ref: StudyRef, asking: Asking) -> tuple[list[StudyTrial], int]:
        """Trials, and how many the study has finished."""
        if await self._draws(ref):
            found, finished = await self.write(ref, lambda study: ask_all(study, asking))
        else:
            takes = [taking(asking, index) for index in range(asking.count)]
            asked = await self.advisers.ask(ref, takes)
            found = [trial for trial in asked if trial is not None]
            finished = await self.write(ref, lambda study: study.finished)
        for trial in found:
            self.metrics.count("suggestions", trial.made)
        return found, finished

    async def _draws(self, ref: StudyRef) -> bool:
        """Whether the suggestions of a study are draws, which take no time."""
        known = self._methods.get(ref.uid)
        if known is None:
            state = await self.reader.state(ref)
            known = self._methods[ref.uid] = state["definition"]["method"]
        return known == "random"

    # -- what is known ------------------------------------------------------------------------

    async def answer(self, ref: StudyRef) -> dict[str, Any]:
        """All conclusions, as of `stoic.Result.to_dict`."""
        return await self._answers.get(ref)

    async def trials(self, ref: StudyRef, after: int, limit: int) -> dict[str, Any]:
        """Trials by number from ``after`` on, and the cursor of the next page."""
        found = (await self.reader.trials(ref, anew=not after))[after : after + limit + 1]
        more = str(after + limit) if len(found) > limit else None
        return {"trials": [asdict(record) for record in found[:limit]], "next": more}

    # -- for the page -------------------------------------------------------------------------

    async def enqueue(
        self, ref: StudyRef, params: Mapping[str, Any], key: str | None = None
    ) -> None:
        """Let a configuration be asked before any suggestion."""
        await self.write(ref, lambda study: study.enqueue(params, key=key))

    async def exclude(self, ref: StudyRef, trial: int, measurement: int | None = None) -> bool:
        """Exclude a measurement, or all of a trial; False where it is excluded already."""
        return await self.write(ref, lambda study: study.exclude(trial, measurement))

    async def include(self, ref: StudyRef, trial: int, measurement: int | None = None) -> bool:
        """Take an exclusion back; False where there is none."""
        return await self.write(ref, lambda study: study.include(trial, measurement))

    async def exclude_worker(self, ref: StudyRef, prefix: str) -> bool:
        """Exclude all of the workers whose names begin so, now and later."""
        return await self.write(ref, lambda study: study.exclude_worker(prefix))

    async def include_worker(self, ref: StudyRef, prefix: str) -> bool:
        """Take the exclusion of workers back."""
        return await self.write(ref, lambda study: study.include_worker(prefix))

    # -- events -------------------------------------------------------------------------------

    async def subscribe(self, ref: StudyRef) -> AsyncIterator[Event]:
        """Changes of a study as they happen."""
        async for event in self.feeds.subscribe(ref):
            if event is not None:
                yield event

    def streams_begin(self, who: str) -> bool:
        """Count a stream of events; False where there are too many."""
        limits = self.settings.limits
        if self._streams.total() >= limits.streams or self._streams[who] >= limits.streams_of_token:
            return False
        self._streams[who] += 1
        return True

    def streams_end(self, who: str) -> None:
        """A stream ended."""
        self._streams[who] -= 1
        if not self._streams[who]:
            del self._streams[who]
