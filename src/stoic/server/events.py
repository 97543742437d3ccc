"""What happens in a study, as it happens: trials asked and told, changes, and new answers.

Events follow from the store, so that those of other processes are among them, and a client that was
away goes on where it was. An id is the length of the log and the number of trials.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import AsyncIterator
from typing import Any

from stoic.errors import StoicError
from stoic.server.problems import Problem
from stoic.server.store.reading import Position, Reader
from stoic.server.store.writing import StudyRef
from stoic.study.store.rows import Entry

__all__ = ["Event", "Feeds", "position_of"]

_LOG = logging.getLogger("stoic.server")
_POLL_SECONDS = 0.25  # for what other processes write
_SIGN_SECONDS = 1.0  # without an event, until a sign is given
_IDLE_SECONDS = 5.0  # without a reader, until a study is not followed any more
_MERGE_SECONDS = 0.05  # for which events are collected
_MAX_BEHIND = 2000  # events that a slow reader may miss; then it must connect again
_ID = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")

Event = dict[str, Any]  # id, type, and what it is about


def position_of(text: str) -> Position:
    """The position that an event's id names, or a `Problem`."""
    found = _ID.fullmatch(text)
    if found is None:
        raise Problem(400, "invalid-request", "expected Last-Event-ID as the id of an event")
    return Position(int(found[1]), int(found[2]))


class Feeds:
    """The feeds of all studies that somebody watches."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._feeds: dict[str, _Feed] = {}
        self.closing = asyncio.Event()

    def changed(self, ref: StudyRef) -> None:
        """A study changed: whoever watches it is told soon."""
        feed = self._feeds.get(ref.uid)
        if feed is not None:
            feed.wake.set()

    def announce(self, ref: StudyRef, event: Event) -> None:
        """Pass on an event that is not from the log."""
        feed = self._feeds.get(ref.uid)
        if feed is not None:
            feed.publish([event | {"id": feed.seen.key}])

    def watched(self, ref: StudyRef) -> bool:
        """Whether somebody watches a study."""
        feed = self._feeds.get(ref.uid)
        return feed is not None and bool(feed.queues)

    @property
    def watchers(self) -> int:
        """How many streams there are."""
        return sum(len(feed.queues) for feed in self._feeds.values())

    async def subscribe(
        self, ref: StudyRef, after: Position | None = None
    ) -> AsyncIterator[Event | None]:
        """The events after a position, by default from now on; None now and then, as a sign."""
        feed = await self._feed(ref)
        queue: asyncio.Queue[Event | None] = asyncio.Queue(_MAX_BEHIND)
        feed.queues.add(queue)
        try:
            if after is not None:
                missed, _ = await _events(self._reader, ref, after, feed.seen)
                for event in missed:
                    yield event
            while not self.closing.is_set() and queue in feed.queues:
                try:
                    yield await asyncio.wait_for(queue.get(), _SIGN_SECONDS)
                except TimeoutError:
                    yield None
        finally:
            feed.queues.discard(queue)

    async def _feed(self, ref: StudyRef) -> _Feed:
        feed = self._feeds.get(ref.uid)
        if feed is None:
            seen = await self._reader.position(ref)
            feed = self._feeds.get(ref.uid)  # another may have made it meanwhile
            if feed is None:
                feed = self._feeds[ref.uid] = _Feed(ref, seen)
                feed.task = asyncio.create_task(self._follow(feed))
        return feed

    async def _follow(self, feed: _Feed) -> None:
        """Publish what is new, as long as somebody watches."""
        try:
            read = time.monotonic()
            while time.monotonic() < read + _IDLE_SECONDS:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(feed.wake.wait(), _POLL_SECONDS)
                    await asyncio.sleep(_MERGE_SECONDS)
                feed.wake.clear()
                if not feed.queues:
                    continue
                read = time.monotonic()
                events, feed.seen = await _events(self._reader, feed.ref, feed.seen)
                feed.publish(events)
        except StoicError as error:
            _LOG.warning("the events of a study ended: %s", type(error).__name__)
        finally:
            self._feeds.pop(feed.ref.uid, None)
            feed.queues.clear()

    async def close(self) -> None:
        """End all streams."""
        self.closing.set()
        tasks = [feed.task for feed in self._feeds.values() if feed.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Feed:
    """The events of one study, for all who watch it."""

    def __init__(self, ref: StudyRef, seen: Position) -> None:
        self.ref, self.seen = ref, seen
        self.wake = asyncio.Event()
        self.queues: set[asyncio.Queue[Event | None]] = set()
        self.task: asyncio.Task[None] | None = None

    def publish(self, events: list[Event]) -> None:
        """Give events to all; whoever does not take them is left out."""
        for queue in tuple(self.queues):
            if len(events) > queue.maxsize - queue.qsize():
                self.queues.discard(queue)
                continue
            for event in events:
                queue.put_nowait(event)


async def _events(
    reader: Reader, ref: StudyRef, after: Position, until: Position | None = None
) -> tuple[list[Event], Position]:
    """The events between two positions, by default up to now, and the later position."""
    now = await reader.position(ref)
    if now == after:
        return [], now
    entries: list[Entry] = []
    if now.entries > after.entries:
        entries, now = await reader.since(ref, after.entries)
    end = until or now
    numbers = range(min(after.next_number, end.next_number), end.next_number)
    asked = [
        {"id": Position(after.entries, number + 1).key, "type": "asked", "trial": number}
        for number in numbers
    ]
    told = [
        _event(entry) | {"id": Position(entry.seq, end.next_number).key}
        for entry in entries
        if entry.seq <= end.entries
    ]
    return asked + told, now


def _event(entry: Entry) -> Event:
    if entry.is_mark:
        kind = "noted" if entry.is_note else "changed"
        return {"type": kind} if entry.is_change else {"type": kind, "trial": entry.trial}
    value, reason = entry.outcome
    if value is None:
        return {"type": "failed", "trial": entry.trial, "reason": (reason or "")[:200]}
    event = {"type": "told", "trial": entry.trial, "value": value}
    return event | {"measurement": entry.measurement} if entry.measurement else event
