"""Issues that the checks of a store find: which check, where, how severe, and a message."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stoic.errors import StoreDamaged
from stoic.printable import visible

__all__ = ["Issue", "damage", "damage_of", "fine", "note"]

_LABELS = {"fine": "ok", "note": "note", "damage": "DAMAGE"}


@dataclass(frozen=True)
class Issue:
    """The result of one check."""

    kind: str  # "fine" | "note" | "damage"
    code: str  # which check: "header", "wal", "pages", "tables", "counters", "trials", "log", …
    where: str  # "file", "write-ahead log", "study 'bench'", …
    message: str
    stop: bool = False  # whether no later check is possible

    def about(self, copy: str, path: str) -> Issue:
        """The same issue, with the path of the original instead of its copy."""
        return replace(self, message=self.message.replace(copy, path))

    def __str__(self) -> str:
        return visible(f"{_LABELS[self.kind]:>6}  {self.where}: {self.message}")


def fine(code: str, where: str, message: str) -> Issue:
    """A check that found no damage."""
    return Issue("fine", code, where, message)


def note(code: str, where: str, message: str, *, stop: bool = False) -> Issue:
    """Information that is not damage."""
    return Issue("note", code, where, message, stop)


def damage(code: str, where: str, message: str, *, stop: bool = False) -> Issue:
    """Data that are not as they were written."""
    return Issue("damage", code, where, message, stop)


def damage_of(code: str, where: str, error: Exception, *, stop: bool = False) -> Issue:
    """The damage that an error reports, without its advice."""
    return damage(code, where, error.what if isinstance(error, StoreDamaged) else str(error),
                  stop=stop)  # fmt: skip
