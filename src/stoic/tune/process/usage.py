"""What a program used, from the kernel's own accounting of processes that have ended.

The kernel adds up processor time, and keeps the largest memory, of a process and of all children
that it waited for. Children whose parent did not wait for them are given to this process, if it is
their *subreaper* (Linux), and are counted when they have ended. Not counted are processes that left
the group of the program, and, except on Linux, those that nobody waited for.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from resource import struct_rusage

__all__ = ["Usage", "adopt_orphans", "reap_group"]

_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_RSS_BYTES = 1 if sys.platform == "darwin" else 1024  # of one unit of ru_maxrss
_REAP_SECONDS = 0.5  # for killed processes to end
_POLL_SECONDS = 0.001


@dataclass(frozen=True)
class Usage:
    """Processor time of all processes together, and memory of the largest one."""

    cpu_seconds: float = 0.0
    """User and system time."""
    max_rss_bytes: int = 0
    """The largest resident memory that any one process had, not the sum over processes."""

    @classmethod
    def of(cls, found: struct_rusage) -> Usage:
        """The usage that ``os.wait4`` reports."""
        return cls(found.ru_utime + found.ru_stime, found.ru_maxrss * _RSS_BYTES)

    def and_of(self, other: Usage) -> Usage:
        """Both together.

        >>> Usage(1.0, 500).and_of(Usage(0.5, 800))
        Usage(cpu_seconds=1.5, max_rss_bytes=800)
        """
        rss = max(self.max_rss_bytes, other.max_rss_bytes)
        return Usage(self.cpu_seconds + other.cpu_seconds, rss)


def adopt_orphans(*, wanted: bool = True) -> bool:
    """Become the parent of orphaned descendants, or no longer; False where that is impossible.

    A daemon that left its group is adopted as well, and stays a zombie, when it has ended, until
    this process ends.
    """
    if not sys.platform.startswith("linux"):
        return False
    with suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0)
    return False


def reap_group(group: int) -> Usage:
    """Wait for the children in a process group, all of them killed, and add up what they used."""
    total = Usage()
    deadline = time.monotonic() + _REAP_SECONDS
    while time.monotonic() < deadline:
        try:
            pid, _, found = os.wait4(-group, os.WNOHANG)
        except ChildProcessError:
            break
        if pid:
            total = total.and_of(Usage.of(found))
        else:
            time.sleep(_POLL_SECONDS)
    return total
