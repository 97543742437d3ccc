"""Figures of regret."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.lab.experiments.figures.panels import Panels, styles
from stoic.lab.experiments.figures.style import literal, ordered
from stoic.lab.experiments.groups import SETTING, arranged, group
from stoic.lab.experiments.printed import Printed
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case
from stoic.lab.experiments.summary import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["average_regret", "cumulative_regret", "final_regret", "scaling"]

_PRINT: dict[str, Any] = {
    "color": "#555555", "lw": 0.5, "ms": 4.4, "mfc": "white", "mew": 0.8, "zorder": 4,
}  # fmt: skip


def average_regret(results: Results, title: str, printed: Printed | None = None) -> Any:
    """R_t/t against t: on a logarithmic axis, or on a linear one with the points of a print."""
    panels = Panels(group(arranged(results)), styles(results))

    def paint(axes: Axes, case: Case) -> None:
        curve = results.curve(case)
        axes.set_xscale("log" if printed is None else "linear")
        shown = panels.thinned(curve.t, log=printed is None)
        # The average of the first rounds is that of too few draws.
        first = min(10, curve.t[-1] // 10) if printed is None else curve.t[-1] // 200
        shown = shown[curve.t[shown] >= first]
        mean, std = spread(curve.values[:, shown] / curve.t[shown])
        _curve(panels, axes, case, curve.t[shown], mean, std)
        if printed is not None:
            axes.set_xlim(0, 1.015 * curve.t[-1])
            _points(panels, axes, case, printed)

    panels.each(paint)
    if printed is not None:
        _linear_rounds(panels)
    return panels.finish("round t", "average regret $R_t/t$", title)


def _points(panels: Panels, axes: Axes, case: Case, printed: Printed) -> None:
    """The printed points of a case: open markers of the policy's shape, joined by a thin line."""
    found = printed.of(case)
    if found is not None:
        axes.plot(*found, marker=panels.styles[case.policy].marker, **_PRINT)


def _linear_rounds(panels: Panels) -> None:
    """Short numbers below a linear axis of rounds, and the legend's entry of the print."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    for axes in panels.axes:
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.xaxis.set_major_locator(MaxNLocator(5 if panels.columns < 3 else 3))
    panels.axes[0].plot([], [], marker="s", label="printed", **_PRINT)


def cumulative_regret(results: Results, title: str) -> Any:
    """R_t against t."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    panels = Panels(group(arranged(results)), styles(results))

    def paint(axes: Axes, case: Case) -> None:
        curve = results.curve(case)
        shown = panels.thinned(curve.t)
        mean, std = spread(curve.values[:, shown])
        _curve(panels, axes, case, curve.t[shown], mean, std)
        axes.set_xlim(0, curve.t[-1])

    panels.each(paint)
    for axes in panels.axes:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
        axes.xaxis.set_major_locator(MaxNLocator(5 if panels.columns < 3 else 3))
        axes.yaxis.set_major_locator(MaxNLocator(5 if panels.columns < 3 else 4))
    return panels.finish("round t", "regret $R_t$", title)


def _curve(panels: Panels, axes: Axes, case: Case, t: Any, mean: Array, std: Array) -> None:
    panels.line(axes, case.policy, t, mean)
    panels.band(axes, case.policy, t, mean - std, mean + std)
    top = float(np.nanmax(mean + std, initial=0.0))
    before = axes.get_ylim()[1] if len(axes.lines) > 1 else 0.0
    axes.set_ylim(min(0.0, float(np.nanmin(mean, initial=0.0))), max(1.05 * top, before, 1e-12))


def final_regret(results: Results, title: str) -> Any:
    """R_T/T for each noise on a logarithmic axis, a panel for each other setting."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    cases = arranged(results)
    noises = list(dict.fromkeys(case.noise for case in cases))
    panels = Panels(group(cases, tuple(n for n in SETTING if n != "noise")), styles(results))
    lowest, highest = np.inf, 0.0
    for axes, members in zip(panels.axes, panels.groups, strict=True):
        axes.set_yscale("log")
        for policy in ordered(case.policy for case in members.cases):
            own = [case for case in members.cases if case.policy == policy]
            ends = [results.curve(case).end / case.horizon for case in own]
            mean = np.array([float(end.mean()) for end in ends])
            x = np.array([float(noises.index(case.noise)) for case in own])
            panels.line(axes, policy, x, mean, markevery=None)
            lowest = min(lowest, float(mean[mean > 0.0].min(initial=np.inf)))
            highest = max(highest, float(mean.max(initial=0.0)))
        axes.set_xticks(range(len(noises)), [literal(noise) for noise in noises])
        axes.set_xlim(-0.3, len(noises) - 0.7)
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    for axes in panels.axes:
        if highest > 0.0:
            axes.set_ylim(lowest / 1.5, highest * 1.5)
    return panels.finish("", "final average regret $R_T/T$", title)


def scaling(results: Results, title: str) -> Any:
    """R_T against T on logarithmic axes, with the slope of the least-squares line."""
    by = ("problem", "noise", "attack", "schedule")
    cases = arranged(results)
    if len({case.horizon for case in cases}) < 2:
        raise InvalidInput("expected runs at no fewer than two horizons, got one; add horizons")
    groups, legend_height = group(cases, by), 0.0
    panels = Panels(groups, styles(results))
    for axes, members in zip(panels.axes, groups, strict=True):
        axes.set(xscale="log", yscale="log")
        for policy in panels.styles:
            own = sorted(
                (case for case in members.cases if case.policy == policy),
                key=lambda case: case.horizon,
            )
            if own:
                _fit(panels, axes, policy, [results.curve(case).end for case in own], own)
        axes.grid(True, axis="x")
        _plain_numbers(axes, sorted({case.horizon for case in members.cases}))
        labels = axes.get_legend_handles_labels()[1]
        columns = panels.legend_columns(
            panels.figure.get_size_inches()[0] / panels.columns, labels, 6.5
        )
        axes.legend(
            fontsize=6.5, labelspacing=0.3, ncols=columns,
            loc="upper center", bbox_to_anchor=(0.5, -0.2),
        )  # fmt: skip
        legend_height = max(legend_height, 0.15 * math.ceil(len(labels) / columns))
    width, height = panels.figure.get_size_inches()
    panels.figure.set_size_inches(width, height + legend_height * panels.rows)
    return panels.finish("horizon T", "final regret $R_T$", title, legend=False)


def _plain_numbers(axes: Axes, horizons: list[int]) -> None:
    """A tick at each horizon, and numbers without powers of ten."""
    from matplotlib.ticker import EngFormatter, FixedLocator, LogLocator, NullLocator

    axes.xaxis.set_major_locator(FixedLocator(horizons))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(EngFormatter(sep=""))
        axis.set_minor_locator(NullLocator())


def _fit(panels: Panels, axes: Axes, policy: str, ends: list[Array], own: list[Case]) -> None:
    T = np.array([case.horizon for case in own], dtype=float)
    mean, std = np.array([[float(part[0]) for part in spread(end[:, None])] for end in ends]).T
    label = literal(policy)
    seen = mean > 0.0
    if seen.sum() > 1 and len(set(T[seen])) > 1:
        slope = np.polyfit(np.log(T[seen]), np.log(mean[seen]), 1)[0]
        label = f"{label}, slope {slope:.2f}"
    panels.line(axes, policy, T[seen], mean[seen], label=label)
    low = np.maximum(mean - std, 0.2 * mean)  # a logarithmic axis needs positive values
    panels.band(axes, policy, T[seen], low[seen], (mean + std)[seen])
