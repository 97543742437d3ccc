"""Studies that a thread or a process of the server holds open."""

from __future__ import annotations

from stoic.errors import UnknownStudy
from stoic.study import Study
from stoic.study.opened import Use
from stoic.study.store import Database

__all__ = ["Following", "Reading", "Recording", "Studies"]


class Recording(Study):
    """For the thread that writes: at once, however long the log is; it was verified before."""

    _use = Use(follows=False, verifies=False)


class Reading(Study):
    """For reads of trials and of the log: it changes nothing, and needs no adviser."""

    _use = Use(follows=False, reclaims=False)


class Following(Study):
    """For a process that computes: it has the whole log, and opening it changes nothing."""

    _use = Use(reclaims=False)


class Studies:
    """At most ``most`` studies; the one that was used longest ago is closed."""

    def __init__(self, store: str | Database, most: int, kind: type[Study]) -> None:
        self._store, self._most, self._kind = store, most, kind
        self._open: dict[str, Study] = {}

    def get(self, name: str, uid: str) -> Study:
        """A study; `UnknownStudy` where it was deleted, or made again."""
        study = self._open.pop(uid, None)
        if study is None:
            study = self._kind(self._store, name)
            if study.uid != uid:
                study.close()
                raise UnknownStudy(f"expected study {name!r} to be there still; it was deleted")
            while len(self._open) >= self._most:
                self.forget(next(iter(self._open)))
        self._open[uid] = study  # the one used last comes last
        return study

    def forget(self, uid: str) -> None:
        """Close a study."""
        study = self._open.pop(uid, None)
        if study is not None:
            study.close()

    def close(self) -> None:
        """Close all."""
        for uid in list(self._open):
            self.forget(uid)
