"""Search spaces of named parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray, describe, finite_array, integer, listed
from stoic.errors import InvalidInput, InvalidState
from stoic.spaces.box import Box
from stoic.spaces.columns import configurations, read_columns, read_row
from stoic.spaces.conditions import resolve
from stoic.spaces.description import describe_space, parts_of, read_parameters
from stoic.spaces.drawing import Drawing
from stoic.spaces.layout import Layout
from stoic.spaces.parameters import Parameter, Scalar
from stoic.spaces.ranges import Float
from stoic.spaces.validity import Constraint, Constraints

__all__ = ["Space"]

_MAX_PARAMETERS = 21_201  # dimensions of the Sobol sequence
_MAX_POINTS = 2**30  # points of the Sobol sequence
_MIN_ROWS_BY_COLUMN = 8  # from here on, reading by column is faster


class Space:
    """Named parameters, and the map between their values and points of the unit cube.

    Parameters
    ----------
    parameters
        Names and what each may be: ``(low, high)`` for an `Int` (two ints) or else a `Float`,
        ``(low, high, "log")``, a list for a `Categorical`, or a `Float`, `Int`, `Categorical` or
        `Grid`. A parameter with a condition (``when``) comes after its parents.
    valid
        Which configurations are valid: an expression such as ``"block_x * block_y <= 1024"``
        (`stoic.spaces.validity.language`), a function of a configuration that returns a bool, or a
        list of such constraints. An expression holds where a parameter that it compares does not
        exist. Functions can't be stored in a study.

    Every configuration has exactly one encoded point; see the table in `layout.py`. Encoding and
    decoding is exact except for floats, which agree to a few units in the last place (of log v on
    a log scale).

    >>> space = Space({"lr": (1e-5, 1e-1, "log"), "depth": (2, 12), "opt": ["adam", "sgd"],
    ...                "momentum": Float(0.0, 0.99, when={"opt": "sgd"})})
    >>> u = space.encode({"lr": 1e-3, "depth": 7, "opt": "adam"})
    >>> u
    array([0.5, 0.5, 0. , 0.5])
    >>> space.decode(u)
    {'lr': 0.001, 'depth': 7, 'opt': 'adam'}
    >>> space.decode([1.0, 0.93, 0.8, 1.0])
    {'lr': 0.1, 'depth': 11, 'opt': 'sgd', 'momentum': 0.99}
    >>> Space({"a": (1, 4), "b": (1, 4)}, valid="a * b <= 3").cardinality
    5
    """

    def __init__(
        self,
        parameters: Mapping[str, object],
        *,
        valid: Constraint | Sequence[Constraint] | None = None,
    ) -> None:
        self._parameters = read_parameters(parameters)
        if len(self._parameters) > _MAX_PARAMETERS:
            raise InvalidInput(
                f"expected at most {_MAX_PARAMETERS} parameters, got {len(self._parameters)}; "
                "fix some of them"
            )
        self._list = list(self._parameters.values())
        self._needs = resolve(self._parameters)
        self._layout = Layout(self._list, self._needs)
        self.constraints = Constraints(valid, self._parameters)
        if self.dimension == 0:
            raise InvalidInput(
                f"expected a parameter with at least two values, got only constants in {self!r}; "
                "add a parameter with a choice"
            )
        self._drawing = Drawing(self._list, self._needs, self._layout, self.constraints)

    @classmethod
    def of(cls, space: object) -> Space:
        """A space unchanged, a mapping as a space, a `Box` as floats x0, x1, …

        >>> Space.of(Box([0.0, -1.0], [1.0, 1.0]))
        Space({'x0': Float(0.0, 1.0), 'x1': Float(-1.0, 1.0)})
        """
        if isinstance(space, Space):
            return space
        if isinstance(space, Box):
            sides = zip(space.low.tolist(), space.high.tolist(), strict=True)
            return cls({f"x{i}": Float(low, high) for i, (low, high) in enumerate(sides)})
        if isinstance(space, Mapping):
            return cls(space)
        raise InvalidInput(f"expected a Space, a mapping or a Box, got {describe(space)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, in order."""
        return tuple(self._parameters)

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters by name."""
        return MappingProxyType(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    @property
    def valid(self) -> tuple[Constraint, ...]:
        """The constraints, as given."""
        return self.constraints.given

    @property
    def dimension(self) -> int:
        """The number of columns of an encoded point."""
        return self._layout.dimension

    @property
    def groups(self) -> IntArray:
        """(dimension,): the index 0, 1, … of the parameter of each column."""
        return self._layout.groups

    @property
    def continuous(self) -> NDArray[np.bool_]:
        """(dimension,): whether the column is a float's."""
        return self._layout.continuous

    def encode(self, params: Mapping[str, object]) -> Array:
        """The point of a valid configuration, or `InvalidParams`.

        A parameter that does not exist under its condition must be absent or None.
        """
        row: Array = self.read([params])[0][0]
        return row

    def read(self, rows: Sequence[Mapping[str, object]]) -> tuple[Array, list[dict[str, Scalar]]]:
        """(n, dimension) points of many configurations, and the configurations as scalars.

        Floats keep all digits.
        """
        rows = listed(rows, "configurations", "mappings of names to values")
        usual = (
            read_columns(self._parameters, self._needs, rows)
            if len(rows) >= _MIN_ROWS_BY_COLUMN
            else None
        )
        if usual is not None:
            C, values = usual
        else:
            each = [read_row(self._parameters, self._needs, params) for params in rows]
            C = np.array([row for row, _ in each]).reshape(len(rows), len(self))
            values = [scalars for _, scalars in each]
        if self.constraints:
            self.constraints.check(values)
        return self._layout.encode(C), values

    def decode(self, u: object) -> dict[str, object]:
        """The configuration nearest to a point, as Python scalars."""
        C = self._layout.coordinates(self._points(u, 1)[None])
        decoded: dict[str, object] = {}
        decoded.update(next(configurations(self._parameters, C, self._layout.exists(C))))
        return decoded

    def allows(self, U: object) -> NDArray[np.bool_]:
        """Whether the configurations at the rows of an (n, dimension) array are valid."""
        return self._drawing.hold(self._layout.coordinates(self._points(U, 2)))

    def snap(self, U: object) -> Array:
        """The points of configurations, valid or not, nearest to the rows of an array."""
        return self._layout.snap(self._points(U, 2))

    def _points(self, U: object, ndim: int) -> Array:
        points = finite_array(U, "encoded points", ndim=ndim)
        if points.shape[-1] != self.dimension:
            raise InvalidInput(
                f"expected encoded points of {self.dimension} columns, got shape {points.shape}"
            )
        return points

    def sample(self, n: int, seed: int, skip: int = 0, *, tries: int | None = None) -> Array:
        """``n`` quasi-random points of valid configurations that fill the space evenly.

        A scrambled Sobol sequence with one coordinate for each parameter, so that levels and
        categories are evenly used; ``skip`` leaves out its first points. With constraints, its
        invalid points are left out. Where hardly any is valid, a finite space is enumerated; else
        a typed error says what was tried. Where ``tries`` points of the sequence do not suffice,
        there are fewer than ``n``, but at least one.

        >>> space = Space({"opt": ["adam", "sgd", "lion", "lamb"], "x": (0.0, 1.0)})
        >>> space.sample(8, seed=0)[:, :4].sum(axis=0)
        array([2., 2., 2., 2.])
        """
        integer(seed, "seed", at_least=0)
        skip = integer(skip, "skip", at_least=0, at_most=_MAX_POINTS)
        n = integer(n, "n", at_least=0, at_most=_MAX_POINTS - skip)
        return self._layout.encode(self._drawing.sample(n, seed, skip, tries))

    def draw(self, rng: np.random.Generator) -> Array:
        """The point of one random configuration, of all valid ones each with the same chance."""
        point: Array = self._layout.encode(self._drawing.draw(rng)[None])[0]
        return point

    def fill(self, Q: Array) -> Array:
        """The points, valid or not, at quantiles in [0, 1), one column for each parameter."""
        Q = finite_array(Q, "quantiles", ndim=2)
        if Q.shape[1] != len(self):
            raise InvalidInput(f"expected quantiles of {len(self)} columns, got shape {Q.shape}")
        return self._layout.encode(self._drawing.fill(Q))

    def neighbours(self, u: object) -> Array:
        """Points of valid configurations that differ from ``u`` in a parameter, no float.

        All other categories; integers and grids one step and a few longer jumps away. A
        parameter that exists only after the change starts in the middle.
        """
        C = self._layout.coordinates(self._points(u, 1)[None])
        exists = self._layout.exists(C)[0]
        steps = [
            (i, k)
            for i, parameter in enumerate(self._list)
            if exists[i]
            for k in parameter.moves(int(C[0, i]))
        ]
        moved = np.repeat(C, len(steps), axis=0)
        for row, (i, k) in enumerate(steps):
            moved[row, i] = k
        return self._layout.encode(moved[self._drawing.hold(moved)])

    @property
    def cardinality(self) -> int | None:
        """The number of valid configurations; None if there is a float.

        With constraints, a typed error where too many configurations would have to be checked.

        >>> from stoic.spaces import Int
        >>> Space({"opt": ["adam", "sgd"], "steps": Int(1, 5, when={"opt": "sgd"})}).cardinality
        6
        """
        return self._drawing.size

    def enumerate(self, limit: int) -> Array:
        """All valid points, each once, or a typed error if there are more than ``limit``."""
        limit = integer(limit, "limit", at_least=1)
        if self.cardinality is None or self.cardinality > limit:
            number = "a continuum" if self.cardinality is None else self.cardinality
            raise InvalidInput(
                f"expected a space of at most {limit} configurations, got {number}; use sample"
            )
        return self._layout.encode(self._drawing.every())

    def describe(self) -> dict[str, object]:
        """The space as data for JSON, for storage; a function among the constraints is lost."""
        return describe_space(self._parameters, self.constraints.described())

    @classmethod
    def from_description(cls, description: object) -> Space:
        """The space of a description by `describe`, or `InvalidState` if it is damaged.

        >>> space = Space({"depth": (2, 12), "opt": ["adam", "sgd"]})
        >>> Space.from_description(space.describe()) == space
        True
        """
        try:
            parameters, valid = parts_of(description)
            return cls(parameters, valid=valid)
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidState(
                f"expected an undamaged result of Space.describe(), got {describe(description)} "
                f"({type(error).__name__}: {error}); restore it from a copy"
            ) from error

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Space)
            and repr(self._parameters) == repr(other._parameters)
            and self.constraints.key == other.constraints.key
        )

    def __hash__(self) -> int:
        return hash(repr(self._parameters))

    def __repr__(self) -> str:
        valid = f", valid={list(self.valid)!r}" if self.valid else ""
        return f"Space({self._parameters!r}{valid})"
