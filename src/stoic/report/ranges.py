"""Ranges of values that are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["MAX_DRAWN", "bulk", "drawn", "padded"]

MAX_DRAWN = 1e300  # values: figures square and add them


def bulk(those: Sequence[float]) -> tuple[float, float]:
    """A range that shows most of some values, without those that are far from the others."""
    values = np.array([drawn(y) for y in those])
    q10, q25, q75, q90 = np.quantile(values, [0.1, 0.25, 0.75, 0.9])
    margin = 2.0 * (q75 - q25)
    low, high = float(min(q10, q25 - margin)), float(max(q90, q75 + margin))
    least, most = float(values.min()), float(values.max())
    slack = 0.25 * (high - low)  # values just beyond are shown as well
    return least if least > low - slack else low, most if most < high + slack else high


def drawn(value: float) -> float:
    """The nearest value that is small enough for the arithmetic of figures."""
    return min(max(value, -MAX_DRAWN), MAX_DRAWN)


def padded(low: float, high: float) -> tuple[float, float]:
    """A range with a margin around it, even where its ends are equal."""
    low, high = drawn(low), drawn(high)
    pad = 0.07 * (high - low) if high > low else 0.05 * abs(low) or 1.0
    return float(drawn(low - pad)), float(drawn(high + pad))
