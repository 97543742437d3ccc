"""Displays of a duel: a live view on a terminal, else a line for each block; and the summary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from statistics import median, quantiles
from typing import Self

from rich.console import ConsoleOptions, RenderResult
from rich.live import Live

from stoic.comparison import Comparison
from stoic.duels.engine import Duel
from stoic.duels.result import DuelResult
from stoic.duels.words import change_in_words, interval_in_words
from stoic.numbers import rounded
from stoic.terminal import Console, RichConsole, Text
from stoic.tune.progress import alike, clock

__all__ = ["LineDisplay", "LiveDisplay", "print_summary"]

_BAR_COLUMNS = 28
_NAME_COLUMNS = 30
_HALF_STRIP_COLUMNS = 15  # on each side of no change
_MAX_REASONS = 3  # of failures that are shown for each contender
_STYLES = {"better": "bold green", "equal": "green", "worse": "bold red", "undecided": "yellow"}
_MIN_FOR_QUARTILES = 4


class Picture:
    """The state of a duel as lines of text; long lines are cut."""

    def __init__(self, duel: Duel, title: str, unit: str) -> None:
        self._duel, self._title, self._unit = duel, title, unit

    def __rich_console__(self, console: RichConsole, options: ConsoleOptions) -> RenderResult:
        for line in islice(self._lines(), max(console.height - 1, 1)):
            line.no_wrap, line.overflow = True, "ellipsis"
            line.truncate(options.max_width, overflow="ellipsis")
            yield line

    def _lines(self) -> Iterator[Text]:
        duel = self._duel
        yield Text(self._title, style="bold")
        yield self._bar()
        for i, contender in enumerate(duel.contenders):
            mark = "▸" if duel.running == i else " "
            value = _typical(duel.values[i], self._unit)
            failed = sum(duel.failures[i].values())
            line = Text(f"{mark} {_name(contender.name)} {value:>14}")
            if failed:
                line.append(f"  {failed} failed", "red")
            yield line
        yield Text("")
        for i, found in duel.comparisons.items():
            yield from _comparison_lines(duel.contenders[i].name, found)

    def _bar(self) -> Text:
        duel, rules = self._duel, self._duel.rules
        spent = duel.blocks / rules.budget
        if rules.seconds is not None:
            spent = max(spent, duel.elapsed / rules.seconds)
        full = round(_BAR_COLUMNS * min(spent, 1.0))
        line = Text.assemble(("━" * full, "green"), ("━" * (_BAR_COLUMNS - full), "bright_black"))
        limit = "" if rules.seconds is None else f" of {clock(rules.seconds)}"
        line.append(f"  {_blocks(duel)}  {clock(duel.elapsed)}{limit}")
        return line


def _comparison_lines(name: str, found: Comparison) -> Iterator[Text]:
    words = Text.assemble(
        f"  {_name(name)} ",
        (found.decision, _STYLES[found.decision]),
        f"  {change_in_words(found)}",
    )
    if found.decision == "undecided" and found.blocks:
        key = min(found.p_values, key=found.p_values.__getitem__)
        sure = 100.0 * found.certainty
        words.append(f"; most likely {key}, sure by {sure:.0f} %" if sure >= 1.0 else "")
    yield words
    gap = f"  {'':{_NAME_COLUMNS}} "
    yield Text.assemble(gap, strip(found), f"  {interval_in_words(found)}")


def strip(found: Comparison) -> Text:
    """The interval as a strip of characters, with no change in the middle.

    >>> from stoic.comparison import compare
    >>> found = compare([10.0] * 9, [8.0, 9.0, 8.5] * 3, direction="minimize", margin="2%")
    >>> strip(found).plain
    '├───━━━●━━━────┄│┄──────────────┤'
    """
    low, high = found.interval
    ends = [abs(e) for e in (low, high) if math.isfinite(e)] + [found.margin]
    ends += [abs(found.change)] if math.isfinite(found.change) else []
    scale = max(ends) * 1.25 or 1.0

    def column(value: float) -> int:
        return round(max(-1.0, min(1.0, value / scale)) * _HALF_STRIP_COLUMNS)

    cells = []
    for at in range(-_HALF_STRIP_COLUMNS, _HALF_STRIP_COLUMNS + 1):
        if math.isfinite(found.change) and at == column(found.change):
            cells.append(("●", "bold"))
        elif at == 0:
            cells.append(("│", ""))
        elif column(low) <= at <= column(high):
            cells.append(("━", "cyan"))
        elif column(-found.margin) <= at <= column(found.margin):
            cells.append(("┄", "bright_black"))
        else:
            cells.append(("─", "bright_black"))
    return Text.assemble(("├", "bright_black"), *cells, ("┤", "bright_black"))


def print_summary(result: DuelResult, console: Console) -> None:
    """Print the contenders, failures and the verdict."""
    for line in _summary(result):
        console.print(line, soft_wrap=True)


def _summary(result: DuelResult) -> Iterator[Text]:
    good = "low" if result.direction == "minimize" else "high"
    runs = sum(map(len, result.values.values()))
    why = {"budget": "; the budget is spent", "time": "; the time is over"}
    why["interrupted"] = "; stopped early"
    yield Text(
        f"{result.objective}, {good} is good: {result.blocks} blocks, {runs} runs, "
        f"{clock(result.seconds)}{why.get(result.ended_by, '')}",
        style="bold",
    )
    yield Text("")
    for name, values in result.values.items():
        known = [value for value in values if value is not None]
        half = ""
        if len(known) >= _MIN_FOR_QUARTILES:
            low, _, high = quantiles(known, n=4)
            half = f"  middle half {_short(low)} to {_short(high)}"
        base = "  (baseline)" if name == result.baseline else ""
        yield Text(f"  {_name(name)} {_typical(values, result.unit):>14}{half}{base}")
        for reason, count in alike(result.failures[name])[:_MAX_REASONS]:
            yield Text(f"      {count} × failed, counted as lost: {reason}", style="red")
    yield Text("")
    *lines, last = result.verdict.splitlines()
    decisions = list(result.decisions.values())
    for line, decision in zip([*lines, last], [*decisions, "best"], strict=False):
        yield Text(line, style=_STYLES.get(decision, "bold"))
    if "undecided" in decisions and result.ended_by in ("budget", "time"):
        yield Text("to know more, raise --budget or --time, or allow a larger --margin")


class LiveDisplay:
    """A view that is redrawn four times a second, and disappears at the end."""

    def __init__(self, console: Console, duel: Duel, title: str, unit: str) -> None:
        picture = Picture(duel, title, unit)
        self._live = Live(picture, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def block(self) -> None:
        """A block has ended."""
        self._live.refresh()


class LineDisplay:
    """One line for each block, for pipes, files and continuous integration."""

    def __init__(self, console: Console, duel: Duel) -> None:
        self._console, self._duel = console, duel

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def block(self) -> None:
        """A block has ended."""
        duel = self._duel
        if not duel.blocks:
            return
        values = [
            ("failed" if made[-1] is None else _short(made[-1]))
            if len(made) == duel.blocks
            else "-"
            for made in duel.values
        ]
        states = [
            f"{change_in_words(found)} ({interval_in_words(found)}) {found.decision}"
            for found in duel.comparisons.values()
        ]
        line = "  ".join([_blocks(duel), *values, "; ".join(states)])
        self._console.print(Text(line), soft_wrap=True)


def _name(name: str) -> str:
    short = name if len(name) <= _NAME_COLUMNS else name[: _NAME_COLUMNS - 1] + "…"
    return f"{short:<{_NAME_COLUMNS}}"


def _short(value: float) -> str:
    return f"{value:.4g}"


def _typical(values: list[float | None] | tuple[float | None, ...], unit: str) -> str:
    known = [value for value in values if value is not None]
    return f"{rounded(float(_short(median(known))))} {unit}".rstrip() if known else "no value"


def _blocks(duel: Duel) -> str:
    unlimited = duel.rules.seconds is not None and duel.rules.budget >= 10**6
    return f"{duel.blocks} blocks" if unlimited else f"{duel.blocks}/{duel.rules.budget} blocks"
