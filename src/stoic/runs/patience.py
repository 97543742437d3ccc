"""Retries while a store is unavailable, and the limit of failures after which a run ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from stoic.errors import StoreUnavailable
from stoic.runs.logs import log_retry

__all__ = ["Failures", "GaveUp", "Patience", "patiently"]

RETRY_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # pauses; long enough for a server to restart

T = TypeVar("T")


class GaveUp(Exception):
    """A run ended because its first trials all failed; the message has the reason."""


def patiently(do: Callable[[], T]) -> T:
    """Retry while the store is unavailable: a measurement may have taken hours."""
    for seconds in RETRY_SECONDS:
        try:
            return do()
        except StoreUnavailable as error:
            log_retry(error, seconds)
            time.sleep(seconds)
    return do()


@dataclass(frozen=True)
class Patience:
    """How many first evaluations may all fail before a run gives up."""

    mistakes: int = 5
    """Where all are the same mistake, such as a `TypeError` or output without a number."""
    failures: int = 20
    """Where they fail in another way: a large part of a space may be infeasible."""
    one_kind: bool = True
    """Whether the failures must be of one kind, such as the same type of exception."""


class Failures:
    """Counts the failed evaluations of a run until the first value."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._kinds: set[object] = set()
        self.count = 0

    @property
    def alike(self) -> bool:
        """Whether all failures were of one kind."""
        return len(self._kinds) == 1

    def exhausted(self, kind: object, *, mistake: bool) -> bool:
        """Count one more outcome; return whether to give up. A kind of None is not counted."""
        self.count += 1
        self._kinds.add(kind)
        if None in self._kinds or (self._patience.one_kind and not self.alike):
            return False
        same_mistake = mistake and self.alike
        return self.count >= (self._patience.mistakes if same_mistake else self._patience.failures)
