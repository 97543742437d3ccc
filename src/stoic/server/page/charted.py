"""The points of the page's chart: plain lists, of which a browser fetches what is new."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from stoic.report import Result
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

__all__ = ["charted", "newer"]


def charted(
    result: Result, estimates: Sequence[Estimate], excluded: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """All measurements by position, which of them are special, and the estimates.

    ``excluded`` stand beside the measurements, at positions between theirs.
    """
    return {
        "numbers": [trial.number for trial in result.trials],
        "values": [None if t.value is None else drawn(t.value) for t in result.trials],
        "suspects": sorted(suspected(result)),
        "lucky": lucky(result),
        "excluded": [
            [each["position"], each["trial"], None if each["y"] is None else drawn(each["y"])]
            for each in excluded
        ],
        "estimates": [_shown(estimate) for estimate in estimates],
        "baseline": _finite(baseline_value(result)),
        "finals": finals_start(result),
        "window": list(window(result, list(estimates))) if result.best and estimates else None,
        "numbered": numbered(result),
    }


def _shown(e: Estimate) -> list[float | None]:
    low, high = (drawn(e.low), drawn(e.high)) if e.bounded else (None, None)
    return [e.position, drawn(e.value), low, high]


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else drawn(value)


def newer(chart: dict[str, Any], after: int) -> dict[str, Any]:
    """The chart with the measurements after the first ``after`` alone."""
    return chart | {
        "from": after,
        "numbers": chart["numbers"][after:],
        "values": chart["values"][after:],
    }
