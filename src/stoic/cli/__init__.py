"""The command ``stoic``."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

__all__ = ["main"]

_INTERRUPTED = 128 + signal.SIGINT  # as a shell says it


def main() -> None:
    """Run the command line; what is refused is said in a line, not in a traceback.

    Ctrl-C ends the command with exit code 130: at once while packages are imported and after the
    command has ended, else as the command sees fit.
    """
    interruptible = (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not ignored, as by nohup
        and threading.current_thread() is threading.main_thread()
    )
    if interruptible:
        signal.signal(signal.SIGINT, _leave)
    app = _app()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")  # a sign it can't show must not end hours of work
    try:
        if interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        app()
    except KeyboardInterrupt:
        raise SystemExit(_INTERRUPTED) from None
    finally:
        if interruptible:
            signal.signal(signal.SIGINT, _leave)


def _app() -> Callable[[], None]:
    try:
        from stoic.cli.app import app
    except ImportError as missing:
        package = missing.name or "typer"
        print(
            f"expected package {package} for the command line, got none; pip install 'stoic[cli]'",
            file=sys.stderr,
        )
        raise SystemExit(1) from None
    return app


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's signature
    """Leave without a traceback: nothing has begun, or all is written."""
    with suppress(OSError, RuntimeError, ValueError):  # RuntimeError: in the middle of a write
        sys.stdout.flush()
    os._exit(_INTERRUPTED)
