"""Names of workers, which show whether a worker's process still runs."""

from __future__ import annotations

import functools
import os
import socket
from pathlib import Path

from stoic.study.store.clocks import start
from stoic.study.store.rows import digest

__all__ = ["gone", "process_start", "this_worker"]


def this_worker() -> str:
    """``host:pid:start`` of this process; the start includes the boot and the pid namespace."""
    return _named(os.getpid())


@functools.cache
def _named(pid: int) -> str:
    return f"{socket.gethostname()}:{pid}:{process_start(pid)}-{_world()}"


def gone(worker: str) -> bool:
    """Whether the process of that name certainly ended: it ran here, and no longer does."""
    parts = worker.rsplit(":", 2)
    if len(parts) != 3 or not parts[1].isdecimal():
        return False
    start, _, world = parts[2].partition("-")
    if not world or world != _world() or not start:
        return False
    return process_start(int(parts[1])) != start


def process_start(pid: int) -> str:
    """The start of a process, in ticks since the machine's; empty for none or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


@functools.cache
def _world() -> str:
    """The machine's boot and the namespace of process ids; empty where unknown."""
    try:
        return digest(start(), os.readlink("/proc/self/ns/pid"))[:12] if start() else ""
    except OSError:
        return ""
