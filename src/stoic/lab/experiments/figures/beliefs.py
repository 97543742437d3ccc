"""Figures of the policies' estimates: confidence bands, and arms not yet ruled out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array
from stoic.lab.experiments.figures.panels import Panels, need, styles
from stoic.lab.experiments.figures.style import ordered
from stoic.lab.experiments.groups import Group, group
from stoic.lab.experiments.printed import Printed
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["beliefs", "epochs"]

_PRINT: dict[str, Any] = {"color": "#777777", "zorder": 4}
_MIN_LOG_RATIO = 30  # of most to fewest arms; from here on the axis is logarithmic


def _remedy(what: str) -> str:
    return f'add record = ["{what}"] to the experiment and run it again'


def beliefs(results: Results, title: str, printed: Printed | None = None) -> Any:
    """Each policy's mean and confidence bounds at the end, means over trials, against x.

    A printed estimate is dashed, between the edges of its band.
    """
    groups = [
        Group(", ".join(filter(None, (policy, members.label))), members.block, own)
        for members in group(need(results, "beliefs", "mean", _remedy("beliefs")))
        for policy in ordered(case.policy for case in members.cases)
        if (own := tuple(case for case in members.cases if case.policy == policy))
    ]
    panels = Panels(groups, styles(results))

    def paint(axes: Axes, case: Case) -> None:
        x, columns = _over_trials(results.rows("beliefs", case))
        axes.plot(x, columns["f"], color="#E69F00", lw=2.6, label="f", zorder=2)
        mean, std = columns["mean"], columns["std"]
        panels.band(axes, case.policy, x, columns["lower"], columns["upper"])
        panels.band(axes, case.policy, x, mean - std, mean + std)
        panels.line(axes, case.policy, x, mean, marker="", label="_estimate")
        band = None if printed is None else printed.band(case)
        if band is not None:
            axes.plot(band.x, band.mean, label="printed estimate", **_PRINT, ls="--", lw=1.2)
            for edge in (band.lower, band.upper):
                axes.plot(band.x, edge, label="printed, one std", **_PRINT, ls=":", lw=0.9)

    panels.each(paint)
    panels.axes[0].plot([], [], color="#555555", label="estimate")
    panels.axes[0].fill_between(
        [], [], [], color="#555555", alpha=0.2, lw=0, label="bounds; darker: one std"
    )
    lows, highs = zip(*(axes.get_ylim() for axes in panels.axes), strict=True)
    for axes in panels.axes:
        axes.set_ylim(min(lows), max(highs))
    return panels.finish("x", "payoff", title)


def _over_trials(rows: dict[str, Any]) -> tuple[Array, dict[str, Array]]:
    """Columns as means over trials, arm by arm, sorted by x."""
    _, arm = np.unique(rows["arm"], return_inverse=True)
    count = np.bincount(arm)
    names = ("x", "f", "mean", "std", "lower", "upper")
    means = {name: np.bincount(arm, weights=rows[name]) / count for name in names}
    order = np.argsort(means["x"], kind="stable")
    return means["x"][order], {name: values[order] for name, values in means.items()}


def epochs(results: Results, title: str) -> Any:
    """Arms left at the end of each epoch: mean, fewest and most over trials."""
    from matplotlib.ticker import MaxNLocator, NullFormatter, StrMethodFormatter

    groups = group(need(results, "epochs", "active", _remedy("epochs")))
    panels = Panels(groups, styles(results))
    active = results.tables["epochs"]["active"]
    wide = active.max() >= _MIN_LOG_RATIO * max(active.min(), 1)

    def paint(axes: Axes, case: Case) -> None:
        rows = results.rows("epochs", case)
        numbers = np.unique(rows["epoch"])
        parts = [rows["active"][rows["epoch"] == number] for number in numbers]
        mean, low, high = (
            np.array([float(of(part)) for part in parts]) for of in (np.mean, np.min, np.max)
        )
        panels.line(axes, case.policy, numbers, mean, markevery=None)
        panels.band(axes, case.policy, numbers, low, high)
        if wide:
            axes.set_yscale("log")
            axes.set_ylim(0.85, 1.3 * active.max())
            axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
        else:
            axes.set_ylim(0, 1.08 * active.max())

    panels.each(paint)
    for axes in panels.axes:
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return panels.finish("epoch", "arms left", title)
