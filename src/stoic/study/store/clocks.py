"""The clock that measures leases in a file: seconds since this machine started.

The clock on the wall is set by people and by the network, and differs between clients: one that is
ahead would take leases that are in use. The clock since the start of the machine is one and the
same for all of its processes, runs on evenly, and stands still while the machine sleeps, as its
workers do. It begins anew when the machine starts, so it is known by that start.
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
    """Since this machine started."""
    return time.monotonic()


@functools.cache
def machine() -> str:
    """The start of this machine that `seconds` counts from, as this process sees it."""
    try:
        offsets = os.readlink("/proc/self/ns/time")  # containers may have offsets of their own
    except OSError:
        offsets = ""
    return digest("clock", start() or socket.gethostname(), offsets)[:12]


def start() -> str:
    """A name for the present start of this machine; empty where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
