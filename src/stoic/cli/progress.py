"""A live display of a sweep: runs done, rate, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from stoic.lab.experiments.runner import Status
from stoic.terminal import Console

__all__ = ["watching"]


@contextmanager
def watching(console: Console) -> Iterator[Callable[[Status], None]]:
    """A callback for the runner that keeps a bar up to date."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=None, left="")

        def watch(status: Status) -> None:
            case = status.latest.case if status.latest else None
            progress.update(
                bar,
                total=status.total,
                completed=status.done,
                left=time_left(status),
                description=f"{case.policy} {case.attack or case.noise}" if case else "",
            )

        yield watch


def time_left(status: Status) -> str:
    """The rate of this sweep, and what remains at that rate.

    >>> time_left(Status(done=30, total=90, found=10, seconds=40.0))
    '30/min, 2 min left'
    """
    fresh = status.done - status.found
    if not fresh or status.seconds <= 0.0:
        return f"{status.found} found" if status.found else ""
    left = (status.total - status.done) * status.seconds / fresh
    shown = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
    return f"{60 * fresh / status.seconds:.0f}/min, {shown} left"
