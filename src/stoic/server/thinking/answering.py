"""Answers of studies, computed once for each length of the log, by the process that answers."""

from __future__ import annotations

import asyncio
from typing import Any

from stoic.server.events import Feeds
from stoic.server.store.reading import Position, Reader
from stoic.server.store.writing import StudyRef
from stoic.server.thinking.process import Process

__all__ = ["Answers"]

_MAX_ANSWERS = 256  # that are kept


class Answers:
    """The newest answer of each study."""

    def __init__(self, process: Process, reader: Reader, feeds: Feeds) -> None:
        self.process, self._reader, self._feeds = process, reader, feeds
        self._known: dict[str, tuple[Position, dict[str, Any]]] = {}
        self._under_way: dict[str, asyncio.Task[dict[str, Any]]] = {}

    async def get(self, ref: StudyRef) -> dict[str, Any]:
        """The answer of a study as it is now."""
        now = await self._reader.position(ref)
        known = self._known.get(ref.uid)
        if known is not None and known[0].entries == now.entries:
            return known[1]
        task = self._under_way.get(ref.uid)
        if task is not None:  # of an earlier state, perhaps: what it finds is then computed again
            await asyncio.wait([task])
            return await self.get(ref)
        task = asyncio.create_task(self._compute(ref, now))
        self._under_way[ref.uid] = task
        return await asyncio.shield(task)

    async def _compute(self, ref: StudyRef, now: Position) -> dict[str, Any]:
        try:
            found: dict[str, Any] = await self.process.do("result", ref)
        finally:
            del self._under_way[ref.uid]
        self._known.pop(ref.uid, None)
        while len(self._known) >= _MAX_ANSWERS:
            self._known.pop(next(iter(self._known)))
        self._known[ref.uid] = (now, found)
        self._feeds.announce(ref, {"type": "answer", "entries": now.entries})
        return found
