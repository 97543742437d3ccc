"""How all figures look: colours, sizes, and small parts that several figures share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

__all__ = [
    "AMBER",
    "BLUE",
    "GREEN",
    "GREY",
    "PURPLE",
    "RED",
    "Axes",
    "bars",
    "panels",
    "ticks",
    "trials",
]

Axes = Any  # matplotlib's annotations are stricter than its functions

# colours of Okabe and Ito, distinguishable with colour blindness; shapes differ too
BLUE, GREEN, RED, AMBER, GREY = "#0072B2", "#009E73", "#D55E00", "#E69F00", "#8A94A0"
PURPLE = "#CC79A7"

WIDTH = 7.2  # inches, the width of a text column in two-column print

_RC = {
    "font.size": 8.5,
    "axes.titlesize": 9.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E8E8E8",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "savefig.facecolor": "white",
}


def panels(
    columns: int, height: float = 2.7, ratios: Sequence[float] | None = None, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with axes beside each other."""
    mpl.use("Agg")
    mpl.rcdefaults()
    mpl.rcParams.update(_RC)  # type: ignore[arg-type] # of 300 literal names
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    grid = {"width_ratios": list(ratios)} if ratios else None
    axes = figure.subplots(1, columns, squeeze=False, gridspec_kw=grid, **shared)
    return figure, list(axes[0])


def trials(ax: Axes, result: Any, *, floor: float | None = None) -> None:
    """All measurements of a run by number; suspects and the luckiest one stand out."""
    told = [(t.number, t.value) for t in result.trials if t.value is not None]
    at, values = np.array([n for n, _ in told]), np.array([v for _, v in told])
    if floor is not None:
        values = np.maximum(values, floor)
    odd = {s.trial for s in result.suspects}
    good = np.array([n not in odd for n in at])
    ax.plot(at[good], values[good], "o", ms=3, color=GREY, label="measurements")
    if not good.all():
        ax.plot(at[~good], values[~good], "x", ms=6, mew=1.6, color=RED, label="suspects")
    failed = [t.number for t in result.trials if t.failed]
    for n in failed:
        ax.axvline(n, color=AMBER, lw=0.8, alpha=0.6, label="failed" if n == failed[0] else None)
    lucky = result.luckiest.trial
    ax.plot([lucky.number], [lucky.value], "v", ms=7, mfc="none", mec=PURPLE, mew=1.6,
            label="luckiest")  # fmt: skip


def bars(ax: Axes, rows: Sequence[tuple[str, Sequence[float], str]], unit: str) -> None:
    """One row of points for each method, their median as a bar: true values over many seeds."""
    names = [name for name, _, _ in rows]
    rng = np.random.default_rng(0)
    for at, (_, values, colour) in enumerate(rows):
        y = at + rng.uniform(-0.16, 0.16, len(values))
        ax.plot(values, y, "o", ms=3, alpha=0.55, color=colour, mew=0)
        ax.plot([np.median(values)] * 2, [at - 0.3, at + 0.3], color=colour, lw=2.2)
    ax.set(yticks=range(len(names)), ylim=(len(names) - 0.5, -0.5), xlabel=unit)
    ax.set_yticklabels(names)
    ax.grid(axis="y", visible=False)


def ticks(axis: Any, values: Sequence[float]) -> None:
    """Ticks at these values of a log axis, written as plain numbers."""
    axis.set_ticks(list(values), labels=[f"{value:g}" for value in values])
    axis.set_ticks([], minor=True)
