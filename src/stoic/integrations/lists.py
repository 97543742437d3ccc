"""Lists of choices, which in the hosts may hold any objects, as parameters of a space."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from stoic.spaces import Categorical, Grid
from stoic.spaces.parameters import Parameter

__all__ = ["of_list"]


def of_list(values: Sequence[Any]) -> tuple[Parameter, list[Any] | None]:
    """Increasing numbers as a grid, anything else as categories that are indices of objects.

    >>> of_list([16, 32, 64])
    (Grid([16, 32, 64]), None)
    >>> of_list(["relu", None, [2, 2]])
    (Categorical([0, 1, 2]), ['relu', None, [2, 2]])
    """
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    if numbers and len(values) > 1 and all(low < high for low, high in pairwise(values)):
        return Grid(values), None
    return Categorical(list(range(len(values)))), list(values)
