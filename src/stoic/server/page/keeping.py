"""Keep the newest snapshot of each study that somebody watches, computed in another process."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from stoic.errors import StoicError
from stoic.server.events import Feeds
from stoic.server.problems import Problem
from stoic.server.store.reading import Position, Reader
from stoic.server.store.writing import StudyRef
from stoic.server.thinking.process import Computing, Process

__all__ = ["Keeper"]

_LOG = logging.getLogger("stoic.server")
_SECONDS = 0.5  # for the slower parts of one snapshot
_POLL_SECONDS = 0.25  # until a study is looked at again
_IDLE_SECONDS = 30.0  # after the last look, until nobody is taken to watch
_PAUSE = 0.5  # of the time of the last snapshot, before the next one
_FRESH_SECONDS = 0.8  # that a request waits for news, where an older snapshot is there
_FIRST_SECONDS = 2.0  # that it waits for the first snapshot
_MAX_KEPT = 64  # studies


class Keeper:
    """The newest snapshots."""

    def __init__(self, process: Process, reader: Reader, feeds: Feeds) -> None:
        self._process, self._reader, self._feeds = process, reader, feeds
        self._kept: dict[str, _Kept] = {}

    def known(self, uid: str) -> dict[str, Any] | None:
        """The newest snapshot, if there is one."""
        kept = self._kept.get(uid)
        return None if kept is None else kept.newest

    async def get(self, ref: StudyRef) -> dict[str, Any] | None:
        """The snapshot of a study; an older one, or None, where the present one takes long."""
        kept = self._kept.get(ref.uid)
        if kept is None:
            kept = self._kept[ref.uid] = _Kept()
            for uid in list(self._kept)[:-_MAX_KEPT]:
                self._kept.pop(uid).stop()
        kept.looked = time.monotonic()
        if kept.task is None or kept.task.done():
            kept.task = asyncio.create_task(self._follow(ref, kept))
        now = await self._reader.position(ref)
        ends = time.monotonic() + (_FIRST_SECONDS if kept.newest is None else _FRESH_SECONDS)
        while kept.newest is None or kept.of != now:
            left = ends - time.monotonic()
            if left <= 0.0 or (kept.task.done() and kept.newest is None):
                break
            kept.news.clear()
            try:
                await asyncio.wait_for(kept.news.wait(), left)
            except TimeoutError:
                break
        return kept.newest

    async def _follow(self, ref: StudyRef, kept: _Kept) -> None:
        """Take snapshots as long as somebody watches."""
        try:
            while not self._feeds.closing.is_set() and self._watched(ref, kept):
                now = await self._reader.position(ref)
                if kept.newest is not None and kept.of == now and not kept.newest["unfinished"]:
                    await asyncio.sleep(_POLL_SECONDS)
                    continue
                began = time.monotonic()
                kept.newest = await self._process.do("snapshot", ref, seconds=_SECONDS)
                kept.of = now
                kept.news.set()
                version = "-".join(map(str, kept.newest["version"]))
                self._feeds.announce(ref, {"type": "snapshot", "version": version})
                await asyncio.sleep(_PAUSE * (time.monotonic() - began))
        except Computing as error:
            _LOG.error("a snapshot failed: %s", error)
        except (StoicError, Problem) as error:
            _LOG.warning("snapshots of a study ended: %s", type(error).__name__)
        finally:
            kept.news.set()

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
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def stop(self) -> None:
        if self.task is not None:
            self.task.cancel()
