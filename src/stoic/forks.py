"""Make objects safe across forks: locks, files and connections that a child must not share.

A forked child inherits every lock as it was held and every open file, but only one thread. A lock
that another thread of the parent held is never released in the child, and an inherited file keeps
the parent's advisory locks alive. Objects with such parts take part in every fork: they bring
themselves to rest before it, and renew themselves in the child.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
import time
import weakref

__all__ = ["ForkAware", "Lock", "Unforked", "held_elsewhere", "importing", "never_freed"]

_PATIENCE_SECONDS = 5.0  # that a fork waits for transactions and imports of other threads


def held_elsewhere(lock: threading.RLock) -> bool:
    """Whether a forked child has a lock that another thread of the parent held."""
    if lock.acquire(blocking=False):  # free, or held by the thread that forked
        lock.release()
        return False
    return True


class ForkAware:
    """An object that takes part in forks from `join_forks` on, for as long as it lives."""

    def join_forks(self) -> None:
        """Take part in every fork of this process from now on."""
        key = id(self)
        _aware[key] = weakref.ref(self, lambda _: _aware.pop(key, None))

    def before_fork(self, patience: float) -> None:
        """Finish what is in progress, within ``patience`` seconds; then wait for the fork."""

    def after_fork_in_parent(self) -> None:
        """Continue."""

    def after_fork_in_child(self) -> None:
        """Renew what the child must not share; no other thread runs."""


class Lock(ForkAware):
    """A reentrant lock that no thread of the parent can hold in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.join_forks()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def after_fork_in_child(self) -> None:
        if held_elsewhere(self._lock):
            self._lock = threading.RLock()


class Unforked(ForkAware):
    """No thread forks within the block: a child could not complete what was half done."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._quiet = False
        self.join_forks()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def before_fork(self, patience: float) -> None:
        self._quiet = self._lock.acquire(timeout=patience)

    def after_fork_in_parent(self) -> None:
        if self._quiet:
            self._quiet = False
            self._lock.release()

    def after_fork_in_child(self) -> None:
        if self._quiet:
            self.after_fork_in_parent()
        else:
            self._lock = threading.RLock()


def never_freed(thing: object) -> None:
    """Keep an object until the process ends, even while modules are torn down.

    For a parent's connection in a child: closing it there would disturb the parent.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


# -- the hooks -----------------------------------------------------------------------------------

_aware: dict[int, weakref.ref[ForkAware]] = {}
_forking = threading.RLock()  # one fork at a time: between the hooks, objects are at rest


def _all() -> list[ForkAware]:
    return [thing for ref in list(_aware.values()) if (thing := ref()) is not None]


def _before() -> None:
    _forking.acquire()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for thing in _all():
        thing.before_fork(max(deadline - time.monotonic(), 0.0))


def _in_parent() -> None:
    try:
        for thing in _all():
            thing.after_fork_in_parent()
    finally:
        _forking.release()


def _in_child() -> None:
    global _forking
    _forking = threading.RLock()
    for thing in _all():
        thing.after_fork_in_child()
    if sys.version_info < (3, 12):
        _renew_properties()


def _renew_properties() -> None:
    """Python 3.11 holds a lock, one for all instances, while it computes a cached property."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("stoic.")]
    classes = {c for module in modules for c in list(vars(module).values()) if isinstance(c, type)}
    for each in classes:
        for member in vars(each).values():
            if isinstance(member, functools.cached_property):
                vars(member)["lock"] = threading.RLock()


# Around imports that are made late: Python's lock of a module that another thread is importing
# stays locked in a child for ever.
importing = Unforked()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
