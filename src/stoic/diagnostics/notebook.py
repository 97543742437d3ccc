"""What a notebook shows of a diagnosis: the report, and how the values are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stoic.notebook import block, picture, table, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stoic.diagnostics.report import Diagnosis

__all__ = ["notebook_diagnosis"]

_INCHES = (6.0, 2.4)
_MAX_SCALES = 8.0  # robust standard deviations from the median that are drawn
_SHARES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)  # of the values, in the table


def notebook_diagnosis(found: Diagnosis) -> str:
    """A diagnosis as its report, and a picture of its values, or a table of quantiles."""
    drawn = ""
    if found.sample[0] < found.sample[-1]:
        drawn = picture(lambda: _distribution(found), "share of values up to each value")
    values = np.quantile(found.sample, _SHARES, method="nearest").tolist()
    names = [f"{100 * share:g} %" for share in _SHARES]
    rows = zip(names, (f"{value:.6g}" for value in values), strict=True)
    return block(words(str(found)), drawn or table(["quantile", "value"], rows))


def _distribution(found: Diagnosis) -> Figure:
    """The empirical distribution, in robust standard deviations from the median."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_INCHES, layout="constrained")
    ax = figure.subplots()
    unit = found.scale or 1.0
    with np.errstate(over="ignore"):
        x = np.clip((found.sample / 2.0 - found.median / 2.0) / unit * 2.0, -1e6, 1e6)
    low, high = max(float(x[0]), -_MAX_SCALES), min(float(x[-1]), _MAX_SCALES)
    ax.step(x, (np.arange(len(x)) + 1.0) / len(x), where="post", color="#0072B2", lw=1.4)
    ax.set_xlim(low - 0.3, high + 0.3)
    ax.set_ylim(0.0, 1.02)
    ax.set_ylabel("share of values")
    ax.set_xlabel(
        f"robust standard deviations ({found.scale:.3g}) from the median ({found.median:.6g})"
    )
    return figure
