"""Figures with the bars that they must meet."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = ["Figure", "Watch", "at_least", "at_most", "folder", "percentile", "watching"]


@dataclass(frozen=True)
class Figure:
    """One line of the table; ``met`` is None where there is no bar."""

    what: str
    figure: str
    bar: str = ""
    met: bool | None = None


def at_most(what: str, value: float, most: float, unit: str = "") -> Figure:
    """A figure that must not be larger."""
    shown = f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"
    return Figure(what, f"{shown}{unit}", f"≤ {most:g}{unit}" if most else "0", value <= most)


def at_least(what: str, value: float, least: float, unit: str = "") -> Figure:
    """A figure that must not be smaller."""
    return Figure(what, f"{value:.1f}{unit}", f"≥ {least:g}{unit}", value >= least)


class Watch:
    """A bar of progress for each part."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress

    def steps(self, what: str, count: int) -> Iterator[int]:
        """0, 1, …, count − 1, shown."""
        if self._progress is None:
            yield from range(count)
            return
        task = self._progress.add_task(what, total=count)
        for step in range(count):
            yield step
            self._progress.advance(task)
        self._progress.remove_task(task)


@contextmanager
def watching() -> Iterator[Watch]:
    """A watch with bars on the screen."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), transient=True) as progress:
        yield Watch(progress)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of the values do not exceed."""
    return float(np.quantile(np.asarray(values), share, method="higher"))


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on a real disk that is gone at the end."""
    made = Path(tempfile.mkdtemp(prefix="stoic-soak-", dir=os.environ.get("TMPDIR")))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
