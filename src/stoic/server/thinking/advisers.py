"""Suggestions for all who ask: by the model where it is in time, else cheaper ones.

Suggestions are computed by a bounded number of processes, each with the studies assigned to it, so
that neither the event loop nor the writer waits for the optimiser. A proposal is for the study as
it was when it was made. Whoever asks alone gets one that is up to date, however long it takes:
sequential use gives what `stoic.Study` alone would have suggested. Where several ask at once, each
waits until the deadline. Then it gets a proposal of the stock, which the model made a moment
earlier. Where the model alone would be late, it makes many proposals at a time that share the work:
what those who wait do not need is the new stock. Where there is none, an ask waits a while longer,
and then gets a uniform draw. The reply says which it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from stoic.server.store.asking import Take
from stoic.server.store.writing import StudyRef, Writer
from stoic.server.thinking.child import SUGGESTIONS
from stoic.server.thinking.process import Process
from stoic.server.thinking.queue import Queue
from stoic.study import StudyTrial

__all__ = ["Advisers"]


class Advisers:
    """The processes that suggest, and who waits for them."""

    def __init__(self, store: str, count: int, deadline: float, writer: Writer) -> None:
        self._writer, self._deadline = writer, deadline
        self._processes = [Process(store, SUGGESTIONS) for _ in range(count)]
        self._queues: dict[str, Queue] = {}

    async def ask(self, ref: StudyRef, takes: Sequence[Take]) -> list[StudyTrial | None]:
        """Trials, by suggestions where they are needed."""
        queue, request = self._queue(ref), object()
        return await asyncio.gather(*(queue.ask(take, request) for take in takes))

    async def begin_finals(
        self, ref: StudyRef, evaluations: int, contenders: Sequence[Mapping[str, Any]] | None
    ) -> bool:
        """Begin finals; False where there are not two contenders."""
        named = None if contenders is None else [dict(params) for params in contenders]
        arguments = {"evaluations": evaluations, "contenders": named}
        began: bool = await self._queue(ref).process.do("begin finals", ref, **arguments)
        return began

    async def end_finals(self, ref: StudyRef) -> None:
        """End the finals, if there are any."""
        await self._queue(ref).process.do("end finals", ref)

    def _queue(self, ref: StudyRef) -> Queue:
        queue = self._queues.get(ref.uid)
        if queue is None:
            process = self._least_loaded()
            queue = self._queues[ref.uid] = Queue(ref, self._writer, process, self._deadline)
        return queue

    def _least_loaded(self) -> Process:
        loads = [
            sum(queue.process is process for queue in self._queues.values())
            for process in self._processes
        ]
        return self._processes[loads.index(min(loads))]

    @property
    def waiting(self) -> int:
        """How many asks wait."""
        return sum(len(queue.waiting) for queue in self._queues.values())

    def forget(self, ref: StudyRef) -> None:
        """Forget a study that was deleted."""
        self._queues.pop(ref.uid, None)

    async def close(self) -> None:
        """End the processes."""
        await asyncio.gather(*(process.close() for process in self._processes))
