"""Lay out the figure of a result, and save it."""

from __future__ import annotations

import math
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from stoic.errors import InvalidInput
from stoic.files import replacing
from stoic.report.figure.importance_panel import draw_importance
from stoic.report.figure.progress_panel import draw_progress
from stoic.report.figure.slice_panels import draw_slices, panels_per_row
from stoic.report.figure.style import GREY, settings
from stoic.report.views import View, view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stoic.report.result import Result

__all__ = ["draw", "write"]

_WIDTH_INCHES = 10.0
_TOP_INCHES = 3.1  # of progress and importance
_SLICE_INCHES = 2.25  # of a row of slices
_MAX_BARS = 10  # parameters whose importance is drawn
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": "stoic"},
    "svg": {"Date": None, "Creator": "stoic"},
    "pdf": {"CreationDate": None, "Creator": "stoic"},
}
_CAPTION = (
    "Progress: the line is the estimate, with its 90% interval, of the configuration that would "
    "have been recommended after so many trials, from those trials alone. Triangles at the border "
    "are values beyond it. Slices: one parameter varies, the others are as in the answer; the "
    "band is ± 1.645 standard deviations of the fitted surrogate, not a range of single "
    "measurements, and dots are measurements, fainter the more they differ in the other parameters."
)
_CAPTION_UNKNOWN = (
    "Progress: the line is the estimate of the configuration that would have been recommended "
    "after so many trials. There are too few different values for an interval, or for slices."
)
_CAPTION_FAILED = "Every evaluation failed: there is nothing to estimate."


def draw(result: Result) -> Figure:
    """The figure of a result."""
    if not result.trials:
        raise InvalidInput("expected a result with at least one trial to plot, got none")
    with settings():
        from matplotlib.figure import Figure

        shown = view(result)
        slices = shown.slices
        rows = math.ceil(len(slices) / panels_per_row(len(slices)))
        figure = Figure(figsize=(_WIDTH_INCHES, 3.7 + _SLICE_INCHES * rows), layout="constrained")
        heights = [_TOP_INCHES, _SLICE_INCHES * rows] if rows else [1.0]
        parts = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)
        top, *below = parts.ravel()
        _draw_top(top, result, shown)
        if below:
            draw_slices(below[0], result, slices)
        text = _CAPTION_UNKNOWN if shown.estimates else _CAPTION_FAILED
        caption = "\n".join(wrap(_CAPTION if slices else text, 200))
        figure.supxlabel(caption, fontsize=7, color=GREY, x=0.01, ha="left", linespacing=1.3)
        figure.draw_without_rendering()  # lay out with these settings, before it is saved
        return figure


def _draw_top(top: Any, result: Result, shown: View) -> None:
    if len(shown.shares) < 2:  # the importance of a single parameter is trivial
        draw_progress(top.subplots(), result, shown.estimates)
        return
    left, right = top.subplots(1, 2, width_ratios=[2.4, 1.0])
    draw_progress(left, result, shown.estimates)
    draw_importance(right, shown.shares[:_MAX_BARS])


def write(figure: Figure, path: str | Path) -> Path:
    """Save a figure in the format of its name; the same figure gives the same bytes."""
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in _METADATA:
        raise InvalidInput(
            f"expected a file name that ends in .png, .svg or .pdf, got {path.name!r}; rename it"
        )
    with settings(), replacing(path) as file:
        figure.savefig(file, format=kind, dpi=180, metadata=_METADATA[kind])
    return path
