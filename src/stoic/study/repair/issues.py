"""What a check of a store found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stoic.printable import visible

__all__ = ["Finding", "damage", "fine", "note"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    kind: str  # "fine" | "note" | "damage"
    where: str
    words: str
    stop: bool = False  # nothing behind it can be looked at

    def about(self, copy: str, path: str) -> Finding:
        """The same of the file that was copied."""
        return replace(self, words=self.words.replace(copy, path))

    def __str__(self) -> str:
        mark = {"fine": "ok", "note": "note", "damage": "DAMAGE"}[self.kind]
        return visible(f"{mark:>6}  {self.where}: {self.words}")


def fine(where: str, words: str) -> Finding:
    """Nothing is wrong there."""
    return Finding("fine", where, words)


def note(where: str, words: str, *, stop: bool = False) -> Finding:
    """Something to know, which is no damage."""
    return Finding("note", where, words, stop)


def damage(where: str, words: str, *, stop: bool = False) -> Finding:
    """Something is not as it was written."""
    return Finding("damage", where, words, stop)
