"""A sheet of panels with one legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput
from stoic.lab.experiments.figures.style import Style, matplotlib, ordered, palette, plain
from stoic.lab.experiments.groups import Group, arranged
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case
from stoic.lab.experiments.summary import thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Sheet", "need", "styles"]

_WIDTH = {1: 3.6, 2: 7.2, 3: 7.2, 4: 7.2}  # inches: one column of a journal, or two
_HEIGHT = {1: 2.5, 2: 2.3, 3: 1.9, 4: 1.55}
_TITLE = {1: 56, 2: 52, 3: 34, 4: 25}  # letters in a line of a panel's title
_POINTS = 1800  # of all curves of a sheet, for small files
_FEWEST, _MARKS = 25, 7


def styles(results: Results) -> dict[str, Style]:
    """The style of every policy in the results, the same for all of their figures."""
    return palette(case.policy for table in results.tables for case in arranged(results, table))


def need(results: Results, table: str, column: str, remedy: str) -> list[Case]:
    """The cases with a column that holds something, or an error that says what to record."""
    columns = results.tables.get(table, {})
    if column in columns:
        known = np.isfinite(np.asarray(columns[column], dtype=float))
        if known.any():
            kept = {name: values[known] for name, values in columns.items()}
            return arranged(Results({table: kept}, results.manifest), table)
    raise InvalidInput(f"expected {column} in the table of {table}, got none; {remedy}")


class Sheet:
    """Panels in rows, blocks of experiments beginning a row where there are many."""

    def __init__(self, groups: Sequence[Group], look: dict[str, Style]) -> None:
        mpl = matplotlib()
        self.groups, self.look = groups, look
        self.columns = _columns(len(groups))
        self.places = _places(groups, self.columns)
        self.rows = self.places[-1][0] + 1
        width = _WIDTH[self.columns]
        height = _HEIGHT[self.columns] * self.rows + 0.3
        self.figure = mpl.figure.Figure(figsize=(width, height), layout="constrained")
        self.axes: list[Axes] = []
        for group, (row, column) in zip(groups, self.places, strict=True):
            place = row * self.columns + column + 1
            axes = self.figure.add_subplot(self.rows, self.columns, place)
            axes.grid(True, axis="y")
            if group.label:
                axes.set_title(fill(plain(group.label), _TITLE[self.columns]), loc="left")
            self.axes.append(axes)
        self._curves = max(sum(len(group.cases) for group in groups), 1)

    def each(self, paint: Callable[[Axes, Case], Any]) -> None:
        """Paint every case of every panel, in the order of the legend."""
        for axes, group in zip(self.axes, self.groups, strict=True):
            for policy in ordered(case.policy for case in group.cases):
                for case in (c for c in group.cases if c.policy == policy):
                    paint(axes, case)

    def thinned(self, t: IntArray, *, log: bool = False) -> IntArray:
        """The checkpoints to show, fewer the more curves there are."""
        return thin(t, max(_POINTS // self._curves, _FEWEST), log=log)

    def line(self, axes: Axes, policy: str, x: Array | IntArray, y: Array, **more: Any) -> None:
        """A policy's curve, with a few markers."""
        style = self.look[policy]
        every = _marks(np.asarray(x, dtype=float), axes.get_xscale() == "log", len(axes.lines))
        options: dict[str, Any] = {"ls": style.line, "label": plain(policy), "zorder": 3}
        options |= {"marker": style.marker, "markevery": every, "markeredgewidth": 0.0}
        axes.plot(x, y, color=style.colour, **(options | more))

    def band(self, axes: Axes, policy: str, x: Any, low: Array, high: Array) -> None:
        """A policy's spread."""
        colour = self.look[policy].colour
        alpha = 0.09 if colour == "#000000" else 0.14
        axes.fill_between(x, low, high, color=colour, alpha=alpha, lw=0, zorder=2)

    def finish(self, xlabel: str, ylabel: str, title: str, *, legend: bool = True) -> Any:
        """Axis labels at the rim, one legend below, and the figure."""
        for axes, (row, column) in zip(self.axes, self.places, strict=True):
            if row == self.rows - 1:
                axes.set_xlabel(xlabel)
            if column == 0:
                axes.set_ylabel(ylabel)
        if title:
            self.figure.suptitle(plain(title), fontsize=9.0, x=0.01, ha="left")
        if legend:
            self._legend()
        return self.figure

    def across(self, width: float, labels: Iterable[str], type_size: float = 7.5) -> int:
        """How many columns a legend with these labels may have in so many inches."""
        widest = (0.46 + 0.0605 * max(map(len, labels))) * type_size / 7.5
        return max(int(width / widest), 1)

    def _legend(self) -> None:
        found: dict[str, Any] = {}
        for axes in self.axes:
            handles, labels = axes.get_legend_handles_labels()
            for handle, label in zip(handles, labels, strict=True):
                found.setdefault(label, handle)
        known = [label for label in map(plain, ordered(self.look)) if label in found]
        labels = known + [label for label in found if label not in known]
        width, height = self.figure.get_size_inches()
        down = math.ceil(len(labels) / self.across(width, labels))
        self.figure.set_size_inches(width, height + 0.16 * down)
        self.figure.legend(
            [found[label] for label in labels],
            labels,
            loc="outside lower center",
            ncols=math.ceil(len(labels) / down),
        )


def _columns(count: int) -> int:
    if count <= 3:
        return max(count, 1)
    return 2 if count == 4 else 3 if count in (5, 6, 9) else 4


def _places(groups: Sequence[Group], columns: int) -> list[tuple[int, int]]:
    """Row and column of each panel."""
    blocks = [group.block for group in groups]
    arrange = len(groups) > 4 and len(groups) >= 3 * len(set(blocks))
    places, row, column = [], 0, 0
    for i, block in enumerate(blocks):
        if column == columns or (arrange and i and block != blocks[i - 1] and column):
            row, column = row + 1, 0
        places.append((row, column))
        column += 1
    return places


def _marks(x: Array, log: bool, shift: int) -> list[int]:
    """Where markers stand: evenly along the axis, and not all curves' at the same places."""
    if len(x) <= _MARKS + 2:
        return list(range(len(x)))
    x = np.log(np.maximum(x, 1e-12)) if log else x
    part = (x[-1] - x[0]) / _MARKS
    wanted = x[0] + part * (np.arange(_MARKS) + 0.35 + 0.13 * (shift % 5))
    places = np.unique(np.abs(x[:, None] - wanted[None, :]).argmin(axis=0))
    return [int(place) for place in places]
