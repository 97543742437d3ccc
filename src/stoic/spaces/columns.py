"""Read configurations into coordinates, one by one or by column, and write them back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, describe
from stoic.errors import InvalidParams
from stoic.spaces.conditions import Needs
from stoic.spaces.parameters import Parameter, Scalar
from stoic.spaces.ranges import is_continuum

__all__ = ["configurations", "read_columns", "read_row"]


def read_columns(
    parameters: Mapping[str, Parameter], needs: Sequence[Needs], rows: Sequence[Any]
) -> tuple[Array, list[dict[str, Scalar]]] | None:
    """(n, P) coordinates of configurations and their values as scalars; None if a value is unusual.

    One parameter at a time, which is faster than one configuration at a time. Unusual values (NumPy
    numbers, mistakes) must be read by `read_row`, which reports mistakes.
    """
    names = parameters.keys()
    if not all(type(row) is dict and row.keys() <= names for row in rows):
        return None
    C = np.zeros((len(rows), len(parameters)))
    scalars: list[dict[str, Scalar]] = [{} for _ in rows]
    for i, (name, parameter) in enumerate(parameters.items()):
        present, absent = _existing(C, needs[i])
        if not all(name in rows[r] for r in present):
            return None
        if any(rows[r].get(name) is not None for r in absent):
            return None
        read = parameter.usual([rows[r][name] for r in present])
        if read is None:
            return None
        coordinates, values = read
        C[present, i] = coordinates
        for r, value in zip(present, values, strict=True):
            scalars[r][name] = value
    return C, scalars


def _existing(C: Array, needs: Needs) -> tuple[Sequence[int], Sequence[int]]:
    """Rows in which a parameter exists, and the other rows; its parents are in C already."""
    if not needs:
        return range(len(C)), ()
    exists = np.ones(len(C), dtype=bool)
    for ancestor, levels in needs.items():
        exists &= np.isin(C[:, ancestor], list(levels))
    return np.flatnonzero(exists).tolist(), np.flatnonzero(~exists).tolist()


def read_row(
    parameters: Mapping[str, Parameter], needs: Sequence[Needs], params: Mapping[str, Any]
) -> tuple[list[float], dict[str, Scalar]]:
    """The coordinates of a configuration and its values as scalars, or `InvalidParams`."""
    if type(params) is not dict and not isinstance(params, Mapping):
        raise InvalidParams(
            f"expected parameters as a mapping of names to values, got {describe(params)}"
        )
    for name in params:
        if name not in parameters:
            listed = ", ".join(map(repr, list(parameters)[:10])) + ", …" * (len(parameters) > 10)
            raise InvalidParams(
                f"expected names among {listed}, got {describe(name)}; correct or drop it"
            )
    row, scalars = [0.0] * len(parameters), {}
    for i, (name, parameter) in enumerate(parameters.items()):
        if not needs[i] or all(int(row[a]) in levels for a, levels in needs[i].items()):
            if name not in params:
                raise InvalidParams(f"expected a value of {name!r}, got none; add it")
            row[i] = parameter.coordinate(params[name], repr(name))
            exact = is_continuum(parameter)
            scalars[name] = float(params[name]) if exact else parameter.value(row[i])
        elif params.get(name) is not None:
            raise InvalidParams(
                f"expected no value of {name!r}, which exists only when "
                f"{parameter.condition()}, got {describe(params[name])}; leave it out"
            )
    return row, scalars


def configurations(
    parameters: Mapping[str, Parameter], C: Array, exists: NDArray[np.bool_]
) -> Iterator[dict[str, Scalar]]:
    """The configurations of (n, P) coordinates, of which some parameters exist."""
    for coordinates, present in zip(C.tolist(), exists.tolist(), strict=True):
        yield {
            name: parameter.value(c)
            for (name, parameter), c, there in zip(
                parameters.items(), coordinates, present, strict=True
            )
            if there
        }
