"""Delay Ctrl-C, so that it never comes between a commit and the record of a lease."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["postponed"]


@contextmanager
def postponed() -> Iterator[None]:
    """Raise a `KeyboardInterrupt` at the end of the block; a second one is raised at once.

    Does nothing in threads other than the main one, or where Ctrl-C has another handler.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    came = False

    def later(number: int, frame: FrameType | None) -> None:
        nonlocal came
        if came:
            signal.default_int_handler(number, frame)
        came = True

    signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if came:
            raise KeyboardInterrupt
