"""Where a run has measured and how often: its configurations on one axis for each parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoic.optimize.answers import Trial, middle
from stoic.report.views import suspected
from stoic.spaces.choices import Listed
from stoic.spaces.parameters import Parameter, Scalar

if TYPE_CHECKING:
    from stoic.report.result import Result

__all__ = ["Axis", "Coverage", "Line", "coverage"]


@dataclass(frozen=True)
class CoverageLimits:
    """How much is shown."""

    axes: int = 10
    choices: int = 14  # of a parameter, that have a label each
    replicated: int = 60  # configurations that were measured twice or more
    best: int = 40
    others: int = 140  # spread evenly over the rest
    shades: int = 5  # classes of equal size, from the best values to the worst


_LIMITS = CoverageLimits()


@dataclass(frozen=True)
class Axis:
    """A parameter, with labels at positions from 0 to 1."""

    name: str
    labels: tuple[tuple[float, Scalar], ...]


@dataclass(frozen=True)
class Line:
    """A configuration and its measurements."""

    trial: Trial  # the first of them
    at: tuple[float | None, ...]  # its position on each axis; None where it has no such parameter
    times: int
    suspects: int  # of the measurements
    value: float  # the median of those that are no suspects, or of all
    shade: int  # 0 for the best values


@dataclass(frozen=True)
class Coverage:
    """Configurations to draw, the worst first, so that the best are drawn over them."""

    axes: tuple[Axis, ...]
    lines: tuple[Line, ...]
    configurations: int  # different ones that have a value
    replicated: int  # of which were measured twice or more
    parameters: int  # that vary; more than there are axes where some are left out


def coverage(result: Result, first: Sequence[str] = ()) -> Coverage:
    """The configurations of a result; the axes of the parameters named ``first`` come first.

    Of many configurations it holds those measured most often, the best, and some of the others,
    spread evenly over the run.
    """
    parameters = result.space.parameters
    varied = [name for name, parameter in parameters.items() if parameter.size != 1]
    named = [name for name in first if name in varied]
    names = [*named, *(name for name in varied if name not in named)][: _LIMITS.axes]
    groups = _groups(result)
    values = np.array([value for *_, value in groups])
    order = np.argsort(values if result.direction == "minimize" else -values, kind="stable")
    times = [len(positions) for positions, *_ in groups]
    lines = []
    for rank in sorted(_chosen(order.tolist(), times), reverse=True):
        positions, wrong, value = groups[order[rank]]
        trial = result.trials[positions[0]]
        at = tuple(position(parameters[n], trial.params[n]) if n in trial.params else None
                   for n in names)  # fmt: skip
        shade = rank * _LIMITS.shades // len(groups)
        lines.append(Line(trial, at, len(positions), wrong, value, shade))
    axes = tuple(Axis(name, _labels(parameters[name])) for name in names)
    repeated = sum(n > 1 for n in times)
    return Coverage(axes, tuple(lines), len(groups), repeated, len(varied))


def _groups(result: Result) -> list[tuple[list[int], int, float]]:
    """Each configuration: positions of its measurements, suspects among them, their median."""
    suspects = suspected(result)
    found: dict[tuple[object, ...], list[int]] = {}
    for i, trial in enumerate(result.trials):
        if trial.value is not None:
            key = tuple((name, type(v), v) for name, v in sorted(trial.params.items()))
            found.setdefault(key, []).append(i)
    groups = []
    for positions in found.values():
        good = [i for i in positions if i not in suspects] or positions
        value = middle([float(result.trials[i].value or 0.0) for i in good])
        groups.append((positions, sum(i in suspects for i in positions), value))
    return groups


def _chosen(order: Sequence[int], times: Sequence[int]) -> set[int]:
    """Ranks of the configurations that are drawn, 0 for the best."""
    ranks = range(len(order))
    most = sorted(ranks, key=lambda rank: -times[order[rank]])[: _LIMITS.replicated]
    kept = {rank for rank in most if times[order[rank]] > 1} | set(ranks[: _LIMITS.best])
    rest = sorted((rank for rank in ranks if rank not in kept), key=lambda rank: order[rank])
    return kept | set(rest[:: max(1, math.ceil(len(rest) / _LIMITS.others))])


def position(parameter: Parameter, value: Scalar) -> float:
    """Where a value is on the axis of its parameter, from 0 to 1, on the parameter's scale."""
    if isinstance(parameter, Listed):
        return (parameter.coordinate(value, "value") + 0.5) / max(parameter.size or 1, 1)
    low, high = float(parameter.low), float(parameter.high)  # type: ignore[attr-defined]
    here = float(value)  # type: ignore[arg-type]
    if getattr(parameter, "scale", "linear") == "log":
        low, high, here = math.log(low), math.log(high), math.log(here)
    share = (here / 2 - low / 2) / (high / 2 - low / 2)
    return min(max(share, 0.0), 1.0)


def _labels(parameter: Parameter) -> tuple[tuple[float, Scalar], ...]:
    """The ends of a range and values between them; some of many choices."""
    if isinstance(parameter, Listed):
        size = parameter.size or 1
        levels = range(0, size, math.ceil(size / _LIMITS.choices))
        values: list[Scalar] = [parameter.value(float(level)) for level in levels]
    elif parameter.size is not None:
        steps = parameter.fill(np.array([0.0, 0.25, 0.5, 0.75, 1.0 - 1e-12]))
        values = list(dict.fromkeys(parameter.value(c) for c in steps.tolist()))
    else:
        values = [parameter.value(c) for c in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return tuple((position(parameter, value), value) for value in values)
