"""Histories that nobody would expect, and what an optimiser must make of any of them.

All is drawn through one function from (low, high) to an integer in between, which Hypothesis can
shrink and a seeded generator can provide by the ten thousand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stoic.optimize import Optimizer
from stoic.spaces import Categorical, Float, Grid, Int, Parameter, Space

Array = NDArray[np.float64]
Pick = Callable[[int, int], int]

EXTREME = (1.7976931348623157e308, -1.7976931348623157e308, 1e308, -1e308, 1e-300, 5e-324, -0.0)


class NotFinite(AssertionError):
    """An answer with NaN or infinity."""


class OutOfRange(AssertionError):
    """A suggestion outside of the space, or a value outside of its interval."""


@dataclass(frozen=True)
class Story:
    """A space and the reported outcomes; None is a failure."""

    space: Space
    direction: str
    seed: int
    trials: list[tuple[dict[str, Any], float | None]]

    def __repr__(self) -> str:
        told = "".join(f"\n    {params!r}: {value!r}" for params, value in self.trials)
        return f"{self.space!r}, {self.direction!r}, seed {self.seed}{told}"


def seeded(seed: int) -> Pick:
    """Picks by a generator."""
    rng = np.random.default_rng(seed)
    return lambda low, high: int(rng.integers(low, high + 1))


def invent(pick: Pick, most: int = 40) -> Story:
    """A small space and a history of up to ``most`` trials on it."""
    space = _space(pick)
    sizes = (0, 1, 2, 3, 4, 7, 8, 9, 12, 20, most)
    n = min(most, sizes[pick(0, len(sizes) - 1)] + pick(0, 3))
    values = _values(pick)
    fails = (0, 0, 0, 2, 7, 10)[pick(0, 5)]  # of ten
    fresh = space.sample(max(n, 1), pick(0, 99))
    points: list[Array] = []
    trials: list[tuple[dict[str, Any], float | None]] = []
    for i in range(n):
        points.append(_point(pick, space, points, fresh[i]))
        failed = pick(0, 9) < fails
        trials.append((space.decode(points[-1]), None if failed else values(points[-1])))
    return Story(space, ("maximize", "minimize")[pick(0, 1)], pick(0, 3), trials)


def _space(pick: Pick) -> Space:
    parameters: dict[str, Parameter] = {}
    choices: list[str] = []
    for name in "abcd"[: pick(1, 4)]:
        when = None
        if choices and pick(0, 2) == 0:
            when = {choices[pick(0, len(choices) - 1)]: "p"}
        made: Parameter
        match pick(0, 7):
            case 0 | 1 | 2:
                made = Float(-3.0, 7.0, when=when)
            case 3:
                made = Float(1e-6, 1e3, "log", when=when)
            case 4:
                made = Int(0, (1, 5, 2**40)[pick(0, 2)], when=when)
            case 5:
                made = Int(1, 1000, "log", when=when)
            case 6:
                made = Grid([1, 2, 5, 10], when=when)
            case _:
                made = Categorical(["p", "q", "r"][: pick(2, 3)], when=when)
                choices.append(name)
        parameters[name] = made
    return Space(parameters)


def _point(pick: Pick, space: Space, earlier: list[Array], fresh: Array) -> Array:
    """A new point, an old one, one beside an old one, or a corner."""
    kind = pick(0, 9)
    if kind < 5:
        point = fresh
    elif kind == 9 or not earlier:
        point = np.array([float(pick(0, 1)) for _ in range(space.dimension)])
    else:
        point = earlier[pick(0, len(earlier) - 1)]
        if kind == 8:
            point = np.clip(point + 1e-9 * space.continuous, 0.0, 1.0)
    return space.encode(space.decode(space.snap(point[None])[0]))


def _values(pick: Pick) -> Callable[[Array], float]:
    """How a point's measurement comes about."""
    scale, offset = 10.0 ** pick(-300, 300), float(pick(-3, 3))
    constant = float(pick(-2, 2))
    kind = pick(0, 6)

    def value(u: Array) -> float:
        smooth = -float(np.sum((u - 0.3) ** 2))
        noise = pick(-100, 100) / 100.0
        match kind:
            case 0:
                return constant
            case 1:
                return smooth
            case 2:
                return smooth + 0.1 * noise + 1000.0 * offset
            case 3:
                return scale * (smooth + 0.1 * noise + offset)
            case 4:
                return float(pick(-1, 1))
            case 5:
                return smooth + noise * 10.0 ** pick(0, 300)
            case _:
                return smooth if pick(0, 2) else EXTREME[pick(0, len(EXTREME) - 1)]

    return value


def examine(story: Story) -> None:
    """Raise unless an optimiser keeps its promises on this history."""
    optimizer = Optimizer(story.space, direction=story.direction, seed=story.seed)
    for params, value in story.trials:
        if value is None:
            optimizer.fail(params, "failed")
        else:
            optimizer.tell(params, value)
    asked = optimizer.ask()
    for params in (
        asked,
        optimizer.ask(pending=[asked]),
        *optimizer.ask_quickly(20, pending=[asked]),
    ):
        _within(story.space, params)
    if all(value is None for _, value in story.trials):
        return
    answer = optimizer.recommend()
    _within(story.space, answer.params)
    low, high = answer.interval
    _finite("the answer", answer.value, *(answer.interval if answer.bounded else ()))
    told = [value for _, value in story.trials if value is not None]
    if answer.bounded is not (len(told) > 2 and len(set(told)) > 1):
        raise OutOfRange(f"{answer.interval} from {told[:4]}")
    if not low <= answer.value <= high:
        raise OutOfRange(f"{answer.value} not within {answer.interval}")
    for suspect in optimizer.suspects():
        _finite("a suspect", suspect.value, suspect.expected)
        _words(suspect.reason)
    _words(optimizer.luckiest.why)


def _within(space: Space, params: dict[str, Any]) -> None:
    again = space.decode(space.encode(params))  # encode refuses what is outside
    if again.keys() != params.keys():
        raise OutOfRange(f"{params} comes back as {again}")
    for name, value in params.items():
        if isinstance(value, float):
            _finite("a suggestion", value)
        elif value != again[name]:
            raise OutOfRange(f"{params} comes back as {again}")


def _finite(what: str, *values: float) -> None:
    if not all(map(math.isfinite, values)):
        raise NotFinite(f"{what}: {values}")


def _words(text: str) -> None:
    if "nan" in text or "inf" in text:
        raise NotFinite(text)
