"""Plain states: nested dictionaries of arrays and scalars, flat on disk, never pickled.

A flat state maps names such as ``"posterior/logdet"`` to NumPy arrays, numbers
and strings, so it goes through JSON and ``numpy.savez`` alike without loss.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from stoic.checks import describe
from stoic.errors import InvalidState
from stoic.files import replacing, write

__all__ = ["State", "flatten", "load", "save", "unflatten"]

State = dict[str, Any]


def flatten(nested: Mapping[str, Any], prefix: str = "") -> State:
    """``{"a": {"b": 1}}`` to ``{"a/b": 1}``.

    >>> flatten({"a": {"b": 1}, "c": 2})
    {'a/b': 1, 'c': 2}
    """
    flat: State = {}
    for key, value in nested.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}/"))
        else:
            flat[prefix + key] = value
    return flat


def unflatten(flat: Mapping[str, Any]) -> State:
    """The inverse of :func:`flatten`; arrays of no dimension become scalars."""
    if not isinstance(flat, Mapping):
        raise InvalidState(f"expected a state as a mapping, got {describe(flat)}")
    nested: State = {}
    for key, value in flat.items():
        if not isinstance(key, str):
            raise InvalidState(f"expected state names to be strings, got {describe(key)}")
        *parents, leaf = key.split("/")
        place = nested
        for parent in parents:
            place = place.setdefault(parent, {})
        place[leaf] = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    return nested


def save(path: str | Path, state: Mapping[str, Any]) -> None:
    """Write a flat state to ``.json`` or ``.npz``, by the file's ending; whole or not at all."""
    path = Path(path)
    if path.suffix == ".json":
        plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in state.items()}
        write(path, json.dumps(plain))
    elif path.suffix == ".npz":
        arrays: dict[str, Any] = {k: np.asarray(v) for k, v in state.items()}
        with replacing(path) as file:
            np.savez_compressed(file, **arrays)
    else:
        raise InvalidState(f"expected a path that ends in .json or .npz, got {str(path)!r}")


def load(path: str | Path) -> State:
    """Read a state that :func:`save` wrote; a damaged file gives a typed error."""
    path = Path(path)
    try:
        if path.suffix == ".json":
            state = json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix == ".npz":
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                state = {k: v.item() if v.ndim == 0 else v for k, v in file.items()}
        else:
            raise InvalidState(f"expected a path that ends in .json or .npz, got {str(path)!r}")
    except (json.JSONDecodeError, UnicodeDecodeError, zipfile.BadZipFile, KeyError) as cause:
        raise InvalidState(f"{path} is not a whole state file: {cause}") from cause
    except ValueError as cause:
        if isinstance(cause, InvalidState):
            raise
        raise InvalidState(f"{path} is not a whole state file: {cause}") from cause
    if not isinstance(state, dict):
        raise InvalidState(f"expected {path} to hold a state, got {describe(state)}")
    return state
