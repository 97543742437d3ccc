"""Parameters whose best value is at an end of its range, where a wider range may be better."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stoic.checks import Array
from stoic.numbers import shown
from stoic.printable import visible
from stoic.spaces import Categorical, Space
from stoic.spaces.parameters import Parameter, Scalar

if TYPE_CHECKING:
    from stoic.optimize.model import Model

__all__ = ["Edge", "edges", "in_words"]


@dataclass(frozen=True)
class EdgeRule:
    """When an answer is at an edge; chosen by hand, see tests/optimize/test_edges.py."""

    nearness: float = 0.02  # of the range, on its scale: so near an end counts as there
    inward: float = 0.25  # of the range: the distance of the point that must be worse
    deviations: float = 1.645  # by how many of its standard deviations: one-sided 95%
    min_gain: float = 0.05  # and by how much, in spreads of the values


_RULE = EdgeRule()


@dataclass(frozen=True)
class Edge:
    """A parameter at an end of its range, and the side to widen: ``"low"`` or ``"high"``."""

    name: str
    side: str
    value: Scalar
    low: Scalar
    high: Scalar

    def __str__(self) -> str:
        end, side = (self.low, "lower") if self.side == "low" else (self.high, "upper")
        where = "at" if self.value == end else "near"
        low, high = visible(shown(self.low)), visible(shown(self.high))
        return (
            f"{visible(self.name)} is {where} the {side} end of its range {low} to {high}; "
            "consider a wider one"
        )


def in_words(found: Sequence[Edge], most: int = 2) -> list[str]:
    """Edges as text: the first few, and the names of the others."""
    words = [str(edge) for edge in found[:most]]
    if found[most:]:
        names = ", ".join(visible(edge.name) for edge in found[most:])
        words.append(f"{len(found[most:])} more at an end of their ranges: {names}")
    return words


def edges(model: Model, space: Space, point: Array, params: Mapping[str, Any]) -> tuple[Edge, ...]:
    """The parameters of an answer at an end of their ranges, where they matter.

    A parameter matters where the surrogate, with confidence, expects less a quarter of its range
    farther inside. Categories have no end, nor have two values.

    Parameters
    ----------
    model
        The surrogate, whose high values are good.
    space, point, params
        The answer as a point of the unit cube, and as a configuration.
    """
    return tuple(_edges(model, space, point, params))


def _edges(model: Model, space: Space, point: Array, params: Mapping[str, Any]) -> Iterator[Edge]:
    if model.scaling.is_one_sided or not model.scaling.known:
        return
    varied = [name for name, parameter in space.parameters.items() if parameter.size != 1]
    for group, name in enumerate(varied):
        parameter = space.parameters[name]
        if name not in params or isinstance(parameter, Categorical) or parameter.size == 2:
            continue
        column = int(np.flatnonzero(space.groups == group)[0])
        u = float(point[column])
        if _RULE.nearness < u < 1.0 - _RULE.nearness:
            continue
        inside = _inside(space, point, column, parameter)
        if _is_better(model, point, inside):
            yield _edge(name, parameter, params[name], first=u < 0.5)


def _inside(space: Space, point: Array, column: int, parameter: Parameter) -> Array:
    """The point with one parameter moved inwards, by one level at least."""
    first, moved = point[column] < 0.5, point.copy()
    if parameter.size is not None:
        top = parameter.size - 1
        level = max(round(_RULE.inward * top), 1)
        alone = Space({"p": type(parameter)(**parameter.fields())})  # type: ignore[arg-type]
        moved[column] = alone.encode({"p": parameter.value(level if first else top - level)})[0]
    else:
        moved[column] = _RULE.inward if first else 1.0 - _RULE.inward
    snapped: Array = space.snap(moved[None])[0]
    return snapped


def _is_better(model: Model, point: Array, inside: Array) -> bool:
    """Whether the surrogate is confident that a point is better than the one farther inside."""
    mean, covariance = model.gp.joint(np.vstack([point, inside]))
    gain = float(mean[0] - mean[1])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1])
    needed = _RULE.deviations * math.sqrt(max(variance, 0.0))
    return gain > max(needed, _RULE.min_gain)


def _edge(name: str, parameter: Parameter, value: Any, *, first: bool) -> Edge:
    ends = [parameter.value(0.0), parameter.value(1.0)]
    if parameter.size is not None:
        ends[1] = parameter.value(parameter.size - 1)
    numbers = all(isinstance(end, int | float) for end in ends)
    if numbers and ends[0] > ends[1]:  # type: ignore[operator]
        ends, first = ends[::-1], not first  # a grid in descending order
    return Edge(name, "low" if first else "high", value, ends[0], ends[1])
