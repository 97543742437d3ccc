"""A result as one figure: progress, importance of the parameters, slices through the answer.

Colours are those of Okabe and Ito; shapes differ too. Nothing here uses ``pyplot`` or leaves a
trace in matplotlib's settings, so that figures may be drawn in threads and servers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput, MissingExtra
from stoic.files import replacing
from stoic.forks import Lock
from stoic.numbers import shown
from stoic.report.importance import Importance
from stoic.report.replay import Estimate
from stoic.report.result import Result
from stoic.report.views import (
    Slice,
    View,
    drawn,
    limits,
    lucky,
    numbered,
    suspected,
    view,
    window,
)
from stoic.spaces.choices import Listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "write"]

Axes = Any  # matplotlib's annotations refuse some of what its functions take

_LOCK = Lock()  # matplotlib's settings are one for all threads
_BLUE, _GREEN, _RED, _AMBER, _GREY = "#0072B2", "#009E73", "#D55E00", "#E69F00", "#6B7683"
_RC: dict[str, Any] = {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.labelcolor": "#333333",
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "stoic",
}
_BARS = 10
_LABELS = 8  # values written at the border
_WIDTH = 10.0  # inches
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
    with _setting():
        from matplotlib.figure import Figure

        seen = view(result)
        slices = seen.slices
        rows = math.ceil(len(slices) / _abreast(len(slices)))
        figure = Figure(figsize=(_WIDTH, 3.7 + 2.25 * rows), layout="constrained")
        heights = [3.1, 2.25 * rows] if rows else [1.0]
        parts = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)
        top, *below = parts.ravel()
        _draw_top(top, result, seen)
        if below:
            _draw_slices(below[0], result, slices)
        text = _CAPTION_UNKNOWN if seen.estimates else _CAPTION_FAILED
        caption = "\n".join(wrap(_CAPTION if slices else text, 200))
        figure.supxlabel(caption, fontsize=7, color=_GREY, x=0.01, ha="left", linespacing=1.3)
        figure.draw_without_rendering()  # lay out with these settings, whoever saves it
        return figure


def write(figure: Figure, path: str | Path) -> Path:
    """Save a figure in the format of its name; the same figure gives the same bytes."""
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in _METADATA:
        raise InvalidInput(
            f"expected a file name that ends in .png, .svg or .pdf, got {path.name!r}; rename it"
        )
    with _setting(), replacing(path) as file:
        figure.savefig(file, format=kind, dpi=180, metadata=_METADATA[kind])
    return path


@contextmanager
def _setting() -> Iterator[None]:
    """Our settings for a while; one thread at a time."""
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError as missing:
        raise MissingExtra.of("matplotlib", "plots of results", "figures") from missing
    with _LOCK, mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)  # type: ignore[arg-type] # of 300 literal names
        yield


# -- progress -------------------------------------------------------------------------------------


def _draw_top(top: Any, result: Result, seen: View) -> None:
    if len(seen.shares) < 2:  # one parameter has all the importance there is
        _draw_progress(top.subplots(), result, seen.estimates)
        return
    left, right = top.subplots(1, 2, width_ratios=[2.4, 1.0])
    _draw_progress(left, result, seen.estimates)
    _draw_importance(right, seen.shares[:_BARS])


def _draw_progress(ax: Axes, result: Result, estimates: list[Estimate]) -> None:
    n = len(result.trials)
    ax.set_xlim(-max(0.5, 0.015 * n), n - 1 + max(0.5, 0.015 * n))
    ax.set_xlabel("trial" if numbered(result) else "evaluation, in order of arrival")
    ax.set_ylabel(_plain(result.objective))
    ax.set_title("Progress")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(axis="y")
    failed = [i for i, t in enumerate(result.trials) if t.failed]
    if result.best is None:
        ax.set_yticks([])
        ax.text(0.5, 0.5, "no evaluation gave a value", transform=ax.transAxes, ha="center")
    else:
        value, last = [drawn(e.value) for e in estimates], estimates[-1]
        ax.set_ylim(*window(result, estimates))
        _draw_measurements(ax, result)
        x = [e.position for e in estimates]
        sure = [e for e in estimates if e.bounded]
        low, high = [drawn(e.low) for e in sure], [drawn(e.high) for e in sure]
        x_sure = [e.position for e in sure]
        ax.fill_between(x_sure, low, high, step="post", color=_BLUE, alpha=0.18, lw=0)
        label = "best estimate, 90%" if sure else "best estimate"
        ax.plot(x, value, color=_BLUE, lw=1.6, drawstyle="steps-post", label=label)
        if last.bounded:
            ax.plot([last.position] * 2, [low[-1], high[-1]], color=_BLUE, lw=1.6)
        ax.plot(last.position, value[-1], "o", color=_BLUE, ms=5, clip_on=False, zorder=5)
    if failed:
        label = f"failed ({len(failed)})"
        ax.plot(failed, [0.03] * len(failed), "|", color="black", ms=8, mew=1.2, label=label,
                transform=ax.get_xaxis_transform(), clip_on=False, zorder=6)  # fmt: skip
    _legend(ax, 5)


def _legend(ax: Axes, columns: int) -> None:
    """Above the axes, beside the title, where it hides nothing."""
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.1,
              handletextpad=0.4, columnspacing=1.2, handlelength=1.6)  # fmt: skip


def _draw_measurements(ax: Axes, result: Result) -> None:
    doubted = suspected(result)
    good = [(i, t.value) for i, t in enumerate(result.trials) if t.value is not None]
    size = float(np.clip(20.0 - 2.5 * math.log10(len(good)) ** 2, 3.0, 16.0))
    crosses = 24 if len(doubted) < 30 else 14
    for points, label, style in (
        ([(i, y) for i, y in good if i not in doubted], "measured",
         {"marker": "o", "c": _GREY, "alpha": 0.55, "s": size, "lw": 0}),
        ([(i, y) for i, y in good if i in doubted], f"suspect ({len(doubted)})",
         {"marker": "x", "c": _RED, "s": crosses, "lw": 1.3, "zorder": 4}),
    ):  # fmt: skip
        inside = [(i, y) for i, y in points if _within(ax, y)]
        if points:
            ax.scatter([i for i, _ in inside], [y for _, y in inside], label=label, **style)
    _draw_beyond(ax, [(i, y) for i, y in good if not _within(ax, y)], doubted)
    at = lucky(result)
    at = good[0][0] if at is None else at
    low, high = ax.get_ylim()
    edge = 0.015 * (high - low)
    y = np.clip(result.trials[at].value or 0.0, low + edge, high - edge)
    ax.scatter([at], [y], s=95, facecolors="none", edgecolors=_AMBER, lw=1.6,
               label="luckiest", zorder=5, clip_on=False)  # fmt: skip


def _draw_beyond(ax: Axes, beyond: list[tuple[int, float]], doubted: frozenset[int]) -> None:
    """Triangles at the border, the wildest with their value, as far as there is room."""
    low, high = ax.get_ylim()
    left, end = ax.get_xlim()
    span, edge = end - left, 0.015 * (high - low)
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}
    labelled: list[tuple[bool, int]] = []
    middle = (low + high) / 2.0
    for x, value in sorted(beyond, key=lambda item: -abs(item[1] / 2.0 - middle / 2.0)):
        up = value > high
        y = high - edge if up else low + edge
        colour = _RED if x in doubted else _GREY
        ax.plot([x], [y], "^" if up else "v", color=colour, ms=4.5, mew=0, clip_on=False, zorder=4)
        room = all(up is not side or abs(x - at) > 0.075 * span for side, at in labelled)
        if room and len(labelled) < _LABELS:
            labelled.append((up, x))
            right = x > end - 0.08 * span
            ax.annotate(f"{value:.3g}", (x, y), xytext=(-5 if right else 5, -2 if up else 2),
                        textcoords="offset points", fontsize=6.5, color=colour, bbox=ground,
                        ha="right" if right else "left", va="top" if up else "bottom")  # fmt: skip


def _within(ax: Axes, value: float) -> bool:
    low, high = ax.get_ylim()
    return bool(low <= value <= high)


# -- importance -----------------------------------------------------------------------------------


def _draw_importance(ax: Axes, shares: list[Importance]) -> None:
    ax.set_title("Importance")
    ax.set_xlabel("share of the estimate's variation")
    places = np.arange(len(shares))
    bars = {"height": 0.62, "align": "center"}
    ax.barh(places, [s.total for s in shares], color="#A9CFE5", label="with others", **bars)
    ax.barh(places, [s.main for s in shares], color=_BLUE, label="alone", **bars)
    ax.set_yticks(places, [_short(s.name) for s in shares])
    ax.set_ylim(len(shares) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0.0, max(0.1, 1.05 * max(s.total for s in shares)))
    ax.xaxis.set_major_formatter(lambda v, _: f"{100 * v:.0f}%")
    ax.xaxis.get_major_locator().set_params(nbins=5)
    ax.grid(axis="x")
    if not any(s.total for s in shares):
        ax.text(0.5, 0.5, "no effect found", transform=ax.transAxes, ha="center", color=_GREY)
    else:
        _legend(ax, 2)


# -- slices ---------------------------------------------------------------------------------------


def _abreast(count: int) -> int:
    """How many slices stand in a row."""
    return count if 0 < count <= 4 else 3


def _draw_slices(below: Any, result: Result, slices: list[Slice]) -> None:
    across = _abreast(len(slices))
    axes = below.subplots(math.ceil(len(slices) / across), across, squeeze=False).ravel()
    ends = limits(result, slices)
    for k, (ax, cut) in enumerate(zip(axes, slices, strict=False)):
        ax.set_ylim(*ends)
        ax.grid(axis="y")
        if k % across == 0:
            ax.set_ylabel(_plain(result.objective))
        else:
            ax.tick_params(labelleft=False)
        _draw_nearby(ax, result, cut)
        (_draw_points if cut.separate else _draw_line)(ax, cut)
        _name_x(ax, cut, across)
        best = cut.values[int(np.flatnonzero(cut.x == cut.best)[0])]
        ax.set_xlabel(f"{_short(cut.name)}  (best: {_short(shown(best))})")
    axes[0].set_title("Slices through the best configuration")
    for ax in axes[len(slices) :]:
        ax.set_axis_off()


def _draw_nearby(ax: Axes, result: Result, cut: Slice) -> None:
    """Measurements near the slice; those beyond the border as small triangles."""
    low, high = ax.get_ylim()
    wrong = suspected(result)
    y = np.array([float(result.trials[i].value or 0.0) for i in cut.near])
    doubted = np.array([int(i) in wrong for i in cut.near], dtype=bool)
    x = cut.near_x + (_spread(len(y)) if cut.separate else 0.0)
    size = 9.0 if len(y) < 300 else 4.0
    for chosen, marker, level in (
        ((y >= low) & (y <= high) & ~doubted, "o", y),
        ((y >= low) & (y <= high) & doubted, "x", y),
        (y > high, "^", np.full(len(y), high)),
        (y < low, "v", np.full(len(y), low)),
    ):
        if chosen.any():
            colours = [_RED if d else _GREY for d in doubted[chosen]]
            look = {"lw": 1.0, "s": size + 6} if marker == "x" else {"lw": 0.0, "s": size}
            ax.scatter(x[chosen], level[chosen], marker=marker, c=colours,
                       alpha=0.75 * cut.nearness[chosen], clip_on=False, **look)  # fmt: skip


def _spread(n: int) -> Array:
    """Small steps sideways, so that measurements of one value do not hide each other."""
    golden = (math.sqrt(5.0) - 1.0) / 2.0
    return np.array([0.36 * (i * golden % 1.0 - 0.5) for i in range(n)])


def _draw_line(ax: Axes, cut: Slice) -> None:
    ax.fill_between(cut.x, cut.low, cut.high, color=_BLUE, alpha=0.18, lw=0)
    ax.plot(cut.x, cut.mean, color=_BLUE, lw=1.6)
    at = int(np.flatnonzero(cut.x == cut.best)[0])
    ax.axvline(cut.best, color=_GREEN, lw=0.9, ls=(0, (4, 2)))
    ax.plot([cut.best], [cut.mean[at]], "o", color=_GREEN, ms=5.5, zorder=5, clip_on=False)


def _draw_points(ax: Axes, cut: Slice) -> None:
    errors = np.maximum([cut.mean - cut.low, cut.high - cut.mean], 0.0)
    chosen = cut.x == cut.best
    for which, colour in ((~chosen, _BLUE), (chosen, _GREEN)):
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
    labels = [_short(str(v), 14) for v in cut.values[::every]]
    crowded = sum(len(label) + 1 for label in labels) > 100 / across
    look: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(cut.x[::every], labels, **(look if crowded else {}))


def _log_axis(ax: Axes, cut: Slice) -> None:
    """A log axis with plain numbers where they are short."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    low, high = float(cut.x.min()), float(cut.x.max())
    decades = math.log10(high) - math.log10(low)
    subs = (1.0, 2.0, 5.0) if decades < 1.6 else (1.0, 3.0) if decades < 3.1 else (1.0,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=8))
    ax.xaxis.set_minor_formatter(NullFormatter())
    if low >= 1e-3 and high < 1e5:
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:g}")


def _short(text: str, most: int = 24) -> str:
    return _plain(text if len(text) <= most else text[: most - 1] + "…")


def _plain(text: str) -> str:
    """A user's text as it stands: no dollar begins a formula."""
    return text.replace("$", r"\$")
