"""Configurations as text for display: ``threads=8, gc=zgc``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stoic.numbers import shown
from stoic.printable import visible

__all__ = ["assignments"]


def assignments(
    params: Mapping[str, Any],
    between: str = ", ",
    *,
    most: int | None = None,
    text: Callable[[str], str] = visible,
) -> str:
    """A configuration on one line; ``text`` makes each name and value printable.

    Where there are more than ``most`` parameters, an ellipsis stands for the rest.

    >>> assignments({"threads": 8, "rate": 0.0123456789, "gc": "zgc"})
    'threads=8, rate=0.0123457, gc=zgc'
    >>> assignments({"threads": 8, "rate": 0.0123456789, "gc": "zgc"}, " ", most=1)
    'threads=8 …'
    """
    parts = [f"{text(name)}={text(shown(value))}" for name, value in params.items()]
    rest = ["…"] if most is not None and len(parts) > most else []
    return between.join(parts[:most] + rest)
