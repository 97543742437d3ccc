"""Displays of a tuning run: a live view on a terminal, else a line for each trial."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import Self

from rich.console import ConsoleOptions, RenderResult
from rich.live import Live

from stoic.numbers import rounded
from stoic.runs.evaluation import Finished
from stoic.spaces.wording import assignments
from stoic.terminal import Console, RichConsole, Text
from stoic.tune.progress import Progress, alike, clock, times

__all__ = ["LineDisplay", "LiveDisplay", "Picture"]

_LABEL_COLUMNS = 11  # of the labels on the left
_BAR_COLUMNS = 28
_MAX_LINES = {  # of each part
    "running": 4,
    "last": 6,
    "suspects": 3,
    "failures": 3,
    "best": 2,
    "stage": 1,
    "ends": 1,
    "baseline": 1,
}


class Picture:
    """Progress as lines of text of nearly constant number; long lines are cut, not wrapped."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress, self._title = progress, title

    def __rich_console__(self, console: RichConsole, options: ConsoleOptions) -> RenderResult:
        for line in islice(self._lines(), max(console.height - 1, 1)):
            line.no_wrap, line.overflow = True, "ellipsis"
            line.truncate(options.max_width, overflow="ellipsis")
            yield line

    def _lines(self) -> Iterator[Text]:
        progress = self._progress
        yield Text(self._title, style="bold")
        yield self._bar()
        yield from _part("stage", [Text(progress.stage)])
        yield from _part("ends", [Text(progress.ends)])
        yield from self._answer()
        yield from self._baseline()
        now = time.monotonic()
        rows = [
            Text(f"#{each.number:<4} {clock(now - each.since):>9}  {assignments(each.params, ' ')}")
            for each in list(progress.running.values())  # copied: another thread writes
        ]
        rest = progress.slots if not progress.budget else progress.budget - progress.finished
        idle = min(progress.slots, rest) - len(rows)
        rows += [Text("choosing …", style="bright_black")] * max(idle, 0)
        yield from _part("running", rows)
        yield from _part("last", [_row(d) for d in list(progress.recent)[::-1]], more=False)
        rows = [
            Text(f"#{s.trial:<4} {rounded(s.value):>9}  expected about {rounded(s.expected)}")
            for s in reversed(progress.suspects)
        ]
        yield from _part("suspects", rows, style="yellow")
        rows = [Text(f"{count} × {reason}") for reason, count in alike(dict(progress.failures))]
        yield from _part("failures", rows, style="red")
        if progress.note:
            yield Text(progress.note, style="yellow")

    def _bar(self) -> Text:
        progress = self._progress
        full = round(_BAR_COLUMNS * progress.share)
        line = Text.assemble(("━" * full, "green"), ("━" * (_BAR_COLUMNS - full), "bright_black"))
        left = "" if progress.left is None else f", {clock(progress.left)} left"
        line.append(f"  {progress.count} trials  {clock(progress.elapsed)}{left}")
        return line

    def _answer(self) -> Iterator[Text]:
        best = self._progress.best
        if best is None:
            yield from _part("best", [Text("no value yet", style="bright_black"), Text("")])
            return
        rows = [Text.assemble((best.shown(), "bold green"), f"  {times(best.measured)}")]
        yield from _part("best", [*rows, Text(assignments(best.params, " "))])

    def _baseline(self) -> Iterator[Text]:
        params, values = self._progress.baseline, self._progress.baseline_values
        if params is None:
            return
        typical = "no value yet"
        if values:
            typical = f"{rounded(median(values))}, the median of {len(values)}"
        yield from _part("baseline", [Text(f"{typical}  {assignments(params, ' ')}")])


def _row(done: Finished) -> Text:
    values = done.outcome.values
    if not values:
        return Text(f"#{done.number:<4} {'failed':>9}  {done.outcome.reason}", style="red")
    first = f"#{done.number:<4} {rounded(values[0]):>9}  {assignments(done.params, ' ')}"
    return Text(first + (f"  and {len(values) - 1} more" if len(values) > 1 else ""))


def _part(label: str, rows: list[Text], *, style: str = "", more: bool = True) -> Iterator[Text]:
    """Rows under one label; where there are too many, the last line counts the rest."""
    most = _MAX_LINES[label]
    if more and len(rows) > most:
        rest = len(rows) - most + 1
        rows = [*rows[: most - 1], Text(f"and {rest} more", style="bright_black")]
    for i, row in enumerate(rows[:most]):
        head = Text(f"{label if i == 0 else '':<{_LABEL_COLUMNS}}", style="cyan")
        row.stylize_before(style)
        yield Text.assemble(head, row)


class LiveDisplay:
    """A view that is redrawn four times a second, and disappears at the end."""

    def __init__(self, console: Console, progress: Progress, title: str) -> None:
        self._progress = progress
        self._live = Live(
            Picture(progress, title), console=console, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def ended(self, done: Finished) -> None:  # noqa: ARG002 - the picture shows it
        self._live.refresh()

    def note(self, words: str) -> None:
        self._progress.note = words

    def keep(self, words: str) -> None:
        self._live.console.print(Text(words, style="yellow"))


class LineDisplay:
    """One line for each trial, for pipes, files and continuous integration."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console, self._progress = console, progress
        self._width = 2 * len(str(progress.budget)) + 1 if progress.budget else 1
        self._in_finals = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ended(self, done: Finished) -> None:
        now, outcome = self._progress, done.outcome
        came = " ".join(map(rounded, outcome.values)) or f"failed: {outcome.reason}"
        best = f"; best {now.best.shown()}" if now.best is not None else ""
        left = "" if now.left is None else f"; {clock(now.left)} left"
        self.note(
            f"{now.count:>{self._width}}  #{done.number}  "
            f"{assignments(done.params, ' ')}: {came}{best}{left}"
        )
        if now.finals is not None and not self._in_finals:
            self.note(f"finals begin: {now.finals.who}, {now.finals.evaluations} trials")
        self._in_finals = now.finals is not None

    def note(self, words: str) -> None:
        self._console.print(Text(words), soft_wrap=True)

    keep = note
