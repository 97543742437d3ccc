"""`stoic serve` as a process of its own, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Service", "serving"]


class Service:
    """A server on a port of its own."""

    def __init__(self, store: str, *options: str, port: int = 0) -> None:
        self.store, self.options = store, options
        self.port = port or _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        command = [sys.executable, "-m", "stoic", "serve", self.store, "--port", str(self.port)]
        log = Path(f"{self.store}.serve.txt") if "://" not in self.store else Path(os.devnull)
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                [*command, "--no-access-log", *self.options],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("stoic serves"), f"{line!r}; see {log}"

    @property
    def pid(self) -> int:
        """The number of the process that runs."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """End it without a chance to finish anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """End it as a service manager does; return its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(how)
        assert process.stdout is not None
        process.stdout.close()
        return process.wait(60)


@contextmanager
def serving(store: object, *options: str) -> Iterator[Service]:
    """A server of a store, for as long as the block lasts."""
    service = Service(str(store), *options)
    service.start()
    try:
        yield service
    finally:
        service.stop()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
