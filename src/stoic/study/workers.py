"""Who holds a trial: a name that shows whether its process is still there."""

from __future__ import annotations

import functools
import os
import socket
from pathlib import Path

from stoic.study.store.clocks import start
from stoic.study.store.rows import digest

__all__ = ["gone", "this_worker"]


def this_worker() -> str:
    """``host:pid:start`` of this process; the start also names the kernel and its processes."""
    return _named(os.getpid())


@functools.cache
def _named(pid: int) -> str:
    return f"{socket.gethostname()}:{pid}:{_start(pid)}-{_world()}"


def gone(worker: str) -> bool:
    """Whether the process of that name has surely ended: it ran here, and runs no more."""
    parts = worker.rsplit(":", 2)
    if len(parts) != 3 or not parts[1].isdecimal():
        return False
    start, _, world = parts[2].partition("-")
    if not world or world != _world() or not start:
        return False
    return _start(int(parts[1])) != start


def _start(pid: int) -> str:
    """When a process began, in ticks since the machine did; empty for none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]  # a zombie is no worker


@functools.cache
def _world() -> str:
    """This boot of this machine and its name space of processes; empty where unknown."""
    try:
        return digest(start(), os.readlink("/proc/self/ns/pid"))[:12] if start() else ""
    except OSError:
        return ""
