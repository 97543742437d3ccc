"""Save and load states: nested dictionaries of arrays and scalars, flat on disk.

A flat state maps names such as ``"posterior/logdet"`` to NumPy arrays, numbers
and strings, so it goes through JSON and ``numpy.savez`` alike without loss.

Nothing is pickled. A file is not trusted: its size is checked before it is unpacked, and every
fault in it is a :class:`stoic.errors.InvalidState`. :mod:`stoic.schema` checks the values.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from stoic.checks import describe
from stoic.errors import InvalidState
from stoic.files import write

__all__ = ["State", "flatten", "load", "save", "unflatten"]

State = dict[str, Any]

_MAX_JSON_BYTES = 64 * 2**20  # of a JSON file; Python needs up to ten times that to read it
_MAX_UNPACKED_BYTES = 2 * 2**20  # of an npz file that is smaller than this / _MAX_RATIO
_MAX_RATIO = 32  # unpacked to packed size of an npz file that is larger
_MAX_MEMBERS = 4096
_MAX_DEPTH = 64  # of names such as a/b/c, and so of kernels made of kernels
_MAX_HEADER_BYTES = 4096  # of one array in an npz file
_MAX_TEXT = 256  # characters of a string


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
        if len(parents) >= _MAX_DEPTH:
            raise InvalidState(
                f"expected state names of at most {_MAX_DEPTH} parts, got {describe(key)}"
            )
        branch = nested
        for parent in parents:
            branch = branch.setdefault(parent, {})
            if not isinstance(branch, dict):
                raise InvalidState(f"expected {parent!r} or {key!r} in a state, got both")
        if leaf in branch:
            raise InvalidState(f"expected one {key!r} in a state, got it twice, or parts of it too")
        if isinstance(value, Mapping):
            raise InvalidState(f"expected a flat state, got a mapping at {describe(key)}")
        branch[leaf] = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    return nested


def save(path: str | Path, state: Mapping[str, Any]) -> None:
    """Write a flat state to ``.json`` or ``.npz``, by the file's ending; whole or not at all."""
    path = _path(path)
    write(path, _packed(path, state))


def _packed(path: Path, state: Mapping[str, Any]) -> bytes:
    if path.suffix == ".json":
        lists = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in state.items()}
        text = json.dumps(lists).encode()
        if len(text) > _MAX_JSON_BYTES:
            raise InvalidState(
                f"expected a state of at most {_MAX_JSON_BYTES >> 20} MiB as JSON, "
                f"got {len(text) >> 20} MiB; save it as .npz"
            )
        return text
    if path.suffix == ".npz":
        arrays: dict[str, Any] = {k: np.asarray(v) for k, v in state.items()}
        packed = io.BytesIO()
        np.savez_compressed(packed, **arrays)
        if sum(a.nbytes for a in arrays.values()) > _max_bytes(packed.tell()):
            packed = io.BytesIO()  # so that `load` accepts its ratio
            np.savez(packed, **arrays)
        return packed.getvalue()
    raise InvalidState(f"expected a path that ends in .json or .npz, got {str(path)!r}")


def load(path: str | Path) -> State:
    """Read a state that :func:`save` wrote; a damaged or hostile file gives a typed error."""
    path = _path(path)
    if path.suffix not in (".json", ".npz"):
        raise InvalidState(f"expected a path that ends in .json or .npz, got {str(path)!r}")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidState(f"expected a regular file, got {path}, a pipe or a device")
    with path.open("rb") as file:  # a missing file is an OSError
        try:
            return _read_json(file) if path.suffix == ".json" else _read_npz(file)
        except InvalidState as error:
            raise InvalidState(f"{path} is not a whole state file: {error}") from error
        except Exception as cause:  # parsers may raise any error, even RecursionError
            raise InvalidState(f"{path} is not a whole state file: {cause!r}") from cause


def _read_json(file: BinaryIO) -> State:
    text = file.read(_MAX_JSON_BYTES + 1)
    if len(text) > _MAX_JSON_BYTES:
        raise InvalidState(f"expected at most {_MAX_JSON_BYTES >> 20} MiB of JSON, got more")
    state = json.loads(text.decode("utf-8"), object_pairs_hook=_without_twins)
    if not isinstance(state, dict):
        raise InvalidState(f"expected a state, got {describe(state)}")
    return state


def _without_twins(pairs: list[tuple[str, Any]]) -> State:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidState("expected each name once in a JSON object, got one twice")
    return found


def _max_bytes(packed: int) -> int:
    """The unpacked bytes that a file of ``packed`` bytes may hold."""
    return max(_MAX_UNPACKED_BYTES, _MAX_RATIO * packed)


def _read_npz(file: BinaryIO) -> State:
    most = _max_bytes(file.seek(0, io.SEEK_END))
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if not 0 < len(members) <= _MAX_MEMBERS:
            raise InvalidState(f"expected 1 to {_MAX_MEMBERS} arrays, got {len(members)}")
        total = sum(member.file_size for member in members)
        if total > most:
            raise InvalidState(f"expected at most {most} bytes unpacked, got {total}")
        state: State = {}
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name == member.filename or name in state:
                raise InvalidState(f"expected arrays by name, each once, got {member.filename!r}")
            with archive.open(member) as stream:
                array = _read_array(stream, member.file_size)
            state[name] = array.item() if array.ndim == 0 else array
        return state


def _read_array(stream: Any, size: int) -> np.ndarray[Any, Any]:
    """One array; its header must agree with the number of its bytes."""
    version = npy.read_magic(stream)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise InvalidState(f"expected an array of NumPy's format 1 or 2, got {version}")
    shape, fortran, dtype = readers[version](stream, max_header_size=_MAX_HEADER_BYTES)
    if dtype.kind not in "biufU" or (dtype.kind == "U" and dtype.itemsize > 4 * _MAX_TEXT):
        raise InvalidState(f"expected numbers or short text, got type {dtype}")
    want = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or want > size:
        raise InvalidState(f"expected at most {size} bytes of an array, got a header for {want}")
    data = stream.read(want + 1)
    if len(data) != want:
        raise InvalidState(f"expected {want} bytes of an array, got {len(data)} or more")
    array = np.frombuffer(data, dtype=dtype)
    return array.reshape(shape, order="F" if fortran else "C")


def _path(path: object) -> Path:
    try:
        found = Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidState(f"expected a path of a state file, got {describe(path)}") from None
    if "\0" in str(found):
        raise InvalidState(f"expected a path without a NUL character, got {describe(path)}")
    return found
