"""Configurations of a system as points of a vector space."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stoic.checks import Array

__all__ = ["encode"]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def encode(configurations: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, ...], Array]:
    """Names and values of coordinates for configurations of numbers and text.

    A setting becomes its numbers, each standardised to mean 0 and std 1 over the configurations,
    and its text without the numbers (``"# #k"``), one-hot. Two configurations with different text
    are then as far apart (√2) as two random configurations are on average in a number. A number
    that a configuration does not have is 0, the mean. Coordinates that never vary are left out.

    >>> names, X = encode([{"size": "4 8k", "log": "on"}, {"size": "2 8k", "log": "off"}])
    >>> names
    ('log is off', 'log is on', 'size 1')
    >>> X
    array([[ 0.,  1.,  1.],
           [ 1.,  0., -1.]])
    """
    columns: dict[str, Array] = {}
    for knob in sorted({knob for configuration in configurations for knob in configuration}):
        texts = [_text(configuration.get(knob)) for configuration in configurations]
        wording = [_NUMBER.sub("#", text) if not _is_number(text) else "#" for text in texts]
        for word in sorted(set(wording)):
            columns[f"{knob} is {word}"] = np.array([float(own == word) for own in wording])
        numbers = [[float(text)] if _is_number(text) else _found(text) for text in texts]
        for j in range(max(map(len, numbers))):
            values = np.array([own[j] if j < len(own) else np.nan for own in numbers])
            columns[f"{knob} {j + 1}"] = _standardised(values)
    varying = {name: column for name, column in columns.items() if np.ptp(column) > 0.0}
    X = np.stack(list(varying.values()), axis=1) if varying else np.zeros((len(configurations), 0))
    return tuple(varying), X


def _text(value: object) -> str:
    return "absent" if value is None else str(value)


def _found(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _standardised(values: Array) -> Array:
    known = values[~np.isnan(values)]
    scale = float(known.std()) or 1.0
    result: Array = np.nan_to_num((values - known.mean()) / scale)
    return result
