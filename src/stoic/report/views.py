"""The numbers behind the figures of a result: estimates over time, importance, slices, ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.optimize.answers import middle
from stoic.optimize.answers.interval import along
from stoic.optimize.answers.possible import Possible
from stoic.optimize.optimizer import Optimizer
from stoic.parallel import one_thread
from stoic.report.importance import Importance, bare, columns, importance
from stoic.report.ranges import MAX_DRAWN, bulk, drawn, padded
from stoic.report.replay import Estimate, replay
from stoic.report.sensitivity import positions
from stoic.spaces import Categorical, Space
from stoic.spaces.choices import Listed
from stoic.spaces.parameters import Parameter, Scalar

if TYPE_CHECKING:
    from stoic.report.result import Result

__all__ = [
    "Slice",
    "View",
    "around",
    "baseline_value",
    "bulk",
    "drawn",
    "finals_start",
    "limits",
    "lucky",
    "numbered",
    "padded",
    "predict",
    "scatter",
    "slice_through",
    "suspected",
    "view",
    "window",
]

_NORMAL_90 = 1.645  # standard deviations: half-width of a normal 90% interval


@dataclass(frozen=True)
class SliceLimits:
    """How much a slice shows."""

    slices: int = 6  # of the most important parameters that exist in the answer
    points: int = 121  # along a continuous parameter
    choices: int = 12  # of a categorical; more values that are ordered are drawn as a line
    measurements: int = 250  # near the slice
    min_nearness: float = 0.05  # of a measurement; farther ones are not shown


_LIMITS = SliceLimits()


@dataclass(frozen=True)
class View:
    """The data of all figures of a result.

    ``shares`` and ``slices`` need an answer, and values whose spread is known.
    """

    optimizer: Optimizer  # which knows all trials
    estimates: list[Estimate]
    shares: list[Importance]
    slices: list[Slice]


def view(result: Result) -> View:
    """A result as numbers to draw: the most important parameters of the answer as slices."""
    optimizer, estimates = replay(result)
    if result.source is not None and _same(result.source, result):
        optimizer = result.source  # whose surrogate is fitted
    return View(optimizer, estimates, *around(optimizer, result))


def around(optimizer: Optimizer, result: Result) -> tuple[list[Importance], list[Slice]]:
    """The importance of the parameters, and slices through the answer.

    Both are empty without an answer, and where the spread of the values is unknown.
    """
    if result.best is None or not result.best.bounded:
        return [], []
    params = result.best.params
    u = result.space.encode(params)
    with one_thread():
        shares = importance(optimizer)
        names = [share.name for share in shares if share.name in params][: _LIMITS.slices]
        return shares, [slice_through(optimizer, u, name) for name in names]


def _same(optimizer: Optimizer, result: Result) -> bool:
    """Whether an optimiser has the trials of the result; their numbers may differ."""
    if len(optimizer.trials) != len(result.trials):
        return False
    pairs = zip(optimizer.trials, result.trials, strict=True)
    return all(a.value == b.value and a.params == b.params for a, b in pairs)


# -- positions of trials --------------------------------------------------------------------------


def suspected(result: Result) -> frozenset[int]:
    """Positions of the suspects among the trials."""
    return positions(result.trials, result.suspects)


def lucky(result: Result) -> int | None:
    """Position of the luckiest measurement."""
    return None if result.luckiest is None else result.trials.index(result.luckiest.trial)


def numbered(result: Result) -> bool:
    """Whether the trials' numbers are their positions, as in a run that was not resumed."""
    return all(trial.number == i for i, trial in enumerate(result.trials))


def baseline_value(result: Result) -> float | None:
    """The median of all values of the baseline; None where it has none."""
    params = result.baseline
    values = [t.value for t in result.trials if t.value is not None and t.params == params]
    return middle(values) if values else None


def finals_start(result: Result) -> int | None:
    """Position of the first trial of the finals."""
    record = result.finals
    if record is None:
        return None
    numbers = {number for each in record.contenders for number in each.trials}
    return next((i for i, trial in enumerate(result.trials) if trial.number in numbers), None)


# -- ranges ---------------------------------------------------------------------------------------


def window(result: Result, estimates: Sequence[Estimate]) -> tuple[float, float]:
    """A range that shows the bulk of the measurements, and all estimates entirely."""
    last = estimates[-1]
    must = [drawn(e.value) for e in estimates]
    must += [drawn(last.low), drawn(last.high)] if last.bounded else []
    base = baseline_value(result)
    must += [] if base is None else [drawn(base)]
    suspects = suspected(result)
    good = [(i, t.value) for i, t in enumerate(result.trials) if t.value is not None]
    regular = [y for i, y in good if i not in suspects] or [y for _, y in good]
    low, high = bulk(regular)
    return padded(min([low, *must]), max([high, *must]))


def limits(result: Result, slices: Sequence[Slice]) -> tuple[float, float]:
    """One range for all slices, so that a parameter without effect has a flat line."""
    lows, highs = (np.concatenate([getattr(s, end) for s in slices]) for end in ("low", "high"))
    low, high = float(np.quantile(lows, 0.02)), float(np.quantile(highs, 0.98))
    near = {int(i) for s in slices for i in s.near[s.nearness > 0.3]} - suspected(result)
    values = [drawn(float(result.trials[i].value or 0.0)) for i in near]
    if values:
        q = np.quantile(values, [0.05, 0.95])
        span = high - low
        low = min(low, max(float(q[0]), low - span / 2))
        high = max(high, min(float(q[1]), high + span / 2))
    return padded(low, high)


# -- the surrogate --------------------------------------------------------------------------------


def scatter(optimizer: Optimizer, at: float) -> float:
    """The standard deviation of an ordinary measurement where the true value is ``at``."""
    model, sign = optimizer.knowledge().model, optimizer.history.sign
    scaling, std = model.scaling, math.sqrt(model.gp.hyper.noise)
    z = float(scaling.z(np.array([sign * at]))[0])
    return abs(scaling.y(z + std) / 2.0 - scaling.y(z - std) / 2.0)


def predict(
    optimizer: Optimizer, U: Array, answer: Array | None = None
) -> tuple[Array, Array, Array]:
    """Estimates at encoded points ± 1.645 standard deviations, in the user's units.

    At the answer's point, the estimate is the answer's; by default that is the first of ``U``. The
    answer's interval is another one: it accounts for more than the surrogate's variance, at a cost
    for each point. Suspects do not count, and nothing is outside of what is possible.
    """
    rest, sign = optimizer.knowledge().regular.known, optimizer.history.sign
    mean, std = along(rest, U, U[0] if answer is None else answer)
    possible, half_width = Possible.of(rest), _NORMAL_90 * std
    found = []
    for zs in zip(mean, mean - half_width, mean + half_width, strict=True):
        y, *ends = (sign * rest.model.scaling.y(float(z)) for z in zs)
        value = possible.value(y)
        found.append((value, *possible.range(value, min(*ends, value), max(*ends, value))))
    value, low, high = np.clip(np.array(found).T, -MAX_DRAWN, MAX_DRAWN)
    return value, low, high


@dataclass(frozen=True)
class Slice:
    """Estimates along one parameter, all others as in the answer, and measurements nearby."""

    name: str
    parameter: Parameter
    values: list[Scalar]
    x: Array  # coordinates of the values: numbers as such, listed values by rank
    mean: Array
    low: Array
    high: Array
    best: float  # the answer's x
    near_x: Array
    near: IntArray  # their positions among the trials
    nearness: Array  # of each measurement to the slice, from 0 to 1

    @property
    def separate(self) -> bool:
        """Whether the values are drawn one by one, rather than as a line."""
        countable = len(self.values) <= _LIMITS.choices and self.parameter.size is not None
        return countable or isinstance(self.parameter, Categorical)

    @property
    def log(self) -> bool:
        """Whether the parameter has a log scale."""
        return getattr(self.parameter, "scale", "linear") == "log"


def slice_through(optimizer: Optimizer, u: Array, name: str) -> Slice:
    """The slice through the encoded point ``u`` along a parameter that exists there."""
    space = optimizer.space
    parameter, own = space.parameters[name], columns(space, name)
    alone = Space({name: bare(parameter)})
    here: Any = alone.decode(u[own])[name]
    values = _values(parameter, here)
    U = np.repeat(u[None], len(values), axis=0)
    U[:, own] = [alone.encode({name: value}) for value in values]
    valid = space.allows(U) | np.array([value == here for value in values])
    values = [value for value, is_valid in zip(values, valid, strict=True) if is_valid]
    mean, low, high = predict(optimizer, space.snap(U[valid]), u)
    x = np.array([_x(parameter, value, name) for value in values])
    if isinstance(parameter, Categorical) and len(values) > _LIMITS.choices:
        better = np.array(mean if optimizer.direction == "minimize" else -mean)
        better[values.index(here)] = -math.inf  # the answer's own is kept
        kept = np.sort(np.argsort(better, kind="stable")[: _LIMITS.choices])
        values = [values[i] for i in kept]
        x, mean, low, high = np.arange(float(len(kept))), mean[kept], low[kept], high[kept]
    near_x, near, nearness = _nearby(optimizer, u, name, own, dict(zip(values, x, strict=True)))
    return Slice(
        name, parameter, values, x, mean, low, high,
        float(x[values.index(here)]), near_x, near, nearness,
    )  # fmt: skip


def _nearby(
    optimizer: Optimizer, u: Array, name: str, own: NDArray[np.bool_], shown: dict[Scalar, float]
) -> tuple[Array, IntArray, Array]:
    """Measurements and how near they are to the slice, in length-scales of the surrogate."""
    parameter, history = optimizer.space.parameters[name], optimizer.history
    lengthscales = optimizer.knowledge().model.gp.hyper.lengthscales
    away = ((history.points() - u) / lengthscales)[:, ~own]
    near_slice = np.exp(-0.5 * np.einsum("ij,ij->i", away, away))
    found = []
    for position, nearness in zip(history.numbers(), near_slice.tolist(), strict=True):
        params = history.trials[position].params
        if nearness < _LIMITS.min_nearness or name not in params:
            continue
        value = params[name]
        x = shown.get(value) if isinstance(parameter, Categorical) else _x(parameter, value, name)
        if x is not None:
            found.append((x, position, nearness))
    found = sorted(found, key=lambda item: -item[2])[: _LIMITS.measurements]
    xs, near, nearness_ = zip(*found, strict=True) if found else ((), (), ())
    return np.array(xs, float), np.array(near, np.int64), np.array(nearness_, float)


def _values(parameter: Parameter, here: Scalar) -> list[Scalar]:
    """Values along a slice, that of the answer among them."""
    if isinstance(parameter, Categorical):
        return list(parameter.choices)
    q = np.linspace(0.0, 1.0, _LIMITS.points)
    grid = q if parameter.size is None else parameter.fill(np.minimum(q, 1.0 - 1e-12))
    own = parameter.coordinate(here, "the answer")
    return [parameter.value(c) for c in np.unique([*grid, own]).tolist()]


def _x(parameter: Parameter, value: Scalar, name: str) -> float:
    if isinstance(parameter, Listed):
        return parameter.coordinate(value, name)
    return float(value)  # type: ignore[arg-type]
