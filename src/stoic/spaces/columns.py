"""Reads many configurations at once, one parameter at a time: faster than one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.spaces.conditions import Needs
from stoic.spaces.parameters import Parameter, Scalar

__all__ = ["read_columns"]


def read_columns(
    parameters: Mapping[str, Parameter], needs: Sequence[Needs], rows: Sequence[Any]
) -> tuple[Array, list[dict[str, Scalar]]] | None:
    """(n, P) coordinates of configurations and their values as scalars; None if a value is unusual.

    Unusual values (NumPy numbers, mistakes) must be read one by one; that code reports mistakes.
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
