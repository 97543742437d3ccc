"""Spaces as clients send them: data alone, no code and no paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoic.errors import InvalidInput, InvalidState
from stoic.server.settings import Limits
from stoic.spaces import Space
from stoic.tune.parameters import of_flag

__all__ = ["space_of"]

_MAX_NAME_CHARACTERS = 200  # of a parameter
_MAX_CONSTRAINTS = 100


def space_of(given: Mapping[str, Any] | list[Any], limits: Limits) -> Space:
    """The space of a request: its description, or a list of parameters.

    A parameter in a list is text, as on the command line, or an object of the description.

    >>> space_of(["threads=1:64", {"name": "gc", "type": "categorical", "choices": ["g1", "zgc"]}],
    ...          Limits())
    Space({'threads': Int(1, 64), 'gc': Categorical(['g1', 'zgc'])})
    """
    described = dict(given) if isinstance(given, Mapping) else _described(given)
    parameters = described.get("parameters")
    if not isinstance(parameters, list) or len(parameters) > limits.parameters:
        raise InvalidInput(
            f"expected a space as a list of 1 to {limits.parameters} parameters, or as its "
            "description, got another"
        )
    if len(described.get("valid") or ()) > _MAX_CONSTRAINTS:
        raise InvalidInput(f"expected at most {_MAX_CONSTRAINTS} constraints, got more")
    try:
        space = Space.from_description(described)
    except InvalidState as error:
        raise InvalidInput(f"expected the description of a space: {error}") from error
    for name in space.names:
        if len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
            raise InvalidInput(
                f"expected printable names of at most {_MAX_NAME_CHARACTERS} characters, got "
                f"{name[:60]!r}"
            )
    return space


def _described(listed: list[Any]) -> dict[str, Any]:
    entries = []
    for each in listed:
        if isinstance(each, str):
            written = of_flag(each)
            entries.append({"name": written.name, **written.parameter.describe()})
        elif isinstance(each, Mapping):
            entries.append(dict(each))
        else:
            raise InvalidInput(
                "expected each parameter as text like 'threads=1:64', or as an object with name "
                "and type"
            )
    return {"format": "stoic.Space", "version": 1, "parameters": entries}
