"""Ctrl-C a moment later: not between a commit and the note of what was leased."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["postponed"]


@contextmanager
def postponed() -> Iterator[None]:
    """Raise a `KeyboardInterrupt` of the block at its end; the second one at once.

    Does nothing in other threads, which never see one, and where somebody else handles Ctrl-C.
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
