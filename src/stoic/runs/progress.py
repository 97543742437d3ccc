"""Progress of a run on standard error: a bar on a terminal, else a few lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from stoic.optimize.answers import Answer, Trial
from stoic.runs.limits import UNLIMITED

__all__ = ["Watched", "watching"]

_MAX_LINES = 10  # of a run where there is no terminal


class Watched(Protocol):
    """An optimiser or a study whose progress is shown."""

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials with an outcome, in order."""

    def recommend(self) -> Answer:
        """The recommended configuration."""


@contextmanager
def watching(optimizer: Watched, budget: int, show: bool) -> Iterator[Callable[[], None]]:
    """A function to call after every evaluation; it does nothing unless ``show``."""
    if not show:
        yield lambda: None
        return
    stream = sys.stderr
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    except ImportError:
        yield _lines(optimizer, budget, stream)
        return
    if not stream.isatty():
        yield _lines(optimizer, budget, stream)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(file=stream)) as bar:
        task = bar.add_task("", total=None if budget >= UNLIMITED else budget)
        yield lambda: bar.update(
            task, completed=len(optimizer.trials), description=_standing(optimizer)
        )


def _lines(optimizer: Watched, budget: int, stream: TextIO) -> Callable[[], None]:
    known = budget < UNLIMITED
    every = max(1, budget // _MAX_LINES) if known else _MAX_LINES
    total = f"/{budget}" if known else ""

    def line() -> None:
        done = len(optimizer.trials)
        if done % every == 0 or done == budget:
            print(f"{done}{total}: {_standing(optimizer)}", file=stream, flush=True)

    return line


def _standing(optimizer: Watched) -> str:
    failed = sum(trial.failed for trial in optimizer.trials)
    if failed == len(optimizer.trials):
        return "no value yet"
    best = optimizer.recommend()
    return f"best estimate {best.shown('')}" + f", {failed} failed" * bool(failed)
