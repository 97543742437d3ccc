"""Counters and durations in the text form of Prometheus; no study's name is a label."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator

__all__ = ["Metrics"]

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"})
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What the server counted since it started."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._gauges: dict[str, tuple[str, Callable[[], float]]] = {}

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        method = method if method in _METHODS else "other"
        self._requests[method, route, status] += 1
        name = f"{method} {route}"
        buckets = self._buckets.setdefault(name, [0] * (len(_BOUNDS) + 1))
        buckets[bisect_left(_BOUNDS, seconds)] += 1
        self._seconds[name] += seconds  # type: ignore[assignment]

    def count(self, name: str, label: str, by: int = 1) -> None:
        """Count something, such as suggestions by how they were made."""
        self._counts[name, label] += by

    def gauge(self, name: str, words: str, value: Callable[[], float]) -> None:
        """Show a value that changes."""
        self._gauges[name] = (words, value)

    def text(self) -> str:
        """All of it."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield "# HELP stoic_requests_total Requests by method, route and status."
        yield "# TYPE stoic_requests_total counter"
        for (method, route, status), count in sorted(self._requests.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            yield f"stoic_requests_total{{{labels}}} {count}"
        yield "# HELP stoic_request_seconds Time from a request to its reply."
        yield "# TYPE stoic_request_seconds histogram"
        for name, buckets in sorted(self._buckets.items()):
            yield from self._histogram(name, buckets)
        for name in sorted({name for name, _ in self._counts}):
            yield f"# TYPE stoic_{name}_total counter"
            for (other, label), count in sorted(self._counts.items()):
                if other == name:
                    yield f'stoic_{name}_total{{kind="{label}"}} {count}'
        for name, (words, value) in sorted(self._gauges.items()):
            yield f"# HELP stoic_{name} {words}"
            yield f"# TYPE stoic_{name} gauge"
            yield f"stoic_{name} {value():g}"

    def _histogram(self, name: str, buckets: list[int]) -> Iterator[str]:
        method, _, route = name.partition(" ")
        labels = f'method="{method}",route="{route}"'
        below = 0
        for bound, count in zip((*_BOUNDS, "+Inf"), buckets, strict=True):
            below += count
            yield f'stoic_request_seconds_bucket{{{labels},le="{bound}"}} {below}'
        yield f"stoic_request_seconds_sum{{{labels}}} {self._seconds[name]:.6f}"
        yield f"stoic_request_seconds_count{{{labels}}} {below}"
