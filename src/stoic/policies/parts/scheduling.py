"""From what a user gives as ``schedule`` to an object that a policy can ask for widths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MethodType
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput
from stoic.schedules import Setting

__all__ = ["rehearse", "resolved_schedule"]


def resolved_schedule(
    schedule: Any, names: Collection[str], named: Callable[[str], Any], setting: Setting
) -> tuple[str, Any]:
    """Name and object of a schedule: by name, as it is, or made from the setting.

    ``names`` are those of the policy's schedules, and ``named`` makes one of them.
    """
    if isinstance(schedule, str):
        if schedule not in names:
            listed = ", ".join(repr(name) for name in names)
            raise InvalidInput(
                f"expected schedule to be one of {listed} or a schedule object, "
                f"got {describe(schedule)}"
            )
        return schedule, named(schedule)
    if callable(schedule) and not _has_width(schedule):
        schedule = _made(schedule, setting)  # e.g. functools.partial(Practical, c=3.0)
    if not _has_width(schedule):
        raise InvalidInput(
            "expected schedule as a name, an object with a method width(progress), or a "
            f"callable that makes one from a Setting, got {describe(schedule)}"
        )
    return "custom", schedule


def _has_width(schedule: Any) -> bool:
    return isinstance(getattr(schedule, "width", None), MethodType)


def _made(maker: Callable[..., Any], setting: Setting) -> Any:
    try:
        return maker(setting)
    except TypeError as cause:
        raise InvalidInput(
            f"expected schedule to make one from a Setting, got {describe(maker)}: {cause}"
        ) from cause


def rehearse(schedule: Any, asks: Mapping[str, tuple[Any, ...]], policy: str) -> None:
    """Ask the schedule once for all that will be asked: what is missing shows at once."""
    learns = getattr(schedule, "learns", False)
    for method, example in asks.items():
        if learns and method in ("truncation", "order", "scale"):
            continue  # a schedule that learns the noise clips by what it has learned
        try:
            value = getattr(schedule, method)
            value = value(*example) if callable(value) else value
        except (AttributeError, TypeError) as cause:
            raise InvalidInput(
                f"expected a schedule whose {method} {policy} can use, "
                f"got {describe(schedule)}: {cause}"
            ) from cause
