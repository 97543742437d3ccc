"""The baseline of a tuning run: a value for each parameter, as options or a file give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput, InvalidParams
from stoic.numbers import parse
from stoic.printable import visible
from stoic.spaces import Categorical, Grid, Space
from stoic.tune.parameters import Written

__all__ = ["configuration", "of_flags", "of_setting"]

_FORM = "NAME=VALUE,NAME=VALUE, such as threads=8,gc=g1"


def of_flags(flags: Sequence[str]) -> dict[str, str]:
    """The values that ``--baseline`` options give, each parameter once.

    >>> of_flags(["threads=8,gc=g1", "cache_mb=64"])
    {'threads': '8', 'gc': 'g1', 'cache_mb': '64'}
    """
    found: dict[str, str] = {}
    for piece in (piece for flag in flags for piece in flag.split(",")):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not (name and equals and value):
            raise InvalidInput(f"expected a baseline as {_FORM}, got '{visible(piece)}'")
        if name in found:
            raise InvalidInput(f"expected each value of the baseline once, got {name!r} twice")
        found[name] = value
    return found


def of_setting(value: object, name: str) -> dict[str, Any]:
    """The values that a TOML file gives, as a table or as text."""
    if isinstance(value, str):
        return dict(of_flags([value]))
    if isinstance(value, dict) and value:
        return value
    raise InvalidInput(f"expected {name} as a table, or as {_FORM}, got {describe(value)}")


def configuration(
    space: Space, parameters: Sequence[Written], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The baseline as a configuration of the space, or a typed error."""
    written = {each.name: each for each in parameters}
    unknown = sorted(set(given) - set(written))
    if unknown:
        raise InvalidInput(
            f"expected values of {', '.join(written)} in the baseline, got one of "
            f"'{visible(unknown[0])}'; drop it, or add -p {visible(unknown[0])}=…"
        )
    try:
        values = {name: _value(written[name], value) for name, value in given.items()}
        return dict(space.read([values])[1][0])
    except InvalidParams as error:
        raise InvalidInput(f"in the baseline: {error}") from error


def _value(written: Written, value: Any) -> Any:
    """A value as the parameter has it; text may stand for a number or a choice."""
    if not isinstance(value, str):
        return value
    parameter = written.parameter
    if isinstance(parameter, Categorical | Grid):
        choices = parameter.choices if isinstance(parameter, Categorical) else parameter.values
        named = [choice for choice in choices if value in (choice, written.text(choice))]
        if named:
            return named[0]
    number = parse(value)
    return value if number is None else number
