"""Rates of requests: a bucket of permits for each token, which fills up with time."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from stoic.server.problems import Problem

__all__ = ["Rates"]

_MAX_BUCKETS = 4096  # the one used longest ago is dropped, and would be full again


class Rates:
    """At most ``per_second`` requests of one key in the long run, ``burst`` at once."""

    def __init__(
        self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = per_second, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # permits, since when

    def take(self, key: str) -> None:
        """Take a permit, or raise a `Problem` that says when there is one again."""
        left = self._left(key)
        if left < 1.0:
            self.check(key)
        self._keep(key, left - 1.0)

    def check(self, key: str) -> None:
        """Raise a `Problem` where there is no permit."""
        left = self._left(key)
        if left < 1.0:
            wait = max(1, math.ceil((1.0 - left) / self._rate))
            raise Problem(
                429,
                "too-many-requests",
                f"expected at most {self._rate:g} requests a second, got more; wait {wait} s",
                {"Retry-After": str(wait)},
            )

    def _left(self, key: str) -> float:
        now = self._clock()
        left, since = self._buckets.get(key, (self._burst, now))
        return min(self._burst, left + (now - since) * self._rate)

    def _keep(self, key: str, left: float) -> None:
        self._buckets[key] = (left, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
