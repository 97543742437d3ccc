"""The checked tree of an expression: terms have values, clauses are true or false."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from stoic.spaces.parameters import Scalar
from stoic.spaces.validity.values import ARITHMETIC, ORDERS, Column, Truth, all_of, any_of

__all__ = [
    "Clause", "Columns", "Comparison", "Computed", "Constant", "Equality", "Flag", "Junction",
    "Name", "Negation", "Term",
]  # fmt: skip

Columns = Callable[[str], Column]
"""The values of a parameter, by its name."""


class Term(ABC):
    """A part of an expression that has a value in each configuration."""

    @abstractmethod
    def column(self, of: Columns) -> Column:
        """Its values."""


class Clause(ABC):
    """A part of an expression that is true or false in each configuration."""

    @abstractmethod
    def truth(self, of: Columns) -> Truth:
        """Where it is true."""


# -- terms -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constant(Term):
    """A number, a text, a bool or None."""

    value: Scalar

    def column(self, of: Columns) -> Column:  # noqa: ARG002 - the same in each configuration
        return Column.of([self.value])


@dataclass(frozen=True)
class Name(Term):
    """A parameter."""

    name: str

    def column(self, of: Columns) -> Column:
        return of(self.name)


@dataclass(frozen=True)
class Computed(Term):
    """A result of arithmetic: of two terms, or of more for ``min`` and ``max``; ``abs`` of one."""

    operation: str
    terms: tuple[Term, ...]

    def column(self, of: Columns) -> Column:
        columns = [term.column(of) for term in self.terms]
        numbers = [column.numbers for column in columns]
        with np.errstate(all="ignore"):
            if self.operation == "abs":
                result = np.abs(numbers[0])
            else:
                result = reduce(ARITHMETIC[self.operation], numbers)
        return Column.computed(result, columns)


# -- clauses -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flag(Clause):
    """A bool as a clause."""

    term: Term

    def truth(self, of: Columns) -> Truth:
        return self.term.column(of).truth()


@dataclass(frozen=True)
class Equality(Clause):
    """Whether a term equals another one, or one of several."""

    left: Term
    options: tuple[Term, ...]

    def truth(self, of: Columns) -> Truth:
        left = self.left.column(of)
        return any_of([left.equals(option.column(of)) for option in self.options])


@dataclass(frozen=True)
class Comparison(Clause):
    """Whether two numbers are in order: ``<``, ``<=``, ``>`` or ``>=``."""

    order: str
    left: Term
    right: Term

    def truth(self, of: Columns) -> Truth:
        return self.left.column(of).ordered(self.right.column(of), ORDERS[self.order])


@dataclass(frozen=True)
class Negation(Clause):
    """Not."""

    clause: Clause

    def truth(self, of: Columns) -> Truth:
        return self.clause.truth(of).negated()


@dataclass(frozen=True)
class Junction(Clause):
    """``and``, or ``or``, of clauses."""

    every: bool
    clauses: tuple[Clause, ...]

    def truth(self, of: Columns) -> Truth:
        parts = [clause.truth(of) for clause in self.clauses]
        return all_of(parts) if self.every else any_of(parts)
