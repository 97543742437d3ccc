"""Studies that a thread or a process of the server holds open."""

from __future__ import annotations

from stoic.errors import UnknownStudy
from stoic.study import Study
from stoic.study.store import Database

__all__ = ["Studies"]


class Studies:
    """At most ``most`` studies; the one that was used longest ago is closed."""

    def __init__(self, store: str | Database, most: int) -> None:
        self._store, self._most = store, most
        self._open: dict[str, Study] = {}

    def get(self, name: str, uid: str) -> Study:
        """A study; `UnknownStudy` where it was deleted, or made again."""
        study = self._open.pop(uid, None)
        if study is None:
            study = Study(self._store, name)
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
