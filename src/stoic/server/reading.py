"""Reads of the store, in a thread of their own: lists, counts, trials and the log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from stoic.errors import StoreMissing, UnknownStudy
from stoic.server.writing import StudyRef
from stoic.study import Study, StudySummary, summaries

__all__ = ["Reader"]

_MAX_OPEN = 64  # studies that are held open

Result = TypeVar("Result")


class Reader:
    """Reads a store."""

    def __init__(self, store: str) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, "stoic-reader")
        self._open: dict[str, Study] = {}

    async def run(self, ref: StudyRef, operation: Callable[[Study], Result]) -> Result:
        """Execute an operation that changes nothing."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._on_study, ref, operation)

    async def studies(self) -> tuple[StudySummary, ...]:
        """The studies of the store, oldest first."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._studies)

    async def close(self) -> None:
        """End the thread."""
        await asyncio.to_thread(self._thread.shutdown)
        for study in self._open.values():
            study.close()

    def _studies(self) -> tuple[StudySummary, ...]:
        try:
            return summaries(self.store)
        except StoreMissing:
            return ()

    def _on_study(self, ref: StudyRef, operation: Callable[[Study], Any]) -> Any:
        study = self._open.pop(ref.uid, None)
        if study is None:
            study = Study(self.store, ref.name)
            if study.uid != ref.uid:
                study.close()
                raise UnknownStudy(f"expected study {ref.name!r} to be there still; it was deleted")
            while len(self._open) >= _MAX_OPEN:
                self._open.pop(next(iter(self._open))).close()
        self._open[ref.uid] = study
        try:
            return operation(study)
        except UnknownStudy:
            self._open.pop(ref.uid).close()
            raise
