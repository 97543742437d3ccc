"""The clock that measures leases in a file: seconds since this machine started.

The system time can be set, and differs between machines: a client whose clock is ahead would take
over leases that are in use. The clock since the start of the machine is the same for all of its
processes, runs evenly, and stops while the machine sleeps, as its workers do. It restarts at zero
with the machine, so the name of the clock contains that start.
"""

from __future__ import annotations

import functools
import os
import socket
import time
from pathlib import Path

from stoic.study.store.rows import digest

__all__ = ["machine", "seconds", "start"]


def seconds() -> float:
    """Seconds since this machine started."""
    return time.monotonic()


@functools.cache
def machine() -> str:
    """The name of this process's clock: the start of the machine, and the time namespace."""
    try:
        offsets = os.readlink("/proc/self/ns/time")  # containers may have offsets of their own
    except OSError:
        offsets = ""
    return digest("clock", start() or socket.gethostname(), offsets)[:12]


def start() -> str:
    """The id of the machine's last start; empty where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
