"""Figures of regret."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.lab.experiments.figures.sheet import Sheet, styles
from stoic.lab.experiments.figures.style import plain
from stoic.lab.experiments.groups import arranged, group
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case
from stoic.lab.experiments.summary import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["average_regret", "cumulative_regret", "scaling"]


def average_regret(results: Results, title: str) -> Any:
    """R_t/t against t on a logarithmic axis."""
    sheet = Sheet(group(arranged(results)), styles(results))

    def paint(axes: Axes, case: Case) -> None:
        curve = results.curve(case)
        axes.set_xscale("log")
        shown = sheet.thinned(curve.t, log=True)
        shown = shown[curve.t[shown] >= min(10, curve.t[-1] // 10)]  # few draws: chance alone
        mean, std = spread(curve.values[:, shown] / curve.t[shown])
        _curve(sheet, axes, case, curve.t[shown], mean, std)

    sheet.each(paint)
    return sheet.finish("round t", "average regret $R_t/t$", title)


def cumulative_regret(results: Results, title: str) -> Any:
    """R_t against t."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    sheet = Sheet(group(arranged(results)), styles(results))

    def paint(axes: Axes, case: Case) -> None:
        curve = results.curve(case)
        shown = sheet.thinned(curve.t)
        mean, std = spread(curve.values[:, shown])
        _curve(sheet, axes, case, curve.t[shown], mean, std)
        axes.set_xlim(0, curve.t[-1])

    sheet.each(paint)
    for axes in sheet.axes:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
        axes.xaxis.set_major_locator(MaxNLocator(5 if sheet.columns < 3 else 3))
        axes.yaxis.set_major_locator(MaxNLocator(5 if sheet.columns < 3 else 4))
    return sheet.finish("round t", "regret $R_t$", title)


def _curve(sheet: Sheet, axes: Axes, case: Case, t: Any, mean: Array, std: Array) -> None:
    sheet.line(axes, case.policy, t, mean)
    sheet.band(axes, case.policy, t, mean - std, mean + std)
    top = float(np.nanmax(mean + std, initial=0.0))
    before = axes.get_ylim()[1] if len(axes.lines) > 1 else 0.0
    axes.set_ylim(min(0.0, float(np.nanmin(mean, initial=0.0))), max(1.05 * top, before, 1e-12))


def scaling(results: Results, title: str) -> Any:
    """R_T against T on logarithmic axes, with the slope of the least-squares line."""
    by = ("problem", "noise", "attack", "schedule")
    cases = arranged(results)
    if len({case.horizon for case in cases}) < 2:
        raise InvalidInput("expected runs at two horizons at least, got one; add horizons")
    groups, tall = group(cases, by), 0.0
    sheet = Sheet(groups, styles(results))
    for axes, members in zip(sheet.axes, groups, strict=True):
        axes.set(xscale="log", yscale="log")
        for policy in sheet.look:
            own = sorted(
                (case for case in members.cases if case.policy == policy),
                key=lambda case: case.horizon,
            )
            if own:
                _fit(sheet, axes, policy, [results.curve(case).end for case in own], own)
        axes.grid(True, axis="x")
        labels = axes.get_legend_handles_labels()[1]
        across = sheet.across(sheet.figure.get_size_inches()[0] / sheet.columns, labels, 6.5)
        axes.legend(
            fontsize=6.5, labelspacing=0.3, ncols=across,
            loc="upper center", bbox_to_anchor=(0.5, -0.2),
        )  # fmt: skip
        tall = max(tall, 0.15 * math.ceil(len(labels) / across))
    width, height = sheet.figure.get_size_inches()
    sheet.figure.set_size_inches(width, height + tall * sheet.rows)
    return sheet.finish("horizon T", "final regret $R_T$", title, legend=False)


def _fit(sheet: Sheet, axes: Axes, policy: str, ends: list[Array], own: list[Case]) -> None:
    T = np.array([case.horizon for case in own], dtype=float)
    mean, std = np.array([[float(part[0]) for part in spread(end[:, None])] for end in ends]).T
    label = plain(policy)
    seen = mean > 0.0
    if seen.sum() > 1 and len(set(T[seen])) > 1:
        slope = np.polyfit(np.log(T[seen]), np.log(mean[seen]), 1)[0]
        label = f"{label}, slope {slope:.2f}"
    sheet.line(axes, policy, T[seen], mean[seen], label=label)
    low = np.maximum(mean - std, 0.2 * mean)  # a logarithmic axis has no place for less than nought
    sheet.band(axes, policy, T[seen], low[seen], (mean + std)[seen])
