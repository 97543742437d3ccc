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

_INTERRUPTED = 128 + signal.SIGINT  # exit code, as shells report it


def main() -> None:
    """Run the command line; errors are one line, without a traceback.

    Ctrl-C ends the command with exit code 130. While packages are imported and after the command
    has ended, it does so at once; in between, the command handles it.
    """
    interruptible = (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not ignored, as by nohup
        and threading.current_thread() is threading.main_thread()
    )
    if interruptible:
        signal.signal(signal.SIGINT, _leave)
    app = _app()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")  # never fail on a character
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
    """Exit without a traceback: nothing has begun, or everything is written."""
    with suppress(OSError, RuntimeError, ValueError):  # RuntimeError: in the middle of a write
        sys.stdout.flush()
    os._exit(_INTERRUPTED)
