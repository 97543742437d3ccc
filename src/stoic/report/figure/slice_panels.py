"""Slices through the answer: the estimate along one parameter, and measurements near it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array
from stoic.numbers import shown
from stoic.report.figure.style import BLUE, GREEN, GREY, RED, Axes, escaped, shortened
from stoic.report.views import Slice, limits, suspected
from stoic.spaces.choices import Listed

if TYPE_CHECKING:
    from stoic.report.result import Result

__all__ = ["draw_slices", "panels_per_row"]


def panels_per_row(count: int) -> int:
    """How many slices are in a row."""
    return count if 0 < count <= 4 else 3


def draw_slices(below: Any, result: Result, slices: list[Slice]) -> None:
    """Draw slices in rows, all with the same range of values."""
    across = panels_per_row(len(slices))
    axes = below.subplots(math.ceil(len(slices) / across), across, squeeze=False).ravel()
    ends = limits(result, slices)
    for k, (ax, cut) in enumerate(zip(axes, slices, strict=False)):
        ax.set_ylim(*ends)
        ax.grid(axis="y")
        if k % across == 0:
            ax.set_ylabel(escaped(result.objective))
        else:
            ax.tick_params(labelleft=False)
        _draw_nearby(ax, result, cut)
        (_draw_points if cut.separate else _draw_line)(ax, cut)
        _name_x(ax, cut, across)
        best = cut.values[int(np.flatnonzero(cut.x == cut.best)[0])]
        ax.set_xlabel(f"{shortened(cut.name)}  (best: {shortened(shown(best))})")
    axes[0].set_title("Slices through the best configuration")
    for ax in axes[len(slices) :]:
        ax.set_axis_off()


def _draw_nearby(ax: Axes, result: Result, cut: Slice) -> None:
    """Measurements near the slice; those beyond the border as small triangles."""
    low, high = ax.get_ylim()
    wrong = suspected(result)
    y = np.array([float(result.trials[i].value or 0.0) for i in cut.near])
    suspects = np.array([int(i) in wrong for i in cut.near], dtype=bool)
    x = cut.near_x + (_spread(len(y)) if cut.separate else 0.0)
    size = 9.0 if len(y) < 300 else 4.0
    for chosen, marker, level in (
        ((y >= low) & (y <= high) & ~suspects, "o", y),
        ((y >= low) & (y <= high) & suspects, "x", y),
        (y > high, "^", np.full(len(y), high)),
        (y < low, "v", np.full(len(y), low)),
    ):
        if chosen.any():
            colours = [RED if d else GREY for d in suspects[chosen]]
            look = {"lw": 1.0, "s": size + 6} if marker == "x" else {"lw": 0.0, "s": size}
            ax.scatter(x[chosen], level[chosen], marker=marker, c=colours,
                       alpha=0.75 * cut.nearness[chosen], clip_on=False, **look)  # fmt: skip


def _spread(n: int) -> Array:
    """Small steps sideways, so that measurements of one value do not hide each other."""
    golden = (math.sqrt(5.0) - 1.0) / 2.0
    return np.array([0.36 * (i * golden % 1.0 - 0.5) for i in range(n)])


def _draw_line(ax: Axes, cut: Slice) -> None:
    ax.fill_between(cut.x, cut.low, cut.high, color=BLUE, alpha=0.18, lw=0)
    ax.plot(cut.x, cut.mean, color=BLUE, lw=1.6)
    at = int(np.flatnonzero(cut.x == cut.best)[0])
    ax.axvline(cut.best, color=GREEN, lw=0.9, ls=(0, (4, 2)))
    ax.plot([cut.best], [cut.mean[at]], "o", color=GREEN, ms=5.5, zorder=5, clip_on=False)


def _draw_points(ax: Axes, cut: Slice) -> None:
    errors = np.maximum([cut.mean - cut.low, cut.high - cut.mean], 0.0)
    chosen = cut.x == cut.best
    for which, colour in ((~chosen, BLUE), (chosen, GREEN)):
        ax.errorbar(cut.x[which], cut.mean[which], errors[:, which], fmt="o", color=colour, ms=5.5,
                    elinewidth=1.6, capsize=3, zorder=4)  # fmt: skip


def _name_x(ax: Axes, cut: Slice, across: int) -> None:
    if cut.log:
        _log_axis(ax, cut)
    if cut.separate and not cut.log:
        ax.set_xlim(cut.x.min() - 0.6, cut.x.max() + 0.6)
    if not isinstance(cut.parameter, Listed):
        if cut.separate:
            ax.set_xticks(cut.x, [str(v) for v in cut.values])
            ax.minorticks_off()
        return
    every = math.ceil(len(cut.x) / 12)
    labels = [shortened(str(v), 14) for v in cut.values[::every]]
    crowded = sum(len(label) + 1 for label in labels) > 100 / across
    look: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(cut.x[::every], labels, **(look if crowded else {}))


def _log_axis(ax: Axes, cut: Slice) -> None:
    """A log axis with decimal numbers where they are short."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    low, high = float(cut.x.min()), float(cut.x.max())
    decades = math.log10(high) - math.log10(low)
    subs = (1.0, 2.0, 5.0) if decades < 1.6 else (1.0, 3.0) if decades < 3.1 else (1.0,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=8))
    ax.xaxis.set_minor_formatter(NullFormatter())
    if low >= 1e-3 and high < 1e5:
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:g}")
