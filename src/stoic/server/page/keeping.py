"""Keep what the page shows of each study that somebody watches.

What the log alone tells is read at once; the figures of the model come from another process. What
was shown of them stays until newer ones are there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any

from stoic.errors import StoicError
from stoic.server.events import Feeds
from stoic.server.page.listed import Marks
from stoic.server.page.present import bare, first, present
from stoic.server.problems import Problem
from stoic.server.store.reading import Position, Reader
from stoic.server.store.writing import StudyRef
from stoic.server.thinking.process import Computing, Process

__all__ = ["Keeper"]

_LOG = logging.getLogger("stoic.server")
_SECONDS = 0.5  # for the slower parts of one snapshot
_POLL_SECONDS = 0.25  # until a study is looked at again
_IDLE_SECONDS = 30.0  # after the last look, until nobody is taken to watch
_PAUSE = 0.5  # of the time of a snapshot, after it
_MAX_PAUSE_SECONDS = 0.5  # after a snapshot, and after a read of the lists
_QUIET_SECONDS = 0.6  # without news, until slower parts are computed, which can't be interrupted
_MAX_KEPT = 64  # studies
_MAX_FOLLOWED = 40_000  # trials of all studies, 2 kB each; of more, lists come with the figures
_LEASES_SECONDS = 5.0  # after which lists are read again, though nothing else is new
_LISTING = 2.0  # times the time of reading the lists, until they are read again


class Keeper:
    """The newest snapshots."""

    def __init__(self, process: Process, reader: Reader, feeds: Feeds) -> None:
        self._process, self._reader, self._feeds = process, reader, feeds
        self._kept: dict[str, _Kept] = {}

    def known(self, uid: str) -> dict[str, Any] | None:
        """The newest snapshot, if there is one."""
        kept = self._kept.get(uid)
        return None if kept is None else kept.newest

    def changed(self, ref: StudyRef) -> None:
        """A study changed: where somebody watches, a snapshot is begun at once."""
        kept = self._kept.get(ref.uid)
        if kept is not None:
            kept.wake.set()

    async def get(self, ref: StudyRef, patience: float = 0.0) -> dict[str, Any]:
        """What is known of a study now, with the figures of an earlier moment, perhaps.

        With ``patience``, wait so many seconds at most for newer figures than were there.
        """
        kept = self._kept.get(ref.uid)
        if kept is None:
            kept = self._kept[ref.uid] = _Kept()
            for uid in list(self._kept)[:-_MAX_KEPT]:
                self._kept.pop(uid).stop()
        kept.looked = time.monotonic()
        if kept.task is None or kept.task.done():
            kept.task = asyncio.create_task(self._follow(ref, kept))
        now = await self._reader.position(ref)
        if kept.of != now:
            kept.wake.set()
            if kept.newest is not None:
                await kept.until(now, patience)
        newest = kept.newest
        if self._followed(kept) + now.next_number > _MAX_FOLLOWED:
            if newest is not None:
                return newest | {"behind": 0 if kept.of is None else now.entries - kept.of.entries}
            lists = bare(await self._reader.state(ref))
        else:
            lists = await self._lists(ref, kept, now, newest)
        count = lists["counts"]["evaluations"]
        if newest is None:
            return first(lists) | {"behind": count}
        return newest | lists | {"behind": count - newest["counts"]["evaluations"]}

    def _followed(self, apart: _Kept) -> int:
        """How many trials are kept here for the lists of other studies."""
        return sum(kept.followed for kept in self._kept.values() if kept is not apart)

    async def _lists(
        self, ref: StudyRef, kept: _Kept, now: Position, newest: dict[str, Any] | None
    ) -> dict[str, Any]:
        """The lists of a study as it is now, with the marks of a snapshot; readers share them."""
        async with kept.listing:
            age = time.monotonic() - kept.listed_at
            of = (now, None if newest is None else list(newest["version"]))
            same = kept.listed_of == of
            if kept.lists is not None and same and age < _LEASES_SECONDS:
                return kept.lists
            pause = min(_LISTING * kept.listing_took, _MAX_PAUSE_SECONDS)
            await asyncio.sleep(max(0.0, pause - age))
            marks = Marks() if newest is None else Marks.read(newest["marks"])
            began, alone = time.monotonic(), newest is None
            kept.followed = now.next_number
            kept.lists = await self._reader.run(ref, lambda study: present(study, marks, alone))
            kept.listed_at = time.monotonic()
            kept.listing_took = kept.listed_at - began
            kept.listed_of = of
            return kept.lists

    async def _follow(self, ref: StudyRef, kept: _Kept) -> None:
        """Take snapshots as long as somebody watches."""
        try:
            while not self._feeds.closing.is_set() and self._watched(ref, kept):
                now = await self._reader.position(ref)
                if kept.newest is not None and kept.of == now and not kept.newest["unfinished"]:
                    await kept.woken(_POLL_SECONDS)
                    continue
                kept.wake.clear()
                new = kept.of != now
                began = time.monotonic()
                kept.newest = await self._process.do("snapshot", ref, seconds=_SECONDS)
                kept.of = now
                kept.news.set()
                version = "-".join(map(str, kept.newest["version"]))
                self._feeds.announce(ref, {"type": "snapshot", "version": version})
                pause = min(_PAUSE * (time.monotonic() - began), _MAX_PAUSE_SECONDS)
                await asyncio.sleep(pause)
                if new and kept.newest["unfinished"]:
                    await kept.woken(_QUIET_SECONDS)
        except Computing as error:
            _LOG.error("a snapshot failed: %s", error)
        except (StoicError, Problem) as error:
            _LOG.warning("snapshots of a study ended: %s", type(error).__name__)
        finally:
            kept.news.set()
            kept.lists, kept.followed = None, 0
            self._reader.release(ref)

    def _watched(self, ref: StudyRef, kept: _Kept) -> bool:
        recent = time.monotonic() < kept.looked + _IDLE_SECONDS
        return recent or self._feeds.watched(ref)

    async def close(self) -> None:
        """End all."""
        for kept in self._kept.values():
            kept.stop()
        tasks = [kept.task for kept in self._kept.values() if kept.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)


class _Kept:
    """What is kept of one study."""

    def __init__(self) -> None:
        self.newest: dict[str, Any] | None = None
        self.of: Position | None = None  # of the study when the newest was begun
        self.looked = 0.0
        self.news, self.wake = asyncio.Event(), asyncio.Event()
        self.lists: dict[str, Any] | None = None
        self.listed_of: tuple[Position, list[int] | None] | None = None
        self.listed_at, self.listing_took = 0.0, 0.0
        self.followed = 0  # trials that the reader keeps for the lists
        self.listing = asyncio.Lock()
        self.task: asyncio.Task[None] | None = None

    async def until(self, now: Position, seconds: float) -> None:
        """Wait for a snapshot of a study as it is now, or until it takes too long."""
        ends = time.monotonic() + seconds
        while self.of != now and self.task is not None and not self.task.done():
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), ends - time.monotonic())
            except TimeoutError:
                return

    async def woken(self, seconds: float) -> None:
        """Wait until something is new, or for so many seconds."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.wake.wait(), seconds)
        self.wake.clear()

    def stop(self) -> None:
        if self.task is not None:
            self.task.cancel()
