"""A Dask cluster of processes that can be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Cluster", "cluster"]

_START_SECONDS = 60  # within which a scheduler and its workers are up


class Cluster:
    """A scheduler and two workers, each a process group of its own."""

    def __init__(self, folder: Path) -> None:
        where = folder / "scheduler.json"
        file = ["--scheduler-file", str(where), "--no-dashboard"]
        self.scheduler = _start("dask_scheduler", *file, "--host", "127.0.0.1", "--port", "0")
        self.workers = [
            _start("dask_worker", *file, "--nthreads", "1", "--local-directory", str(folder / name))
            for name in ("one", "two")
        ]
        self.address = _address(where)
        from distributed import Client  # heavy: not at collection

        with Client(self.address) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(len(self.workers), timeout=_START_SECONDS)

    def kill_a_worker(self) -> None:
        """End the first worker without warning."""
        os.killpg(self.workers[0].pid, signal.SIGKILL)

    def close(self) -> None:
        """End all."""
        for process in (self.scheduler, *self.workers):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that is gone at the end."""
    made = Cluster(folder)
    try:
        yield made
    finally:
        made.close()


def _start(program: str, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _address(where: Path) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        try:
            found: str = json.loads(where.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.1)
        else:
            return found
    raise TimeoutError("the scheduler did not come up")
