"""What a result of Ray Tune says about a trial: a value, or why there is none."""

from __future__ import annotations

import math
from numbers import Real

from stoic.checks import describe

__all__ = ["outcome_of"]


def outcome_of(value: object, error: bool, metric: str) -> tuple[float | None, str | None]:
    """The value of a trial, or the reason why it has none."""
    if error:
        return None, "the trial failed"
    if value is None:
        return None, f"no result named {metric!r}"
    bare = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
    if isinstance(bare, bool) or not isinstance(bare, Real):
        return None, f"{metric} was {describe(value)}"
    y = float(bare)
    return (y, None) if math.isfinite(y) else (None, f"{metric} was {y}")
