"""Payoffs drawn from measurements: rows of a table, or samples of each arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from stoic.checks import Array, finite_array, number
from stoic.errors import InvalidInput
from stoic.lab.noise.base import Noise

__all__ = ["Cells", "Rows"]


@dataclass(frozen=True, eq=False)
class Rows(Noise):
    """Payoffs from a table of measurements: each round draws one row, uniformly.

    Arms that were measured together stay correlated. The expected payoff of an arm
    is its column's mean; the ``f`` that methods take is not used, except for its length.

    Parameters
    ----------
    table
        (rows, arms).

    >>> noise = Rows(np.array([[1.0, 2.0], [3.0, 2.0]]))
    >>> noise.payoff(2.0, 0, 1.0)
    3.0
    >>> noise.central_moment(2.0, np.array([2.0, 2.0]))
    array([1., 0.])
    """

    table: Array
    _rows: list[list[float]] = field(init=False, repr=False)  # lists: scalar look-up is fast

    def __post_init__(self) -> None:
        table = finite_array(self.table, "table", ndim=2)
        if 0 in table.shape:
            raise InvalidInput(
                f"expected table with at least one row and one arm, got shape {table.shape}; "
                "give measurements"
            )
        table.setflags(write=False)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "_rows", table.tolist())

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.integers(len(self.table), size=n).astype(np.float64)

    def payoff(self, mean: float, arm: int, draw: float) -> float:  # noqa: ARG002
        return self._rows[int(draw)][arm]

    def raw_moment(self, order: float, f: Array) -> Array:
        return self._moment(order, f, np.zeros(self.table.shape[1]))

    def central_moment(self, order: float, f: Array) -> Array:
        return self._moment(order, f, self.table.mean(axis=0))

    def _moment(self, order: float, f: Array, centre: Array) -> Array:
        order = number(order, "order", at_least=0.0)
        _check_arms(f, self.table.shape[1])
        with np.errstate(over="ignore"):
            return np.asarray((np.abs(self.table - centre) ** order).mean(axis=0))


@dataclass(frozen=True, eq=False)
class Cells(Noise):
    """Payoffs drawn uniformly from each arm's own sample of measurements.

    Samples may differ in length. The expected payoff of an arm is its sample's mean; the ``f``
    that methods take is not used, except for its length. The draw u is uniform on [0, 1) and
    picks measurement ⌊u·length⌋.

    Parameters
    ----------
    samples
        One sequence of numbers for each arm, none empty.

    >>> noise = Cells([[1.0, 3.0], [5.0]])
    >>> noise.payoff(2.0, 0, 0.5), noise.payoff(5.0, 1, 0.5)
    (3.0, 5.0)
    """

    samples: Sequence[ArrayLike]
    _cells: list[list[float]] = field(init=False, repr=False)
    _arrays: list[Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        arrays = [
            finite_array(sample, f"samples[{arm}]", ndim=1)
            for arm, sample in enumerate(self.samples)
        ]
        short = [arm for arm, sample in enumerate(arrays) if not len(sample)]
        if short or not arrays:
            what = f"none for arm {short[0]}" if short else "no arms"
            raise InvalidInput(
                f"expected samples with at least one measurement for each arm, got {what}; "
                "leave such arms out"
            )
        object.__setattr__(self, "_arrays", arrays)
        object.__setattr__(self, "_cells", [sample.tolist() for sample in arrays])

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.random(n)

    def payoff(self, mean: float, arm: int, draw: float) -> float:  # noqa: ARG002
        cell = self._cells[arm]
        return cell[int(draw * len(cell))]

    def raw_moment(self, order: float, f: Array) -> Array:
        return self._moment(order, f, np.zeros(len(self._arrays)))

    def central_moment(self, order: float, f: Array) -> Array:
        return self._moment(order, f, np.array([sample.mean() for sample in self._arrays]))

    def _moment(self, order: float, f: Array, centre: Array) -> Array:
        order = number(order, "order", at_least=0.0)
        _check_arms(f, len(self._arrays))
        with np.errstate(over="ignore"):
            moments = [
                np.mean(np.abs(x - c) ** order)
                for x, c in zip(self._arrays, centre.tolist(), strict=True)
            ]
        return np.array(moments)


def _check_arms(f: Array, arms: int) -> None:
    if np.shape(f) != (arms,):
        raise InvalidInput(
            f"expected f with one expected payoff for each of {arms} arms, got shape {np.shape(f)}"
            "; pass the problem's f"
        )
