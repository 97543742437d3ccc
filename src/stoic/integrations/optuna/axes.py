"""A distribution of Optuna as a parameter of a `Space`, and values from one to the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from stoic.checks import describe
from stoic.errors import InvalidInput
from stoic.spaces import Categorical, Float, Int, Parameter

__all__ = ["Axis", "Distributions", "axes_of", "axis_of", "covering"]

_OFF_GRID = 1e-6  # of a step, by which a value may be off its grid: rounding, not another value
_REFUSED = 1e-8  # of a step: a value so far off its grid is refused by Optuna
_MAX_SHIFT = 16  # levels; about every second one is refused, where any is

Distributions = Mapping[str, BaseDistribution]


class Axis(NamedTuple):
    """A parameter of a space, with the two ways of its values."""

    parameter: Parameter
    to_optuna: Callable[[Any], Any]
    from_internal: Callable[[float], float | None]
    """From Optuna's internal number of a value; None where the value is outside."""
    distribution: BaseDistribution

    @property
    def varies(self) -> bool:
        """Whether there is more than one value."""
        return self.parameter.size != 1

    def read(self, value: object) -> float | None:
        """The parameter's value for a value of Optuna; None where it is outside."""
        try:
            return self.from_internal(self.distribution.to_internal_repr(value))
        except ValueError:  # another type, or none of the choices
            return None


def axes_of(distributions: Distributions) -> dict[str, Axis]:
    """The axes by name, or `InvalidInput` that names the parameter.

    >>> n, c = IntDistribution(2, 10, step=4), CategoricalDistribution([None, "a"])
    >>> axes = axes_of({"n": n, "c": c})
    >>> axes["n"].parameter, axes["n"].to_optuna(2), axes["n"].read(6), axes["n"].read(7)
    (Int(0, 2), 10, 1, None)
    >>> axes["c"].parameter, axes["c"].to_optuna(1), axes["c"].read(None)
    (Categorical([0, 1]), 'a', 0)
    """
    return {name: axis_of(name, distribution) for name, distribution in distributions.items()}


def axis_of(name: str, distribution: BaseDistribution) -> Axis:
    """The axis of one distribution. One value alone is a constant, the category 0."""
    try:
        if isinstance(distribution, CategoricalDistribution):
            return _of_choices(distribution)
        if isinstance(distribution, FloatDistribution | IntDistribution):
            if distribution.single():
                return _of_choices(distribution, [distribution.low])
            if isinstance(distribution, IntDistribution):
                return _of_integers(distribution)
            return _of_floats(distribution)
    except InvalidInput as error:
        raise InvalidInput(f"in parameter {name!r}, {distribution}: {error}") from error
    raise InvalidInput(
        f"expected a distribution of floats, integers or choices for parameter {name!r}, got "
        f"{describe(distribution)}; use another sampler for it"
    )


def _of_choices(distribution: BaseDistribution, choices: Sequence[Any] | None = None) -> Axis:
    """Choices by their index, so that they may be of any type; equal ones are one."""
    if choices is None:
        assert isinstance(distribution, CategoricalDistribution)
        choices = distribution.choices
    internal = [float(distribution.to_internal_repr(choice)) for choice in choices]
    levels = {number: level for level, number in enumerate(dict.fromkeys(internal))}
    values = [choices[internal.index(number)] for number in levels]
    return Axis(Categorical(range(len(values))), values.__getitem__, levels.get, distribution)


def _of_integers(d: IntDistribution) -> Axis:
    def inside(number: float) -> int | None:
        return int(number) if d.low <= number <= d.high and number % 1 == 0 else None

    if d.step == 1:
        return Axis(Int(d.low, d.high, "log" if d.log else "linear"), int, inside, d)
    return _of_steps(d, (d.high - d.low) // d.step, lambda level: d.low + level * d.step)


def _of_floats(d: FloatDistribution) -> Axis:
    if d.step is not None:
        low, high, step = (Decimal(str(number)) for number in (d.low, d.high, d.step))
        top = int((high - low) // step)

        def accepted(level: int) -> float:
            near = (float(low + k * step) for k in _nearest(level, top))
            return next(filter(passes, near), float(low + level * step))

        def passes(value: float) -> bool:
            steps = (value - d.low) / float(step)
            return value <= d.high and abs(steps - round(steps)) < _REFUSED

        return _of_steps(d, top, accepted)

    def inside(number: float) -> float | None:
        return number if d.low <= number <= d.high else None

    return Axis(Float(d.low, d.high, "log" if d.log else "linear"), float, inside, d)


def _of_steps(d: Any, top: int, to_optuna: Callable[[int], float]) -> Axis:
    """Evenly spaced values by their rank: a `Grid` of them all, however many."""

    def rank(number: float) -> int | None:
        steps = (number - d.low) / d.step
        level = round(steps) if math.isfinite(steps) else -1
        return level if 0 <= level <= top and abs(steps - level) < _OFF_GRID else None

    return Axis(Int(0, top), to_optuna, rank, d)


def _nearest(level: int, top: int) -> Iterator[int]:
    """A level and some beside it, in place of values that Optuna refuses for being rounded.

    It does so on grids of more than 10⁷ values, where another level makes no difference.
    """
    for shift in range(_MAX_SHIFT):
        yield min(level + shift, top)
        yield max(level - shift, 0)


def covering(distributions: Sequence[BaseDistribution]) -> BaseDistribution:
    """The narrowest distribution that contains some of one parameter; Optuna permits other ranges.

    >>> covering([IntDistribution(0, 8, step=4), IntDistribution(2, 10, step=4)])
    IntDistribution(high=10, log=False, low=0, step=2)
    """
    first, *others = distributions
    if all(other == first for other in others):
        return first
    ranges: list[Any] = [d for d in distributions if isinstance(d, type(first))]
    low, high = min(d.low for d in ranges), max(d.high for d in ranges)
    if isinstance(first, IntDistribution):
        step = math.gcd(*(d.step for d in ranges), *(d.low - low for d in ranges))
        return IntDistribution(low, high, log=first.log, step=1 if first.log else step)
    assert isinstance(first, FloatDistribution)
    return FloatDistribution(low, high, log=first.log)
