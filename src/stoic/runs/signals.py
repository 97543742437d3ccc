"""Stop requests: the first Ctrl-C asks a run to stop, the second ends it at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["StopRequest", "stop_requests"]

_SHOW_CURSOR = b"\x1b[?25h\r\n"  # a live display hides it
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequest:
    """Whether the user asked to stop, and the exit code of the signal."""

    def __init__(self) -> None:
        self.code = 0

    def __call__(self) -> bool:
        return self.code != 0


@contextmanager
def stop_requests(kill: Callable[[], None]) -> Iterator[StopRequest]:
    """A request that the first signal sets; at the second, call ``kill`` and exit at once.

    The handler does nothing else: it may run in the middle of a write to the terminal.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request  # only the main thread may handle signals
        return

    def handle(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - their signature
        if request():
            kill()
            for stream in filter(os.isatty, (2, 1)):
                os.write(stream, _SHOW_CURSOR)
            os._exit(128 + number)
        request.code = 128 + number

    nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    handled = [number for number in _SIGNALS if not (nohup and number == signal.SIGHUP)]
    before = {number: signal.signal(number, handle) for number in handled}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
