"""Values and truths of an expression, for many configurations at once.

A value may be *absent*, where a parameter does not exist in a configuration, or *undefined*, where
it can't be computed (a division by zero, an overflow). Both make a comparison neither true nor
false. Logic with such comparisons is Kleene's: ``false and x`` is false and ``true or x`` is true,
whatever x is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array
from stoic.spaces.parameters import Scalar

__all__ = ["ARITHMETIC", "ORDERS", "Bools", "Column", "Truth", "all_of", "any_of"]

Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]

_NUMBER = object()  # stands for every number in `Column.others`


class Truth(NamedTuple):
    """Whether something holds in each configuration; neither where it is absent or undefined."""

    true: Bools
    false: Bools
    undefined: Bools

    def negated(self) -> Truth:
        """Not."""
        return Truth(self.false, self.true, self.undefined)

    def permits(self) -> Bools:
        """Where a constraint holds: what is absent forbids nothing, what is undefined does."""
        return ~(self.false | self.undefined)


def all_of(parts: Sequence[Truth]) -> Truth:
    """And."""
    true, false, undefined = parts[0]
    for part in parts[1:]:
        true, false = true & part.true, false | part.false
        undefined = (undefined | part.undefined) & ~false
    return Truth(true, false, undefined & ~false)


def any_of(parts: Sequence[Truth]) -> Truth:
    """Or."""
    return all_of([part.negated() for part in parts]).negated()


class Column(NamedTuple):
    """A value in each configuration."""

    numbers: Array  # NaN where the value is no number, or undefined
    absent: Bools
    others: Objects | None = None  # texts, bools and None; None: there are only numbers

    @classmethod
    def of(cls, values: Sequence[Scalar], absent: Bools | None = None) -> Column:
        """The column of scalars; where ``absent``, the scalar has no meaning."""
        plain = [type(v) is int or type(v) is float for v in values]
        pairs = zip(values, plain, strict=True)
        numbers = np.array([v if number else math.nan for v, number in pairs], dtype=np.float64)
        missing = np.zeros(len(values), dtype=bool) if absent is None else absent
        if all(plain):
            return cls(numbers, missing)
        others = np.empty(len(values), dtype=object)
        others[:] = [_NUMBER if number else v for v, number in zip(values, plain, strict=True)]
        return cls(numbers, missing, others)

    @classmethod
    def computed(cls, numbers: Array, operands: Sequence[Column]) -> Column:
        """The column of a result; what is not finite is undefined."""
        absent = operands[0].absent
        for operand in operands[1:]:
            absent = absent | operand.absent
        return cls(np.where(np.isfinite(numbers), numbers, math.nan), absent)

    def taken(self, levels: NDArray[np.int64], absent: Bools) -> Column:
        """The values at these positions."""
        others = None if self.others is None else self.others[levels]
        return Column(self.numbers[levels], absent, others)

    @property
    def _is_other(self) -> Bools:
        """Where the value is a text, a bool or None."""
        if self.others is None:
            return np.zeros(self.numbers.shape, dtype=bool)
        return np.array(self.others != np.array(_NUMBER, dtype=object), dtype=bool)

    def equals(self, other: Column) -> Truth:
        """Whether the values are equal."""
        mine, theirs = self._is_other, other._is_other
        undefined = (np.isnan(self.numbers) & ~mine) | (np.isnan(other.numbers) & ~theirs)
        equal = self.numbers == other.numbers
        if self.others is not None and other.others is not None:
            equal = equal | (np.array(self.others == other.others, dtype=bool) & mine & theirs)
        return self._known(other, equal, undefined)

    def ordered(self, other: Column, relation: Callable[[Array, Array], Bools]) -> Truth:
        """Whether the numbers are in order."""
        undefined = np.isnan(self.numbers) | np.isnan(other.numbers)
        return self._known(other, relation(self.numbers, other.numbers), undefined)

    def truth(self) -> Truth:
        """The values as truths; what is no bool is undefined."""
        if self.others is None:
            nowhere = np.zeros(self.numbers.shape, dtype=bool)
            return Truth(nowhere, nowhere, ~self.absent)
        true, false = (
            np.array([value is which for value in self.others.ravel()]).reshape(self.others.shape)
            for which in (True, False)
        )
        true, false = true & ~self.absent, false & ~self.absent
        return Truth(true, false, ~(true | false | self.absent))

    def _known(self, other: Column, holds: Bools, undefined: Bools) -> Truth:
        absent = self.absent | other.absent
        known = ~(absent | undefined)
        return Truth(holds & known, ~holds & known, undefined & ~absent)


def _power(base: float, exponent: float) -> float:
    """One by one: vectorised powers differ in the last digit from machine to machine."""
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        return math.nan


def _powers(base: Array, exponent: Array) -> Array:
    return np.asarray(np.frompyfunc(_power, 2, 1)(base, exponent), dtype=np.float64)


ARITHMETIC: dict[str, Callable[[Array, Array], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "**": _powers,
    "min": np.minimum,
    "max": np.maximum,
}
ORDERS: dict[str, Callable[[Array, Array], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
