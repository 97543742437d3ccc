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
_CAPTION = (
    "Left: each block runs every contender once, in random order; the line is the median, a cross "
    "at the border a failed run. Right: the change of the value against the baseline, with an "
    "interval that holds at all looks together; grey is the margin."
)


def draw(result: DuelResult) -> Figure:
    """The figure of a duel with at least one block."""
    if not result.blocks:
        raise InvalidInput("expected a duel with at least one block to plot, got none")
    with settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10.0, 4.0), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
        _draw_values(left, result)
        _draw_changes(right, result)
        title = "\n".join(wrap(escaped(result.verdict.splitlines()[-1]), 130))
        figure.suptitle(title, fontsize=9.5, x=0.01, ha="left", fontweight="bold")
        figure.supxlabel(_CAPTION, fontsize=7, color=GREY, x=0.01, ha="left")
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
                markeredgewidth=0.0, label=shortened(name, 34))  # fmt: skip
        if found.size:
            ax.axhline(float(np.median(found)), color=colour, linewidth=1.0, alpha=0.9, zorder=1)
        ax.plot(blocks[~good], np.full((~good).sum(), 0.98), "x", color=colour, markersize=5,
                transform=ax.get_xaxis_transform(), clip_on=False)  # fmt: skip
    if known and min(known) > 0.0 and max(known) > 4.0 * min(known):
        ax.set_yscale("log")
    ax.set_xlabel("block")
    ax.set_title(escaped(f"{result.objective}{unit}"))
    ax.grid(axis="y")
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)


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
    relative = all(found.relative for found in result.comparisons.values())
    factor = 100.0 if relative else 1.0
    ends: list[float] = [0.0]
    for i, (name, final) in enumerate(result.comparisons.items(), start=1):
        colour = _COLOURS[i % len(_COLOURS)]
        looks = _looks(len(result.values[name]))
        found = [_at_look(result, name, n) for n in looks]
        bounded = [all(map(math.isfinite, each.interval)) for each in found]
        low, high = (np.array([each.interval[k] for each in found]) * factor for k in (0, 1))
        ax.fill_between(looks, low, high, where=bounded, color=colour, alpha=0.18, linewidth=0.0)
        ax.plot(looks, [each.change * factor for each in found], color=colour, linewidth=1.4,
                label=f"{shortened(name, 26)}: {final.decision}")  # fmt: skip
        shown = len(found) // 2
        ends += [e * factor for each in found[shown:] for e in each.interval if math.isfinite(e)]
        ends += [final.change * factor] if math.isfinite(final.change) else []
    margin = max(found.margin for found in result.comparisons.values()) * factor
    ax.axhspan(-margin, margin, color=GREY, alpha=0.13, linewidth=0.0)
    ax.axhline(0.0, color=GREY, linewidth=0.8)
    pad = 0.12 * (max(*ends, margin) - min(*ends, -margin)) or 1.0
    ax.set_ylim(min(*ends, -margin) - pad, max(*ends, margin) + pad)
    ax.set_xlabel("blocks looked at")
    good = "low" if result.direction == "minimize" else "high"
    ax.set_title(f"change against the baseline{' (%)' if relative else ''}; {good} is good")
    ax.grid(axis="y")
    ax.legend(loc="best")
