"""Figures of the policies' cost and of the accuracy of sketches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array
from stoic.lab.experiments.figures.panels import Panels, need, styles
from stoic.lab.experiments.figures.style import literal, ordered
from stoic.lab.experiments.groups import Group, group
from stoic.lab.experiments.results import Curve, Results
from stoic.lab.experiments.spec import Case
from stoic.lab.experiments.summary import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["accuracy", "features", "seconds", "seconds_per_round"]

_BINS = 24  # on a logarithmic axis of rounds; single checkpoints are too short to time well
_LEAST_RANGE = 1.01  # of the ratio to either side of 1: rounding errors are not a curve
_RERUN = "run it again with this version"
_RECORD = 'add record = ["accuracy"] to the experiment and run it again'


def seconds(results: Results, title: str) -> Any:
    """Mean CPU seconds of a whole run, a bar for each policy and a panel for each problem."""
    groups = group(need(results, "seconds", "seconds", _RERUN), ("problem", "horizon"))
    panels = Panels(groups, styles(results))
    longest = max(len({case.policy for case in members.cases}) for members in groups)
    width, height = panels.figure.get_size_inches()
    panels.figure.set_size_inches(width, min(height, (0.22 * longest + 0.75) * panels.rows))
    for axes, members, position in zip(panels.axes, groups, panels.positions, strict=True):
        _bars(panels, axes, results, members, names=position[1] == 0 or _differ(groups))
    return panels.finish("CPU seconds of a run", "", title, legend=False)


def _differ(groups: list[Group]) -> bool:
    return len({frozenset(case.policy for case in members.cases) for members in groups}) > 1


def _bars(panels: Panels, axes: Axes, results: Results, members: Group, *, names: bool) -> None:
    policies = ordered(case.policy for case in members.cases)
    for row, policy in enumerate(policies):
        ends = [
            results.curve(case, "seconds", "seconds").end
            for case in members.cases
            if case.policy == policy
        ]
        mean = max(float(np.mean(np.concatenate(ends))), 1e-6)
        axes.barh(row, mean, height=0.62, color=panels.styles[policy].colour, zorder=3)
        axes.annotate(
            f"{mean:.3g}" if mean < 1000 else f"{mean:.0f}", (mean, row), (3, 0),
            textcoords="offset points", va="center", fontsize=6.5,
        )  # fmt: skip
    axes.set_xscale("log")
    widths = [patch.get_width() for patch in axes.patches]  # type: ignore[attr-defined]
    low, high = min(widths), max(widths)
    axes.set_xlim(low / 3.0, high * (high / low * 9.0) ** 0.22 * 1.6)
    axes.set_yticks(range(len(policies)), [literal(p) if names else "" for p in policies])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.grid(True, axis="x")


def seconds_per_round(results: Results, title: str) -> Any:
    """CPU microseconds of a round against t, on logarithmic axes."""
    panels = Panels(group(need(results, "seconds", "seconds", _RERUN)), styles(results))

    def paint(axes: Axes, case: Case) -> None:
        axes.set(xscale="log", yscale="log")
        t, cost = _cost(results.curve(case, "seconds", "seconds"))
        panels.line(axes, case.policy, t, cost)

    panels.each(paint)
    return panels.finish("round t", "CPU time per round / µs", title)


def _cost(curve: Curve) -> tuple[Array, Array]:
    """Time per round in microseconds between checkpoints that are far enough apart."""
    mean, _ = spread(curve.values)
    t, spent = np.r_[0.0, curve.t], np.r_[0.0, mean]
    wanted = np.geomspace(min(10.0, t[-1]), t[-1], _BINS)
    edges = np.unique(np.r_[0, np.searchsorted(t, wanted)])
    rounds, cost = np.diff(t[edges]), np.diff(spent[edges])
    shown = cost > 0.0
    middle = (t[edges[1:]] + t[edges[:-1]]) / 2.0
    return middle[shown], 1e6 * cost[shown] / rounds[shown]


def features(results: Results, title: str) -> Any:
    """Features or distinct points of the posterior; the effective dimension dashed."""
    panels = Panels(group(need(results, "curves", "features", _RERUN)), styles(results))

    def paint(axes: Axes, case: Case) -> None:
        axes.set_xscale("log")
        curve = results.curve(case, "features")
        shown = panels.thinned(curve.t, log=True)
        mean, std = spread(curve.values[:, shown])
        panels.line(axes, case.policy, curve.t[shown], mean)
        panels.band(axes, case.policy, curve.t[shown], mean - std, mean + std)
        dimension = _known(results, case, "effective_dimension")
        if dimension is not None:
            panels.line(
                axes, case.policy, dimension.t[shown], spread(dimension.values[:, shown])[0],
                ls=(0, (2.5, 1.5)), lw=0.9, marker="", label="effective dimension",
            )  # fmt: skip
        axes.set_ylim(bottom=0)

    panels.each(paint)
    return panels.finish("round t", "features m", title)


def accuracy(results: Results, title: str) -> Any:
    """Least and largest ratio over arms of the approximate to the exact variance, against t."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

    panels = Panels(group(need(results, "curves", "largest_ratio", _RECORD)), styles(results))

    def paint(axes: Axes, case: Case) -> None:
        axes.set(xscale="log", yscale="log")
        least, largest = (results.curve(case, f"{end}_ratio") for end in ("least", "largest"))
        shown = panels.thinned(least.t, log=True)
        t = least.t[shown]
        low, high = (spread(curve.values[:, shown])[0] for curve in (least, largest))
        panels.line(axes, case.policy, t, low)
        panels.line(axes, case.policy, t, high, label="_largest")

    panels.each(paint)
    for axes in panels.axes:
        axes.axhline(1.0, color="#555555", lw=0.8, zorder=1)
        low, high = axes.get_ylim()
        low, high = axes.set_ylim(min(low, 1.0 / _LEAST_RANGE), max(high, _LEAST_RANGE))
        narrow, wide = high < 5.0 * low, high > 1000.0 * low
        decades = LogLocator() if wide else LogLocator(subs=(1.0, 2.0, 5.0))
        axes.yaxis.set_major_locator(MaxNLocator(5) if narrow else decades)
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    return panels.finish("round t", r"variance ratio $\tilde\sigma^2/\sigma^2$", title)


def _known(results: Results, case: Case, column: str) -> Curve | None:
    if column not in results.tables["curves"]:
        return None
    curve = results.curve(case, column)
    return curve if np.isfinite(curve.values).any() else None
