"""Reading and writing a space's parameters: the user's short form and the stored form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stoic.checks import describe
from stoic.errors import InvalidInput
from stoic.spaces.choices import Categorical, Grid
from stoic.spaces.parameters import Parameter
from stoic.spaces.ranges import Float, Int

__all__ = ["describe_space", "parts_of", "read_parameters"]

_KINDS: dict[str, type[Parameter]] = {
    kind.__name__.lower(): kind for kind in (Float, Int, Categorical, Grid)
}


def read_parameters(short: object) -> dict[str, Parameter]:
    """Parameters from a mapping of names to short forms or parameters.

    >>> read_parameters({"depth": (2, 12), "rate": (0, 0.5), "opt": ["adam", "sgd"]})
    {'depth': Int(2, 12), 'rate': Float(0.0, 0.5), 'opt': Categorical(['adam', 'sgd'])}
    """
    if not isinstance(short, Mapping) or not short:
        raise InvalidInput(
            'expected a mapping of names to parameters like {"x": (0.0, 1.0)}, '
            f"got {describe(short)}; name at least one parameter"
        )
    parameters = {}
    for name, form in short.items():
        if not isinstance(name, str) or not name:
            raise InvalidInput(
                f"expected names as non-empty strings, got {describe(name)}; rename it"
            )
        try:
            parameters[str.__str__(name)] = _parameter(form)  # not np.str_
        except InvalidInput as error:
            raise InvalidInput(f"in parameter {name!r}: {error}") from error
    return parameters


def _parameter(form: Any) -> Parameter:
    if isinstance(form, Parameter):
        return form
    if isinstance(form, list):
        return Categorical(form)
    if isinstance(form, tuple) and 2 <= len(form) <= 3:
        whole = all(isinstance(bound, int | np.integer) for bound in form[:2])
        return Int(*form) if whole else Float(*form)
    raise InvalidInput(
        "expected (low, high), (low, high, 'log'), a list of choices, or a Float, Int, "
        f"Categorical or Grid, got {describe(form)}; write choices as a list"
    )


def describe_space(parameters: Mapping[str, Parameter], valid: list[object]) -> dict[str, object]:
    """A space as data for JSON. A list keeps the parameters' order even if a store sorts keys.

    The version is 2 where there are constraints: a reader that does not know them must not ignore
    them.
    """
    entries = [{"name": name, **p.describe()} for name, p in parameters.items()]
    version, constraints = (2, {"valid": valid}) if valid else (1, {})
    return {"format": "stoic.Space", "version": version, "parameters": entries, **constraints}


def parts_of(description: Any) -> tuple[dict[str, Parameter], list[str]]:
    """Parameters and constraints of a description; a Key-, Type- or ValueError if damaged."""
    version = description["version"]
    if description["format"] != "stoic.Space" or version not in (1, 2) or version is True:
        raise InvalidInput("expected format stoic.Space, version 1 or 2")
    parameters: dict[str, Parameter] = {}
    for entry in description["parameters"]:
        fields = dict(entry)
        name, kind = fields.pop("name"), fields.pop("type")
        if name in parameters:
            raise InvalidInput(f"expected each name once, got {name!r} twice")
        parameters[name] = _KINDS[kind](**fields)
    valid = description["valid"] if version == 2 else []
    if not isinstance(valid, list) or not all(isinstance(text, str) for text in valid):
        raise InvalidInput("expected constraints as texts; a function is not stored")
    return parameters, valid
