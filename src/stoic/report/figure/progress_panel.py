"""The progress of a run: measurements, suspects, failures, and the estimate after each trial."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stoic.report.figure.style import AMBER, BLUE, GREEN, GREY, RED, Axes, add_legend, escaped
from stoic.report.replay import Estimate
from stoic.report.views import (
    baseline_value,
    drawn,
    finals_start,
    lucky,
    numbered,
    suspected,
    window,
)

if TYPE_CHECKING:
    from stoic.report.result import Result

__all__ = ["draw_progress"]

_MAX_LABELS = 8  # values written at the border


def draw_progress(ax: Axes, result: Result, estimates: list[Estimate]) -> None:
    """Draw all trials in order, and the estimates over them."""
    n = len(result.trials)
    ax.set_xlim(-max(0.5, 0.015 * n), n - 1 + max(0.5, 0.015 * n))
    ax.set_xlabel("trial" if numbered(result) else "evaluation, in order of arrival")
    ax.set_ylabel(escaped(result.objective))
    ax.set_title("Progress")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(axis="y")
    failed = [i for i, t in enumerate(result.trials) if t.failed]
    if result.best is None:
        ax.set_yticks([])
        ax.text(0.5, 0.5, "no evaluation gave a value", transform=ax.transAxes, ha="center")
    else:
        ax.set_ylim(*window(result, estimates))
        _draw_measurements(ax, result)
        _draw_estimates(ax, estimates)
        _draw_baseline(ax, result)
    if failed:
        label = f"failed ({len(failed)})"
        ax.plot(failed, [0.03] * len(failed), "|", color="black", ms=8, mew=1.2, label=label,
                transform=ax.get_xaxis_transform(), clip_on=False, zorder=6)  # fmt: skip
    add_legend(ax, 5 if result.baseline is None else 4)


def _draw_baseline(ax: Axes, result: Result) -> None:
    """The baseline as a line, and where the finals begin."""
    base, start = baseline_value(result), finals_start(result)
    if base is not None:
        ax.axhline(drawn(base), color=GREEN, lw=1.3, ls=(0, (5, 2)), label="baseline", zorder=3)
    if start is not None:
        ax.axvline(start - 0.5, color=GREY, lw=0.9, ls=":", label="finals begin", zorder=1)


def _draw_estimates(ax: Axes, estimates: list[Estimate]) -> None:
    value, last = [drawn(e.value) for e in estimates], estimates[-1]
    x = [e.position for e in estimates]
    bounded = [e for e in estimates if e.bounded]
    low, high = [drawn(e.low) for e in bounded], [drawn(e.high) for e in bounded]
    x_bounded = [e.position for e in bounded]
    ax.fill_between(x_bounded, low, high, step="post", color=BLUE, alpha=0.18, lw=0)
    label = "best estimate, 90%" if bounded else "best estimate"
    ax.plot(x, value, color=BLUE, lw=1.6, drawstyle="steps-post", label=label)
    if last.bounded:
        ax.plot([last.position] * 2, [low[-1], high[-1]], color=BLUE, lw=1.6)
    ax.plot(last.position, value[-1], "o", color=BLUE, ms=5, clip_on=False, zorder=5)


def _draw_measurements(ax: Axes, result: Result) -> None:
    suspects = suspected(result)
    good = [(i, t.value) for i, t in enumerate(result.trials) if t.value is not None]
    size = float(np.clip(20.0 - 2.5 * math.log10(len(good)) ** 2, 3.0, 16.0))
    crosses = 24 if len(suspects) < 30 else 14
    for points, label, style in (
        ([(i, y) for i, y in good if i not in suspects], "measured",
         {"marker": "o", "c": GREY, "alpha": 0.55, "s": size, "lw": 0}),
        ([(i, y) for i, y in good if i in suspects], f"suspect ({len(suspects)})",
         {"marker": "x", "c": RED, "s": crosses, "lw": 1.3, "zorder": 4}),
    ):  # fmt: skip
        inside = [(i, y) for i, y in points if _within(ax, y)]
        if points:
            ax.scatter([i for i, _ in inside], [y for _, y in inside], label=label, **style)
    _draw_beyond(ax, [(i, y) for i, y in good if not _within(ax, y)], suspects)
    at = lucky(result)
    at = good[0][0] if at is None else at
    low, high = ax.get_ylim()
    edge = 0.015 * (high - low)
    y = np.clip(result.trials[at].value or 0.0, low + edge, high - edge)
    ax.scatter([at], [y], s=95, facecolors="none", edgecolors=AMBER, lw=1.6,
               label="luckiest", zorder=5, clip_on=False)  # fmt: skip


def _draw_beyond(ax: Axes, beyond: list[tuple[int, float]], suspects: frozenset[int]) -> None:
    """Triangles at the border, the farthest with their value where there is space."""
    low, high = ax.get_ylim()
    left, end = ax.get_xlim()
    span, edge = end - left, 0.015 * (high - low)
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}
    labelled: list[tuple[bool, int]] = []
    middle = (low + high) / 2.0
    for x, value in sorted(beyond, key=lambda item: -abs(item[1] / 2.0 - middle / 2.0)):
        up = value > high
        y = high - edge if up else low + edge
        colour = RED if x in suspects else GREY
        ax.plot([x], [y], "^" if up else "v", color=colour, ms=4.5, mew=0, clip_on=False, zorder=4)
        room = all(up is not side or abs(x - at) > 0.075 * span for side, at in labelled)
        if room and len(labelled) < _MAX_LABELS:
            labelled.append((up, x))
            right = x > end - 0.08 * span
            ax.annotate(f"{value:.3g}", (x, y), xytext=(-5 if right else 5, -2 if up else 2),
                        textcoords="offset points", fontsize=6.5, color=colour, bbox=ground,
                        ha="right" if right else "left", va="top" if up else "bottom")  # fmt: skip


def _within(ax: Axes, value: float) -> bool:
    low, high = ax.get_ylim()
    return bool(low <= value <= high)
