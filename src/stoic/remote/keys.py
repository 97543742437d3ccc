"""Keys of wishes that must be granted once, kept until they are."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from stoic.forks import ForkAware, Lock

__all__ = ["Keys"]

_MAX_KEPT = 1000  # wishes of threads that never repeated them


class Keys(ForkAware):
    """The same key for the same wish of a thread, until the block that has it ends well.

    Where a request fails for good, its wish may have been granted all the same. Whoever repeats the
    call then gets what was meant for it, and not another trial.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, str] = {}
        self._guard = Lock()
        self.join_forks()

    def after_fork_in_child(self) -> None:
        self._kept = {}  # they are the parent's

    @contextmanager
    def of(self, *wish: Hashable) -> Iterator[str]:
        """The key of a wish."""
        whose = (threading.get_ident(), *wish)
        with self._guard:
            key = self._kept.setdefault(whose, secrets.token_hex(16))
            while len(self._kept) > _MAX_KEPT:
                del self._kept[next(iter(self._kept))]
        yield key
        with self._guard:
            self._kept.pop(whose, None)
