"""Read an expression such as ``block_x * block_y <= 1024`` into a checked tree.

Python's parser gives the syntax; nothing is executed. What is not listed here is refused:

- numbers, texts, ``True``, ``False``, ``None``, and parameters by name; ``param("batch-size")``
  is the parameter of a name that is no identifier;
- ``+ - * / // % **``, ``min(…)``, ``max(…)``, ``abs(…)`` of numbers;
- ``< <= > >=`` of numbers, ``== !=`` of anything, also chained, and ``in (…)``, ``not in (…)``;
- ``and``, ``or``, ``not`` of comparisons and bools; parentheses.

Numbers are 64-bit floats, in which whole numbers are exact up to 2⁵³.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from stoic.spaces.parameters import Scalar
from stoic.spaces.validity.nodes import (
    Clause,
    Comparison,
    Computed,
    Constant,
    Equality,
    Flag,
    Junction,
    Name,
    Negation,
    Term,
)
from stoic.spaces.validity.syntax import Source

__all__ = ["MAX_WHOLE", "Expression", "Kinds", "kind_of", "parse"]

_MAX_DEPTH = 50  # of the tree of an expression
MAX_WHOLE = 2**53  # the largest whole number; above, floats are not exact

Kinds = Mapping[str, tuple[frozenset[str], tuple[Scalar, ...]]]
"""For each parameter: the kinds of its values, and its values if they are listed."""

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**",
}  # fmt: skip
_ORDERS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_WORDS = {"number": "a number", "text": "a text", "truth": "a bool", "none": "None"}
_ADVICE: dict[type[ast.AST], str] = {
    ast.BitAnd: "write and", ast.BitOr: "write or", ast.Invert: "write not", ast.Is: "write ==",
    ast.IsNot: "write !=",
}  # fmt: skip


@dataclass(frozen=True)
class Expression:
    """A constraint that was read."""

    text: str
    clause: Clause
    names: tuple[str, ...]  # of the parameters that it depends on, sorted
    key: str  # equal for equal syntax


def parse(text: str, kinds: Kinds) -> Expression:
    """Read an expression, or raise `InvalidExpression`.

    >>> number = (frozenset({"number"}), ())
    >>> parse("x + 1 <= 10", {"x": number, "y": number}).clause.left
    Computed(operation='+', terms=(Name(name='x'), Constant(value=1)))
    """
    source = Source(text)
    tree = source.tree()
    reader = _Reader(source, kinds)
    clause = reader.clause(tree, 0)
    if not reader.used:
        raise source.error(tree, "at least one parameter", "none", _listed(kinds))
    return Expression(text, clause, tuple(sorted(reader.used)), ast.dump(tree))


def kind_of(value: Scalar) -> str:
    """The kind of a value: ``"number"``, ``"text"``, ``"truth"`` or ``"none"``."""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, str):
        return "text"
    return "none" if value is None else "number"


def _listed(names: Iterable[str]) -> str:
    some = [name if name.isidentifier() else f"param({name!r})" for name in names]
    return f"the parameters are {', '.join(some[:10])}{', …' * (len(some) > 10)}"


def _words(kinds: frozenset[str]) -> str:
    return " or ".join(_WORDS[kind] for kind in sorted(kinds))


class _Reader:
    """Reads one expression."""

    def __init__(self, source: Source, kinds: Kinds) -> None:
        self._source, self._kinds, self.used = source, kinds, set[str]()

    # -- clauses ------------------------------------------------------------------------------

    def clause(self, node: ast.expr, depth: int) -> Clause:
        """What is true or false."""
        self._check_depth(node, depth)
        if isinstance(node, ast.BoolOp):
            parts = tuple(self.clause(value, depth + 1) for value in node.values)
            return Junction(isinstance(node.op, ast.And), parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Negation(self.clause(node.operand, depth + 1))
        if isinstance(node, ast.Compare):
            return self._comparisons(node, depth)
        term = self.term(node, depth)
        if "truth" not in self._kinds_of(term):
            raise self._source.error(
                node, "a comparison", repr(self._source.of(node)), "write … != 0 or the like"
            )
        return Flag(term)

    def _check_depth(self, node: ast.expr, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise self._source.error(
                node, f"at most {_MAX_DEPTH} levels", "more", "write several expressions"
            )

    def _comparisons(self, node: ast.Compare, depth: int) -> Clause:
        found: list[Clause] = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                found.append(self._membership(left, operator, right, depth + 1))
            else:
                found.append(self._comparison(left, operator, right, depth + 1))
            left = right
        return found[0] if len(found) == 1 else Junction(True, tuple(found))

    def _comparison(self, a: ast.expr, by: ast.cmpop, b: ast.expr, depth: int) -> Clause:
        if isinstance(by, ast.Eq | ast.NotEq):
            equality = self._equality(a, [b], depth)
            return equality if isinstance(by, ast.Eq) else Negation(equality)
        if type(by) not in _ORDERS:
            raise self._source.error(
                a, "== != < <= > >= or in", type(by).__name__, _ADVICE.get(type(by), "")
            )
        return Comparison(_ORDERS[type(by)], self.number(a, depth), self.number(b, depth))

    def _equality(self, a: ast.expr, others: list[ast.expr], depth: int) -> Equality:
        left, options = self.term(a, depth), []
        for b in others:
            right = self.term(b, depth)
            mine, theirs = self._kinds_of(left), self._kinds_of(right)
            if not mine & theirs:
                raise self._source.error(b, _words(mine), _words(theirs))
            self._check_listed(b, left, right)
            self._check_listed(a, right, left)
            options.append(right)
        return Equality(left, tuple(options))

    def _check_listed(self, node: ast.expr, name: Term, constant: Term) -> None:
        """Refuse a text that the parameter never has: it is misspelled."""
        if not isinstance(name, Name) or not isinstance(constant, Constant):
            return
        values = self._kinds[name.name][1]
        if isinstance(constant.value, str) and values and constant.value not in values:
            some = ", ".join(map(repr, values[:10])) + ", …" * (len(values) > 10)
            raise self._source.error(
                node, f"a value of {name.name!r}, one of {some}", repr(constant.value)
            )

    def _membership(self, a: ast.expr, by: ast.cmpop, b: ast.expr, depth: int) -> Clause:
        if not isinstance(b, ast.Tuple | ast.List | ast.Set):
            raise self._source.error(
                b, "a list in parentheses after in", repr(self._source.of(b)), "write (1, 2)"
            )
        if not b.elts:
            raise self._source.error(b, "at least one value after in", "none")
        found = self._equality(a, b.elts, depth)
        return Negation(found) if isinstance(by, ast.NotIn) else found

    # -- terms --------------------------------------------------------------------------------

    def _kinds_of(self, term: Term) -> frozenset[str]:
        if isinstance(term, Constant):
            return frozenset({kind_of(term.value)})
        return self._kinds[term.name][0] if isinstance(term, Name) else frozenset({"number"})

    def number(self, node: ast.expr, depth: int) -> Term:
        """A term that may be a number."""
        term = self.term(node, depth)
        if "number" not in self._kinds_of(term):
            raise self._source.error(
                node, "a number", _words(self._kinds_of(term)),
                "compare other values by ==, != or in",
            )  # fmt: skip
        return term

    def term(self, node: ast.expr, depth: int) -> Term:
        """What has a value."""
        self._check_depth(node, depth)
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node, self._source.of(node))
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            terms = (self.number(node.left, depth + 1), self.number(node.right, depth + 1))
            return self._computed(node, _ARITHMETIC[type(node.op)], terms)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            operand = self.number(node.operand, depth + 1)
            sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
            return self._computed(node, "*", (Constant(sign), operand))
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        part: ast.AST = getattr(node, "op", node)
        what = type(part)
        raise self._source.error(
            node, "a number, a text, a parameter or arithmetic", what.__name__,
            _ADVICE.get(what, "see the documentation of valid"),
        )  # fmt: skip

    def _constant(self, node: ast.Constant) -> Term:
        value: Any = node.value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_WHOLE:
            raise self._source.error(node, "a whole number of at most 2**53", "a larger one")
        if isinstance(value, float) and not math.isfinite(value):
            raise self._source.error(node, "a number below 1.8e308", "a larger one")
        if value is not None and not isinstance(value, str | int | float):
            raise self._source.error(node, "a number or a text", type(value).__name__)
        return Constant(value)

    def _name(self, node: ast.expr, name: str) -> Term:
        if name not in self._kinds:
            raise self._source.error(
                node, "the name of a parameter", repr(name), _listed(self._kinds)
            )
        self.used.add(name)
        return Name(name)

    def _call(self, node: ast.Call, depth: int) -> Term:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in ("min", "max", "abs", "param") or node.keywords or not node.args:
            raise self._source.error(
                node, "min(…), max(…), abs(…) or param(…)", repr(self._source.of(node)[:40])
            )
        if name in ("abs", "param") and len(node.args) > 1:
            raise self._source.error(node.args[1], f"one argument of {name}", f"{len(node.args)}")
        if name == "param":
            first = node.args[0]
            if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
                raise self._source.error(first, "a name in quotes", repr(self._source.of(first)))
            return self._name(first, first.value)
        terms = tuple(self.number(argument, depth + 1) for argument in node.args)
        return self._computed(node, name, terms)

    def _computed(self, node: ast.expr, operation: str, terms: tuple[Term, ...]) -> Term:
        """The result of arithmetic; a constant where all terms are constants."""
        computed = Computed(operation, terms)
        if not all(isinstance(term, Constant) for term in terms):
            return computed
        value = float(computed.column(_nothing).numbers[0])
        if not math.isfinite(value):
            raise self._source.error(
                node, "a result that is a number below 1.8e308", repr(self._source.of(node))
            )
        return Constant(value)


def _nothing(name: str) -> NoReturn:
    raise KeyError(name)  # constants ask for no parameter
