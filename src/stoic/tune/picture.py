"""The live picture: right at 80 columns, of a height that hardly changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice

from rich.console import ConsoleOptions, RenderResult

from stoic.cli.terminal import RichConsole, Text
from stoic.numbers import rounded
from stoic.tune.board import Board, Finished, alike, clock, estimate, shown, times

__all__ = ["Picture"]

_LABEL = 11  # columns of the labels on the left
_BAR = 28
_LAST, _RUNNING, _SUSPECTS, _REASONS = 6, 4, 3, 3  # most lines of each part


class Picture:
    """A board as lines of text; each is cut at the terminal's edge, never wrapped."""

    def __init__(self, board: Board, title: str) -> None:
        self._board, self._title = board, title

    def __rich_console__(self, console: RichConsole, options: ConsoleOptions) -> RenderResult:
        for line in islice(self._lines(), max(console.height - 1, 1)):
            line.no_wrap, line.overflow = True, "ellipsis"
            line.truncate(options.max_width, overflow="ellipsis")
            yield line

    def _lines(self) -> Iterator[Text]:
        board = self._board
        yield Text(self._title, style="bold")
        yield self._progress()
        yield from self._answer()
        now = time.monotonic()
        rows = [
            Text(f"#{each.number:<4} {clock(now - each.since):>9}  {shown(each.params)}")
            for each in list(board.running.values())  # copied: another thread writes
        ]
        idle = min(board.slots, board.budget - board.finished) - len(rows)
        rows += [Text("choosing …", style="bright_black")] * max(idle, 0)
        yield from _part("running", rows, _RUNNING)
        yield from _part("last", [_row(d) for d in list(board.recent)[::-1]], _LAST, more=False)
        rows = [
            Text(f"#{s.trial:<4} {rounded(s.value):>9}  expected about {rounded(s.expected)}")
            for s in reversed(board.suspects)
        ]
        yield from _part("suspects", rows, _SUSPECTS, style="yellow")
        rows = [Text(f"{count} × {reason}") for reason, count in alike(dict(board.failures))]
        yield from _part("failures", rows, _REASONS, style="red")
        if board.note:
            yield Text(board.note, style="yellow")

    def _progress(self) -> Text:
        board = self._board
        share = min(board.finished / board.budget, 1.0)
        full = round(_BAR * share)
        line = Text.assemble(("━" * full, "green"), ("━" * (_BAR - full), "bright_black"))
        left = "" if board.left is None else f", {clock(board.left)} left"
        line.append(f"  {board.finished}/{board.budget} trials  {clock(board.elapsed)}{left}")
        return line

    def _answer(self) -> Iterator[Text]:
        best = self._board.best
        if best is None:
            yield from _part("best", [Text("no value yet", style="bright_black"), Text("")], 2)
            return
        rows = [Text.assemble((estimate(best), "bold green"), f"  {times(best.measured)}")]
        yield from _part("best", [*rows, Text(shown(best.params))], 2)


def _row(done: Finished) -> Text:
    if not done.values:
        return Text(f"#{done.number:<4} {'failed':>9}  {done.reason}", style="red")
    first = f"#{done.number:<4} {rounded(done.values[0]):>9}  {shown(done.params)}"
    return Text(first + (f"  and {len(done.values) - 1} more" if len(done.values) > 1 else ""))


def _part(
    label: str, rows: list[Text], most: int, *, style: str = "", more: bool = True
) -> Iterator[Text]:
    """Rows under one label; where there are too many, the last line says how many more."""
    if more and len(rows) > most:
        rest = len(rows) - most + 1
        rows = [*rows[: most - 1], Text(f"and {rest} more", style="bright_black")]
    for i, row in enumerate(rows[:most]):
        head = Text(f"{label if i == 0 else '':<{_LABEL}}", style="cyan")
        row.stylize_before(style)
        yield Text.assemble(head, row)
