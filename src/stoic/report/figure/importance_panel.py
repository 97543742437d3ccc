"""The importance of the parameters, as bars."""

from __future__ import annotations

import numpy as np

from stoic.report.figure.style import BLUE, GREY, Axes, add_legend, shortened
from stoic.report.importance import Importance

__all__ = ["draw_importance"]


def draw_importance(ax: Axes, shares: list[Importance]) -> None:
    """Draw main and total shares, the most important parameter on top."""
    ax.set_title("Importance")
    ax.set_xlabel("share of the estimate's variation")
    rows = np.arange(len(shares))
    bars = {"height": 0.62, "align": "center"}
    ax.barh(rows, [s.total for s in shares], color="#A9CFE5", label="with others", **bars)
    ax.barh(rows, [s.main for s in shares], color=BLUE, label="alone", **bars)
    ax.set_yticks(rows, [shortened(s.name) for s in shares])
    ax.set_ylim(len(shares) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0.0, max(0.1, 1.05 * max(s.total for s in shares)))
    ax.xaxis.set_major_formatter(lambda v, _: f"{100 * v:.0f}%")
    ax.xaxis.get_major_locator().set_params(nbins=5)
    ax.grid(axis="x")
    if not any(s.total for s in shares):
        ax.text(0.5, 0.5, "no effect found", transform=ax.transAxes, ha="center", color=GREY)
    else:
        add_legend(ax, 2)
