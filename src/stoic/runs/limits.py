"""When a run ends, and how much of it confirms the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stoic.checks import choice, describe, integer, number
from stoic.errors import InvalidInput
from stoic.optimize.finals.size import Confirm

__all__ = ["SETTLED", "UNLIMITED", "Limits", "seconds"]

SETTLED = "settled"
UNLIMITED = 2**62  # evaluations of a run that time alone ends
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_TIME = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)\s*([a-z]*)\s*")


@dataclass(frozen=True)
class Limits:
    """What ends a run: the number of evaluations, the time, or that little is left to gain."""

    budget: int = UNLIMITED
    """Evaluations, those of the finals included."""
    seconds: float | None = None
    """Time, that of the finals included."""
    confirm: Confirm = "auto"
    """Evaluations of the finals; 0 for none."""
    stop: str | None = None
    """``"settled"``: end where another measurement would hardly improve the answer."""

    @classmethod
    def of(
        cls,
        budget: object,
        time: object = None,
        confirm: object = "auto",
        stop: object = None,
    ) -> Limits:
        """Limits from a user's arguments, or a typed error."""
        if budget is None and time is None:
            raise InvalidInput(
                "expected a budget of evaluations or a time, got neither; give budget=60 or "
                'time="10m"'
            )
        return cls(
            UNLIMITED if budget is None else integer(budget, "budget", at_least=1),
            None if time is None else seconds(time, "time"),
            _confirm(confirm),
            None if stop is None else choice(stop, "stop", (SETTLED,)),
        )


def seconds(value: object, name: str) -> float:
    """A time in seconds, or as text with units.

    >>> seconds("90s", "time"), seconds("10m", "time"), seconds("1h30m", "time"), seconds(7, "t")
    (90.0, 600.0, 5400.0, 7.0)
    """
    if isinstance(value, str):
        text = value.strip()
        parts = _TIME.findall(text)
        whole = "".join(match.group() for match in _TIME.finditer(text)) == text
        units = [unit for _, unit in parts]
        bare = len(parts) > 1 and "" in units
        if not parts or not whole or bare or not set(units) <= set(_UNITS):
            raise InvalidInput(f"expected {name} such as 30, 90s, 10m or 1h30m, got {value!r}")
        value = sum(float(count) * _UNITS[unit] for count, unit in parts)
    return number(value, name, above=0.0, at_most=1e9)


def _confirm(value: object) -> Confirm:
    if value is True or value == "auto":
        return "auto"
    if value is False or value is None:
        return 0
    if isinstance(value, str):
        raise InvalidInput(
            f'expected confirm as "auto", False or a number of evaluations, got {describe(value)}'
        )
    return integer(value, "confirm", at_least=0)
