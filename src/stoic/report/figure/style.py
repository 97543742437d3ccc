"""Colours, matplotlib settings and small helpers that all panels of the figure share.

Colours are those of Okabe and Ito; shapes differ too. Nothing here uses ``pyplot`` or changes
matplotlib's settings permanently, so that figures may be drawn in threads and servers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from stoic.errors import MissingExtra
from stoic.forks import Lock
from stoic.printable import visible

__all__ = ["AMBER", "BLUE", "GREEN", "GREY", "RED", "Axes", "add_legend", "escaped", "settings",
           "shortened"]  # fmt: skip

Axes = Any  # matplotlib's annotations are stricter than its functions

BLUE, GREEN, RED, AMBER, GREY = "#0072B2", "#009E73", "#D55E00", "#E69F00", "#6B7683"

_LOCK = Lock()  # all threads share matplotlib's settings
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


@contextmanager
def settings() -> Iterator[None]:
    """Use the figure's settings of matplotlib within the block; one thread at a time."""
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError as missing:
        raise MissingExtra.of("matplotlib", "plots of results", "figures") from missing
    with _LOCK, mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)  # type: ignore[arg-type] # of 300 literal names
        yield


def add_legend(ax: Axes, columns: int) -> None:
    """Add a legend above the axes, beside the title, where it hides nothing."""
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.1,
              handletextpad=0.4, columnspacing=1.2, handlelength=1.6)  # fmt: skip


def shortened(text: str, length: int = 24) -> str:
    """At most ``length`` characters of a user's text."""
    return escaped(text if len(text) <= length else text[: length - 1] + "…")


def escaped(text: str) -> str:
    """A user's text, printable, with escaped dollar signs: matplotlib would read formulas."""
    return visible(text).replace("$", r"\$")
