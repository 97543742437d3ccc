"""When the baseline is measured: first, and again whenever the number of trials has doubled."""

from __future__ import annotations

import math

__all__ = ["measurements_due"]


def measurements_due(trials: int, design_size: int) -> int:
    """How many measurements of the baseline there should be after so many trials.

    >>> [measurements_due(n, 8) for n in (0, 1, 15, 16, 31, 32, 64)]
    [1, 1, 1, 2, 2, 3, 4]
    """
    return 1 + max(0, math.floor(math.log2(max(trials, 1) / design_size)))
