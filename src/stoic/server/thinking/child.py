"""The loop of a process that computes: requests and replies are JSON, over a pipe.

Nothing is shared with the server but the store, so a process that is killed or runs out of memory
costs no acknowledged value, and is started again.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import threading
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from stoic.errors import StoicError
from stoic.printable import visible
from stoic.redaction import redacted

__all__ = ["ANSWERS", "SUGGESTIONS", "Tasks", "main"]

SUGGESTIONS, ANSWERS = "stoic.server.thinking.suggestions", "stoic.server.thinking.answers"
_NICENESS = {ANSWERS: 10}  # what people watch waits for what workers need


class Tasks(Protocol):
    """What a process does, by name."""

    def __init__(self, store: str) -> None: ...

    def do(self, task: str, name: str, uid: str, arguments: dict[str, Any]) -> Any:
        """Execute a task on a study; the result is data for JSON."""


def main(pipe: Connection, store: str, module: str) -> None:
    """Answer requests until the server closes the pipe, or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when to end
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.nice(_NICENESS.get(module, 0))
    tasks: Tasks = importlib.import_module(module).Tasks(store)
    while True:
        try:
            request = json.loads(pipe.recv_bytes())
            pipe.send_bytes(_encoded(_answer(tasks, request)))
        except (EOFError, OSError):
            return


def _answer(tasks: Tasks, request: dict[str, Any]) -> dict[str, Any]:
    try:
        result = tasks.do(request["task"], request["name"], request["uid"], request["arguments"])
        return {"result": result}
    except StoicError as error:
        return {"error": type(error).__name__, "words": str(error)}
    except Exception as error:
        words = visible(redacted(f"{type(error).__name__}: {error}"))
        return {"error": "", "words": words}


def _encoded(reply: dict[str, Any]) -> bytes:
    try:
        return json.dumps(reply, allow_nan=False, separators=(",", ":")).encode()
    except ValueError as error:
        return _encoded({"error": "", "words": f"a result that is not JSON: {error}"})


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
