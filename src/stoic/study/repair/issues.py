"""What the checks of a store found, as data: which check, where, how bad, and in words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stoic.errors import StoreDamaged
from stoic.printable import visible

__all__ = ["Issue", "damage", "damage_of", "fine", "note"]

_LABELS = {"fine": "ok", "note": "note", "damage": "DAMAGE"}


@dataclass(frozen=True)
class Issue:
    """What one check found."""

    kind: str  # "fine" | "note" | "damage"
    code: str  # which check: "header", "wal", "pages", "tables", "counters", "trials", "log", …
    place: str  # "file", "write-ahead log", "study 'bench'", …
    message: str
    stop: bool = False  # nothing behind it can be checked

    def about(self, copy: str, path: str) -> Issue:
        """The same of the file that was copied."""
        return replace(self, message=self.message.replace(copy, path))

    def __str__(self) -> str:
        return visible(f"{_LABELS[self.kind]:>6}  {self.place}: {self.message}")


def fine(code: str, place: str, message: str) -> Issue:
    """Nothing is wrong there."""
    return Issue("fine", code, place, message)


def note(code: str, place: str, message: str, *, stop: bool = False) -> Issue:
    """Something to know, which is no damage."""
    return Issue("note", code, place, message, stop)


def damage(code: str, place: str, message: str, *, stop: bool = False) -> Issue:
    """Something is not as it was written."""
    return Issue("damage", code, place, message, stop)


def damage_of(code: str, place: str, error: Exception, *, stop: bool = False) -> Issue:
    """The damage that an error reports, without its advice."""
    return damage(code, place, error.what if isinstance(error, StoreDamaged) else str(error),
                  stop=stop)  # fmt: skip
