"""Run tasks in local processes and append each result to a file as a line of JSON."""

from __future__ import annotations

import json
import multiprocessing
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")
Row = dict[str, Any]


class Described(Protocol):
    """A task that knows the part of the result that identifies it."""

    def row(self) -> Row: ...


D = TypeVar("D", bound=Described)


def row_of(task: D, play: Callable[[D], Row]) -> Row:
    """Play a task; an error of the method becomes part of the row."""
    try:
        return task.row() | play(task)
    except Exception as error:
        last = traceback.format_exc()[-600:]
        return task.row() | {"error": f"{type(error).__name__}: {error}"[:300], "trace": last}


def run_all(
    tasks: Sequence[T],
    execute: Callable[[T], Row],
    regret: Callable[[Row], float],
    path: Path,
    workers: int,
) -> tuple[int, int]:
    """Run the tasks; return how many ended, and how many of them with an error.

    One worker is this process; more are processes of their own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    regrets: list[float] = []
    errors = 0
    text = TextColumn("{task.description}")
    with (
        Progress(text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar,
        path.open("a") as out,
    ):
        if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            out.write("\n")  # the line that a killed run left unfinished
        line = bar.add_task("regret –", total=len(tasks))
        try:
            for row in _rows(tasks, execute, workers):
                out.write(json.dumps(row, default=bool) + "\n")
                out.flush()
                if "error" in row:
                    errors += 1
                    where = " ".join(str(row.get(f, "")) for f in ("problem", "case", "noise"))
                    bar.print(f"{where} {row['seed']}: {row['error']}")
                else:
                    regrets.append(regret(row))
                so_far = f"regret {np.mean(regrets):.3f}" if regrets else "regret –"
                bar.update(line, advance=1, description=so_far)
        except KeyboardInterrupt:
            raise SystemExit("stopped; the same command goes on from here") from None
    return len(regrets), errors


def _rows(tasks: Sequence[T], execute: Callable[[T], Row], workers: int) -> Iterator[Row]:
    if workers == 1:
        yield from map(execute, tasks)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool:
        futures = [pool.submit(execute, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
