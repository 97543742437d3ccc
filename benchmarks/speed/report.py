"""Sections of the report, and what they are written with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Goal", "Options", "Section", "duration", "ratio", "table"]


@dataclass(frozen=True)
class Options:
    """What the command was asked for.

    Attributes
    ----------
    quick
        A short form of everything, to see that it runs; its figures mean nothing.
    full
        Time the paper's way on every round, not on a sample of them.
    peers
        A Python with BoTorch and scikit-learn, if there is one.
    tick
        Called with a few words before each piece of work.
    """

    quick: bool
    full: bool
    peers: Path | None
    tick: Callable[[str], None]

    def pick(self, usual: int, quick: int) -> int:
        """A number that the short form has another value for."""
        return quick if self.quick else usual


@dataclass(frozen=True)
class Goal:
    """One line of the summary."""

    work: str
    baseline: str
    goal: str
    measured: str
    met: bool | None  # None: not measured

    def row(self) -> list[str]:
        """The line's cells."""
        met = {True: "yes", False: "no", None: "not run"}[self.met]
        return [self.work, self.baseline, self.goal, self.measured, met]


@dataclass
class Section:
    """One part of the report."""

    title: str
    head: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def text(self) -> str:
        """The part in Markdown."""
        return "\n".join([f"## {self.title}", "", *self.notes, "", table(self.head, self.rows)])


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def duration(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> duration(0.0123)
    '12.3 ms'
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 else f"{seconds:.0f} s"
    return f"{seconds / 1e-6:.3g} µs"


def ratio(value: float) -> str:
    """A ratio with three digits.

    >>> ratio(1234.5), ratio(3.14159)
    ('1,234', '3.14')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
