"""The constraints of a space: expressions, which can be stored, and functions, which can't."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from stoic.checks import Array, describe
from stoic.errors import InvalidInput, InvalidParams
from stoic.spaces.columns import configurations
from stoic.spaces.parameters import Parameter, Scalar
from stoic.spaces.ranges import Float, Int
from stoic.spaces.validity.language import MAX_WHOLE, Expression, Kinds, kind_of, parse
from stoic.spaces.validity.values import Bools, Column
from stoic.spaces.wording import assignments

__all__ = ["Constraint", "Constraints"]

Function = Callable[[dict[str, Any]], Any]
Constraint = str | Function

_MAX_CONSTRAINTS = 100
_MAX_SHOWN_PARAMETERS = 10
_CHUNK_ROWS = 2**14  # evaluated at a time: bounds the memory


class Constraints:
    """What all valid configurations of a space have in common.

    >>> from stoic.spaces.ranges import Int
    >>> constraints = Constraints("a * b <= 8", {"a": Int(1, 4), "b": Int(1, 4)})
    >>> C = np.array([[1.0, 3.0], [3.0, 3.0]])  # levels, from 0: a, b = 2, 4 and 4, 4
    >>> constraints.hold(C, np.ones((2, 2), dtype=bool))
    array([ True, False])
    """

    def __init__(self, valid: object, parameters: Mapping[str, Parameter]) -> None:
        self._parameters = parameters
        self.given: tuple[Constraint, ...] = tuple(map(_stripped, _each(valid)))
        kinds = _kinds(parameters) if any(isinstance(c, str) for c in self.given) else {}
        self._expressions = [parse(c, kinds) for c in self.given if isinstance(c, str)]
        self.functions: list[Function] = [c for c in self.given if not isinstance(c, str)]
        for name in set().union(*(each.names for each in self._expressions)):
            _check_exact(name, parameters[name])

    def __len__(self) -> int:
        return len(self.given)

    @property
    def key(self) -> frozenset[object]:
        """Equal for constraints that are the same but for spaces and parentheses."""
        return frozenset([*(each.key for each in self._expressions), *self.functions])

    def words(self) -> list[str]:
        """The constraints for people to read."""
        return [c if isinstance(c, str) else f"the function {_named(c)!r}" for c in self.given]

    def described(self) -> list[object]:
        """The constraints as data for JSON; a function is named only."""
        return [c if isinstance(c, str) else {"function": _named(c)} for c in self.given]

    # -- many points at once ------------------------------------------------------------------

    def hold(self, C: Array, exists: Bools) -> Bools:
        """Whether all constraints hold, at coordinates of which some exist: see `layout.py`."""
        starts = range(0, max(len(C), 1), _CHUNK_ROWS)
        chunks = [slice(start, start + _CHUNK_ROWS) for start in starts]
        return np.concatenate([self._hold(C[rows], exists[rows]) for rows in chunks])

    def shares(self, C: Array, exists: Bools) -> dict[str, float]:
        """The share of points at which each constraint holds on its own."""
        columns = self._columns(C, exists)
        found = {e.text: float(_truth(e, columns, len(C)).mean()) for e in self._expressions}
        rows = list(configurations(self._parameters, C, exists)) if self.functions else []
        for function in self.functions:
            held = sum(_called(function, dict(row)) for row in rows)
            found[_named(function)] = held / max(len(rows), 1)
        return found

    def _hold(self, C: Array, exists: Bools) -> Bools:
        columns = self._columns(C, exists)
        good = np.ones(len(C), dtype=bool)
        for expression in self._expressions:
            good &= _truth(expression, columns, len(C))
        if self.functions:
            left = np.flatnonzero(good)
            rows = configurations(self._parameters, C[left], exists[left])
            good[left] = [all(_called(f, dict(row)) for f in self.functions) for row in rows]
        return good

    def _columns(self, C: Array, exists: Bools) -> Callable[[str], Column]:
        numbers = {name: i for i, name in enumerate(self._parameters)}

        @cache
        def column(name: str) -> Column:
            i = numbers[name]
            return _decoded(self._parameters[name], C[:, i], ~exists[:, i])

        return column

    # -- configurations of users --------------------------------------------------------------

    def check(self, rows: Sequence[Mapping[str, Scalar]]) -> None:
        """Raise `InvalidParams` for the first configuration that is invalid."""

        @cache
        def column(name: str) -> Column:
            absent = np.array([name not in row for row in rows], dtype=bool)
            return Column.of([row.get(name, 0.0) for row in rows], absent)

        for expression in self._expressions:
            bad = np.flatnonzero(~_truth(expression, column, len(rows)))
            if bad.size:
                row = rows[int(bad[0])]
                used = {name: row[name] for name in expression.names if name in row}
                raise _refused(repr(expression.text), used)
        for function in self.functions:
            for row in rows:
                if not _called(function, dict(row)):
                    raise _refused(f"the function {_named(function)!r}", row)


def _truth(expression: Expression, columns: Callable[[str], Column], n: int) -> Bools:
    return np.broadcast_to(expression.clause.truth(columns).permits(), (n,))


def _refused(constraint: str, params: Mapping[str, Scalar]) -> InvalidParams:
    shown = assignments(params, most=_MAX_SHOWN_PARAMETERS)
    return InvalidParams(
        f"expected a valid configuration, by {constraint}, got {shown}; choose another"
    )


def _each(valid: object) -> list[object]:
    """The constraints, given as one or as a list."""
    if valid is None:
        return []
    if isinstance(valid, str) or callable(valid):
        return [valid]
    if not isinstance(valid, Iterable) or isinstance(valid, bytes | Mapping):
        raise InvalidInput(
            "expected valid as text such as 'a * b <= 1024', a function, or a list of them, "
            f"got {describe(valid)}"
        )
    found = list(valid)
    if len(found) > _MAX_CONSTRAINTS:
        raise InvalidInput(
            f"expected at most {_MAX_CONSTRAINTS} constraints, got {len(found)}; join some by and"
        )
    return found


def _stripped(constraint: object) -> Constraint:
    if isinstance(constraint, str):
        return " ".join(str.__str__(constraint).splitlines()).replace("\t", " ").strip()
    if callable(constraint) and not isinstance(constraint, type):
        return constraint
    raise InvalidInput(
        "expected each constraint as text such as 'a * b <= 1024' or as a function of a "
        f"configuration, got {describe(constraint)}"
    )


def _kinds(parameters: Mapping[str, Parameter]) -> Kinds:
    found: dict[str, tuple[frozenset[str], tuple[Scalar, ...]]] = {}
    for name, parameter in parameters.items():
        if isinstance(parameter, Float | Int):
            found[name] = (frozenset({"number"}), ())
        else:
            values = _values(parameter)
            found[name] = (frozenset(map(kind_of, values)), values)
    return found


def _values(parameter: Parameter) -> tuple[Scalar, ...]:
    """All values of a parameter that lists them."""
    return tuple(parameter.value(level) for level in range(parameter.size or 0))


def _check_exact(name: str, parameter: Parameter) -> None:
    """Expressions compute with floats."""
    ends = (parameter.low, parameter.high) if isinstance(parameter, Int) else ()
    values = ends if isinstance(parameter, Float | Int) else _values(parameter)
    if any(isinstance(value, int) and abs(value) > MAX_WHOLE for value in values):
        raise InvalidInput(
            f"expected whole numbers of at most 2**53 in a constraint, got larger ones of "
            f"{name!r}; subtract an offset, or use a function"
        )


def _decoded(parameter: Parameter, coordinates: Array, absent: Bools) -> Column:
    """The values of a parameter at coordinates, exactly those that a configuration has."""
    if isinstance(parameter, Int):
        return Column(coordinates * float(parameter.by) + float(parameter.low), absent)
    if isinstance(parameter, Float):
        values = [parameter.value(c) for c in coordinates.tolist()]
        return Column(np.array(values, dtype=np.float64), absent)
    return Column.of(_values(parameter)).taken(coordinates.astype(np.int64), absent)


def _named(function: Function) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _called(function: Function, params: dict[str, Any]) -> bool:
    try:
        held = function(params)
    except Exception as error:
        raise InvalidInput(
            f"expected the constraint {_named(function)!r} to return True or False, got "
            f"{type(error).__name__}: {error}, for {assignments(params, most=10)}; repair it"
        ) from error
    if not isinstance(held, bool | np.bool_):
        raise InvalidInput(
            f"expected the constraint {_named(function)!r} to return True or False, got "
            f"{describe(held)}, for {assignments(params, most=10)}; repair it"
        )
    return bool(held)
