"""The panels of a figure, with one legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput
from stoic.lab.experiments.figures.style import Style, literal, matplotlib, ordered, palette
from stoic.lab.experiments.groups import Group, arranged
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case
from stoic.lab.experiments.summary import thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Panels", "need", "styles"]

_WIDTH = {1: 3.6, 2: 7.2, 3: 7.2, 4: 7.2}  # inches: one column of a journal, or two
_HEIGHT = {1: 2.5, 2: 2.3, 3: 1.9, 4: 1.55}
_TITLE = {1: 56, 2: 52, 3: 34, 4: 25}  # characters in a line of a panel's title
_MAX_POINTS_PER_FIGURE = 1800  # over all curves, for small files
_MIN_POINTS_PER_CURVE = 25
_MARKERS_PER_CURVE = 7


def styles(results: Results) -> dict[str, Style]:
    """The style of every policy in the results, the same for all of their figures."""
    return palette(case.policy for table in results.tables for case in arranged(results, table))


def need(results: Results, table: str, column: str, remedy: str) -> list[Case]:
    """The cases with finite values in a column, or an error that names what to record."""
    columns = results.tables.get(table, {})
    if column in columns:
        known = np.isfinite(np.asarray(columns[column], dtype=float))
        if known.any():
            kept = {name: values[known] for name, values in columns.items()}
            return arranged(Results({table: kept}, results.manifest), table)
    raise InvalidInput(f"expected {column} in the table of {table}, got none; {remedy}")


class Panels:
    """Panels in rows; with many panels, each experiment starts a new row."""

    def __init__(self, groups: Sequence[Group], styles: dict[str, Style]) -> None:
        mpl = matplotlib()
        self.groups, self.styles = groups, styles
        self.columns = _columns(len(groups))
        self.positions = _positions(groups, self.columns)
        self.rows = self.positions[-1][0] + 1
        width = _WIDTH[self.columns]
        height = _HEIGHT[self.columns] * self.rows + 0.3
        self.figure = mpl.figure.Figure(figsize=(width, height), layout="constrained")
        self.axes: list[Axes] = []
        for group, (row, column) in zip(groups, self.positions, strict=True):
            number = row * self.columns + column + 1
            axes = self.figure.add_subplot(self.rows, self.columns, number)
            axes.grid(True, axis="y")
            if group.label:
                axes.set_title(fill(literal(group.label), _TITLE[self.columns]), loc="left")
            self.axes.append(axes)
        self._curves = max(sum(len(group.cases) for group in groups), 1)

    def each(self, paint: Callable[[Axes, Case], Any]) -> None:
        """Draw every case of every panel, in the order of the legend."""
        for axes, group in zip(self.axes, self.groups, strict=True):
            for policy in ordered(case.policy for case in group.cases):
                for case in (c for c in group.cases if c.policy == policy):
                    paint(axes, case)

    def thinned(self, t: IntArray, *, log: bool = False) -> IntArray:
        """Indices of the checkpoints to show; more curves get fewer points each."""
        return thin(t, max(_MAX_POINTS_PER_FIGURE // self._curves, _MIN_POINTS_PER_CURVE), log=log)

    def line(self, axes: Axes, policy: str, x: Array | IntArray, y: Array, **more: Any) -> None:
        """A policy's curve, with a few markers."""
        style = self.styles[policy]
        every = _marker_positions(
            np.asarray(x, dtype=float), axes.get_xscale() == "log", len(axes.lines)
        )
        options: dict[str, Any] = {"ls": style.line, "label": literal(policy), "zorder": 3}
        options |= {"marker": style.marker, "markevery": every, "markeredgewidth": 0.0}
        axes.plot(x, y, color=style.colour, **(options | more))

    def band(self, axes: Axes, policy: str, x: Any, low: Array, high: Array) -> None:
        """A policy's spread."""
        colour = self.styles[policy].colour
        alpha = 0.09 if colour == "#000000" else 0.14
        axes.fill_between(x, low, high, color=colour, alpha=alpha, lw=0, zorder=2)

    def finish(self, xlabel: str, ylabel: str, title: str, *, legend: bool = True) -> Any:
        """Add axis labels at the outer panels and one legend below; return the figure."""
        for axes, (row, column) in zip(self.axes, self.positions, strict=True):
            if row == self.rows - 1:
                axes.set_xlabel(xlabel)
            if column == 0:
                axes.set_ylabel(ylabel)
        if title:
            self.figure.suptitle(literal(title), fontsize=9.0, x=0.01, ha="left")
        if legend:
            self._legend()
        return self.figure

    def legend_columns(self, width: float, labels: Iterable[str], type_size: float = 7.5) -> int:
        """The number of columns of a legend with these labels in a width in inches."""
        widest = (0.46 + 0.0605 * max(map(len, labels))) * type_size / 7.5
        return max(int(width / widest), 1)

    def _legend(self) -> None:
        found: dict[str, Any] = {}
        for axes in self.axes:
            handles, labels = axes.get_legend_handles_labels()
            for handle, label in zip(handles, labels, strict=True):
                found.setdefault(label, handle)
        known = [label for label in map(literal, ordered(self.styles)) if label in found]
        labels = known + [label for label in found if label not in known]
        width, height = self.figure.get_size_inches()
        rows = math.ceil(len(labels) / self.legend_columns(width, labels))
        self.figure.set_size_inches(width, height + 0.16 * rows)
        self.figure.legend(
            [found[label] for label in labels],
            labels,
            loc="outside lower center",
            ncols=math.ceil(len(labels) / rows),
        )


def _columns(count: int) -> int:
    if count <= 3:
        return max(count, 1)
    return 2 if count == 4 else 3 if count in (5, 6, 9) else 4


def _positions(groups: Sequence[Group], columns: int) -> list[tuple[int, int]]:
    """Row and column of each panel."""
    blocks = [group.block for group in groups]
    arrange = len(groups) > 4 and len(groups) >= 3 * len(set(blocks))
    positions, row, column = [], 0, 0
    for i, block in enumerate(blocks):
        if column == columns or (arrange and i and block != blocks[i - 1] and column):
            row, column = row + 1, 0
        positions.append((row, column))
        column += 1
    return positions


def _marker_positions(x: Array, log: bool, shift: int) -> list[int]:
    """Indices of the markers: evenly along the axis, shifted from curve to curve."""
    if len(x) <= _MARKERS_PER_CURVE + 2:
        return list(range(len(x)))
    x = np.log(np.maximum(x, 1e-12)) if log else x
    step = (x[-1] - x[0]) / _MARKERS_PER_CURVE
    wanted = x[0] + step * (np.arange(_MARKERS_PER_CURVE) + 0.35 + 0.13 * (shift % 5))
    indices = np.unique(np.abs(x[:, None] - wanted[None, :]).argmin(axis=0))
    return [int(index) for index in indices]
