"""The figure of a duel: values block by block, and the interval of the change at every look."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from stoic.comparison import Comparison, compare
from stoic.errors import InvalidInput
from stoic.report.figure.style import (
    AMBER,
    BLUE,
    GREEN,
    GREY,
    RED,
    Axes,
    escaped,
    settings,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stoic.duels.result import DuelResult

__all__ = ["draw"]

_COLOURS = (GREY, BLUE, AMBER, GREEN, RED)
_MARKERS = "osD^v"
_MAX_LOOKS = 60  # at which the interval is drawn
_MIN_RATIO = 1.0  # a relative change from which on ratios are drawn, on a log scale
_CAPTION = (
    "Left: each block runs every contender once, in random order; a line is a median, a cross at "
    "the upper border a failed run. Right: the value compared with the baseline's; the interval, "
    "as wide as the band, holds at all looks together; the grey band is the margin."
)


def draw(result: DuelResult) -> Figure:
    """The figure of a duel with at least one block."""
    if not result.blocks:
        raise InvalidInput("expected a duel with at least one block to plot, got none")
    with settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10.0, 4.2), layout="constrained")
        parts = figure.subfigures(1, 2, squeeze=False, width_ratios=[1.2, 1.0])
        left, right = (part.subplots() for part in parts.ravel())
        _draw_values(left, result)
        _draw_changes(right, result)
        for ax in (left, right):
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.grid(axis="y")
        lines = result.verdict.splitlines()
        title = "\n".join(each for line in lines for each in wrap(escaped(line), 120))
        figure.suptitle(title, fontsize=9.5, x=0.01, ha="left", fontweight="bold")
        caption = "\n".join(wrap(_CAPTION, 170))
        figure.supxlabel(caption, fontsize=7, color=GREY, x=0.01, ha="left", linespacing=1.3)
        figure.draw_without_rendering()
        return figure


def _draw_values(ax: Axes, result: DuelResult) -> None:
    known = [v for values in result.values.values() for v in values if v is not None]
    unit = f" ({result.unit})" if result.unit else ""
    for i, (name, values) in enumerate(result.values.items()):
        colour, marker = _COLOURS[i % len(_COLOURS)], _MARKERS[i % len(_MARKERS)]
        blocks = np.arange(1, len(values) + 1)
        good = np.array([v is not None for v in values], dtype=bool)
        found = np.array([v for v in values if v is not None], dtype=float)
        ax.plot(blocks[good], found, marker, color=colour, markersize=3.2, alpha=0.75,
                markeredgewidth=0.0, label=shortened(name, 40))  # fmt: skip
        if found.size:
            ax.axhline(float(np.median(found)), color=colour, linewidth=1.0, alpha=0.9, zorder=1)
        if not good.all():
            ax.plot(blocks[~good], np.full((~good).sum(), 0.98), "x", color=colour, markersize=5,
                    transform=ax.get_xaxis_transform())  # fmt: skip
    if known and min(known) > 0.0 and max(known) > 4.0 * min(known):
        _use_log_scale(ax)
    ax.set_xlabel("block")
    ax.set_title(escaped(f"{result.objective}{unit}"))
    _add_legend(ax)


def _use_log_scale(ax: Axes) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())


def _add_legend(ax: Axes) -> None:
    ax.legend(loc="best", frameon=True, framealpha=0.85, edgecolor="none")


def _looks(blocks: int) -> list[int]:
    return sorted({round(n) for n in np.linspace(1, blocks, min(blocks, _MAX_LOOKS))})


def _at_look(result: DuelResult, name: str, blocks: int) -> Comparison:
    found = result.comparisons[name]
    return compare(
        result.values[result.baseline][:blocks],
        result.values[name][:blocks],
        direction=result.direction,
        margin=result.margin,
        confidence=found.confidence,
        comparisons=len(result.comparisons),
    )


def _draw_changes(ax: Axes, result: DuelResult) -> None:
    finals = list(result.comparisons.values())
    relative = all(found.relative for found in finals)
    as_ratio = relative and any(_MIN_RATIO <= found.change < math.inf for found in finals)
    factor, offset = (1.0, 1.0) if as_ratio else (100.0 if relative else 1.0, 0.0)
    seen = [offset]
    for i, name in enumerate(result.comparisons, start=1):
        seen += _draw_change(ax, result, i, name, (factor, offset))
    margin = max(found.margin for found in finals) * factor
    ax.axhspan(offset - margin, offset + margin, color=GREY, alpha=0.16, linewidth=0.0)
    ax.axhline(offset, color=GREY, linewidth=0.8)
    low, high = min(*seen, offset - margin), max(*seen, offset + margin)
    if as_ratio and low > 0.0:
        _use_log_scale(ax)
        ax.set_ylim(low / 1.3, high * 1.3)
    else:
        pad = 0.12 * (high - low) or 1.0
        ax.set_ylim(low - pad, high + pad)
    ax.set_xlim(0.5, result.blocks + 0.5)
    ax.set_xlabel("blocks looked at")
    what = "ratio to the baseline" if as_ratio else f"change{' (%)' if relative else ''}"
    ax.set_title(f"{what}; {'low' if result.direction == 'minimize' else 'high'} is good")
    _add_legend(ax)


def _draw_change(
    ax: Axes, result: DuelResult, i: int, name: str, scale: tuple[float, float]
) -> list[float]:
    """One challenger's change at every look; returns what the axis must show."""
    colour, (factor, offset) = _COLOURS[i % len(_COLOURS)], scale
    looks = _looks(len(result.values[name]))
    found = [_at_look(result, name, n) for n in looks]
    bounded = [all(map(math.isfinite, each.interval)) for each in found]
    low, high = (np.array([each.interval[k] for each in found]) * factor + offset for k in (0, 1))
    change = np.array([each.change for each in found]) * factor + offset
    ax.fill_between(looks, low, high, where=bounded, color=colour, alpha=0.18, linewidth=0.0)
    label = f"{shortened(name, 30)}: {result.comparisons[name].decision}"
    ax.plot(looks, change, color=colour, linewidth=1.4, label=label)
    if bounded[-1]:
        ax.plot([looks[-1]] * 2, [low[-1], high[-1]], "_-", color=colour, linewidth=1.2,
                markersize=7)  # fmt: skip
    half = len(found) // 2
    shown = [float(each[k]) for each in (low, high) for k in range(half, len(found)) if bounded[k]]
    return shown + [float(x) for x in change[half:] if math.isfinite(x)]
