"""Many parameters of which eight matter, in places that depend on the seed.

The functions of the eight active coordinates have mean 0 and standard deviation 1; the noise is
Gaussian. A score is the normalised regret of ``problems.py``.
"""

# mypy: disable-error-code="no-any-return"
# numpy's reductions are of type Any

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

import stoic
from robust import problems
from robust.world.base import Array, Case, Params, Problem, World

ACTIVE = 8
SIZES = (20, 100)  # parameters in all
NOISE = 0.1  # standard deviation, in standard deviations of f
CENTRE = np.array([0.31, 0.72, 0.55, 0.24, 0.66, 0.43, 0.8, 0.37])
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.5, 1.0, 0.7, 2.0, 1.2])  # of the squares, and of the slopes


def bowl(X: Array) -> Array:
    """Return a shifted quadratic."""
    return -((X - CENTRE) ** 2 * WEIGHTS).sum(1)


def hartmann(X: Array) -> Array:
    """Return Hartmann's function of six coordinates plus a quadratic in two."""
    six: Array = problems.hartmann6(X[:, :6])
    return six - ((X[:, 6:] - CENTRE[6:]) ** 2 * 4.0).sum(1)


def rotated(X: Array) -> Array:
    """Return a rotated ellipsoid of condition 30."""
    turn = np.linalg.qr(np.random.default_rng(17).standard_normal((ACTIVE, ACTIVE)))[0]
    return -(((X - CENTRE) @ turn) ** 2 * np.geomspace(1.0, 30.0, ACTIVE)).sum(1)


def product(X: Array) -> Array:
    """Return a product of wide hills, one for each coordinate."""
    return np.exp(-0.5 * ((X - CENTRE) / 0.5) ** 2 * WEIGHTS).prod(1)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    function.__name__: function for function in (bowl, hartmann, rotated, product)
}


@functools.cache
def inner(name: str) -> problems.Problem:
    """Return a function of the active coordinates on the scale of ``problems.py``."""
    zero, one = np.zeros(ACTIVE), np.ones(ACTIVE)
    at = None if name == "hartmann" else CENTRE
    return problems.Problem(f"knobs-{name}", problems.Spec(ACTIVE, FUNCTIONS[name], zero, one, at))


class Sparse(Problem):
    """A function of eight among many parameters, to be maximised."""

    direction = "maximize"

    def __init__(self, name: str, size: int, seed: int) -> None:
        self._inner = inner(name)
        self.space = stoic.Space({f"x{k}": stoic.Float(0.0, 1.0) for k in range(size)})
        self._rng = np.random.default_rng([seed, size, list(FUNCTIONS).index(name)])
        self._active = self._rng.permutation(size)[:ACTIVE]

    def measure(self, params: Params) -> float | None:
        return self._inner.at(self._point(params)) + NOISE * float(self._rng.standard_normal())

    def scores(self, rows: Sequence[Params]) -> Array:
        return np.array([self._inner.regret(self._point(row)) for row in rows])

    def _point(self, params: Params) -> Array:
        return np.array([float(params[f"x{k}"]) for k in self._active])


class Knobs(World):
    """Eight active of 20 and of 100 parameters."""

    budgets: ClassVar[tuple[int, ...]] = (60, 200)

    def cases(self) -> list[Case]:
        return [Case(f"{f}-{n}", f"{f}-{n}", f"8 of {n}") for n in SIZES for f in FUNCTIONS]

    def open(self, case: Case, seed: int) -> Problem:
        name, _, size = case.name.partition("-")
        return Sparse(name, int(size), seed)
