"""What pictures of a result show, as numbers: estimates over time, shares, slices, ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.optimize.judgement import moved_by_skew
from stoic.optimize.optimizer import Optimizer
from stoic.report.importance import Importance, bare, columns, importance
from stoic.report.replay import Estimate, replay
from stoic.report.result import Result
from stoic.report.sensitivity import positions
from stoic.spaces import Categorical, Float, Space
from stoic.spaces.choices import Listed
from stoic.spaces.parameters import Parameter, Plain

__all__ = [
    "Slice",
    "View",
    "drawn",
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

_TEN_PERCENT = 1.645  # normal quantile of a 90% interval
_SLICES = 6  # the most important parameters that exist in the answer
_FINE = 121  # points of a slice along a continuum
_MOST_CHOICES = 12  # of a categorical that are shown; ordered values beyond are drawn as a line
_MOST_NEAR = 250  # measurements shown along a slice
_LARGEST = 1e300  # what draws squares and adds
_FAINT = 0.05  # measurements that say less than this about a slice are left out


@dataclass(frozen=True)
class View:
    """All that a picture of a result shows.

    ``shares`` and ``slices`` need an answer, and values that tell their spread.
    """

    optimizer: Optimizer  # told all trials
    estimates: list[Estimate]
    shares: list[Importance]
    slices: list[Slice]


def view(result: Result) -> View:
    """A result as numbers to draw: the most important parameters of the answer as slices."""
    optimizer, estimates = replay(result)
    if result.best is None or not result.best.bounded:
        return View(optimizer, estimates, [], [])
    if _same(result.source, result):
        assert result.source is not None
        optimizer = result.source  # its surrogate is there already
    shares = importance(optimizer)
    u = result.space.encode(result.best.params)
    names = [share.name for share in shares if share.name in result.best.params][:_SLICES]
    slices = [slice_through(optimizer, u, name) for name in names]
    return View(optimizer, estimates, shares, slices)


def _same(optimizer: Optimizer | None, result: Result) -> bool:
    """Whether an optimiser was told just what the result holds, whatever the numbers."""
    if optimizer is None or len(optimizer.trials) != len(result.trials):
        return False
    pairs = zip(optimizer.trials, result.trials, strict=True)
    return all(a.value == b.value and a.params == b.params for a, b in pairs)


# -- where trials stand ---------------------------------------------------------------------------


def suspected(result: Result) -> frozenset[int]:
    """Positions of the suspects among the trials."""
    return positions(result.trials, result.suspects)


def lucky(result: Result) -> int | None:
    """Position of the luckiest measurement."""
    return None if result.luckiest is None else result.trials.index(result.luckiest.trial)


def numbered(result: Result) -> bool:
    """Whether the trials' numbers are their positions, as in a run of one go."""
    return all(trial.number == i for i, trial in enumerate(result.trials))


# -- ranges ---------------------------------------------------------------------------------------


def window(result: Result, estimates: Sequence[Estimate]) -> tuple[float, float]:
    """A range that shows the bulk of the measurements, and all estimates entirely."""
    last = estimates[-1]
    must = [drawn(e.value) for e in estimates]
    must += [drawn(last.low), drawn(last.high)] if last.bounded else []
    doubted = suspected(result)
    good = [(i, t.value) for i, t in enumerate(result.trials) if t.value is not None]
    honest = [y for i, y in good if i not in doubted] or [y for _, y in good]
    values = np.array([drawn(y) for y in honest])
    q10, q25, q75, q90 = np.quantile(values, [0.1, 0.25, 0.75, 0.9])
    reach = 2.0 * (q75 - q25)
    low, high = min(q10, q25 - reach), max(q90, q75 + reach)
    least, most = float(values.min()), float(values.max())
    room = 0.25 * (high - low)  # nothing is cut off that nearly fits
    low, high = least if least > low - room else low, most if most < high + room else high
    return padded(min([low, *must]), max([high, *must]))


def limits(result: Result, slices: Sequence[Slice]) -> tuple[float, float]:
    """One range for all slices, lest a parameter without effect look as if it had one."""
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


def drawn(value: float) -> float:
    """The nearest value that drawing can do arithmetic with."""
    return min(max(value, -_LARGEST), _LARGEST)


def padded(low: float, high: float) -> tuple[float, float]:
    """A range with some room around it, even where its ends are one."""
    low, high = drawn(low), drawn(high)
    pad = 0.07 * (high - low) if high > low else 0.05 * abs(low) or 1.0
    return float(drawn(low - pad)), float(drawn(high + pad))


# -- the surrogate --------------------------------------------------------------------------------


def scatter(optimizer: Optimizer, at: float) -> float:
    """The standard deviation of an ordinary measurement where the true value is ``at``."""
    model = optimizer._modeller.model()
    scaling, std = model.scaling, math.sqrt(model.gp.hyper.noise)
    z = float(scaling.z(np.array([optimizer._sign * at]))[0])
    return abs(scaling.y(z + std) / 2.0 - scaling.y(z - std) / 2.0)


def predict(optimizer: Optimizer, U: Array) -> tuple[Array, Array, Array]:
    """Estimates at encoded points ± 1.645 standard deviations, in the user's units.

    The estimate of the answer's point is the answer's. Its interval is another one: it allows for
    more than the surrogate's variance (`judgement.estimate`), at a cost for each point.
    """
    model, sign = optimizer._modeller.model(), optimizer._sign
    mean, variance = model.gp.predict(U)
    mean = mean + moved_by_skew(model)
    reach = _TEN_PERCENT * np.sqrt(variance)
    value, a, b = (
        np.array([drawn(sign * model.scaling.y(float(z))) for z in zs])
        for zs in (mean, mean - reach, mean + reach)
    )
    return value, np.minimum(a, b), np.maximum(a, b)


@dataclass(frozen=True)
class Slice:
    """Estimates along one parameter, all others as in the answer, and measurements nearby."""

    name: str
    parameter: Parameter
    values: list[Plain]
    x: Array  # where the values stand: numbers as such, listed values by rank
    mean: Array
    low: Array
    high: Array
    best: float  # the answer's x
    near_x: Array
    near: IntArray  # their positions among the trials
    nearness: Array  # from 0 to 1: how much each measurement has to say about the slice

    @property
    def separate(self) -> bool:
        """Whether the values are drawn one by one, rather than as a line."""
        few = len(self.values) <= _MOST_CHOICES and self.parameter.size is not None
        return few or isinstance(self.parameter, Categorical)

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
    mean, low, high = predict(optimizer, space.snap(U))
    x = np.array([_x(parameter, value, name) for value in values])
    if isinstance(parameter, Categorical) and len(values) > _MOST_CHOICES:
        better = np.array(mean if optimizer.direction == "minimize" else -mean)
        better[values.index(here)] = -math.inf  # the answer's own stays
        kept = np.sort(np.argsort(better, kind="stable")[:_MOST_CHOICES])
        values = [values[i] for i in kept]
        x, mean, low, high = np.arange(float(len(kept))), mean[kept], low[kept], high[kept]
    near_x, near, nearness = _nearby(optimizer, u, name, own, dict(zip(values, x, strict=True)))
    return Slice(
        name, parameter, values, x, mean, low, high,
        float(x[values.index(here)]), near_x, near, nearness,
    )  # fmt: skip


def _nearby(
    optimizer: Optimizer, u: Array, name: str, own: NDArray[np.bool_], places: dict[Plain, float]
) -> tuple[Array, IntArray, Array]:
    """Measurements and how near they are to the slice, in length-scales of the surrogate."""
    parameter, history = optimizer.space.parameters[name], optimizer._history
    away = ((history.points() - u) / optimizer._modeller.model().gp.hyper.lengthscales)[:, ~own]
    said = np.exp(-0.5 * np.einsum("ij,ij->i", away, away))
    found = []
    for position, nearness in zip(history.numbers(), said.tolist(), strict=True):
        params = history.trials[position].params
        if nearness < _FAINT or name not in params:
            continue
        value = params[name]
        x = places.get(value) if isinstance(parameter, Categorical) else _x(parameter, value, name)
        if x is not None:
            found.append((x, position, nearness))
    found = sorted(found, key=lambda item: -item[2])[:_MOST_NEAR]
    xs, near, nearness_ = zip(*found, strict=True) if found else ((), (), ())
    return np.array(xs, float), np.array(near, np.int64), np.array(nearness_, float)


def _values(parameter: Parameter, here: Plain) -> list[Plain]:
    """Values along a slice, that of the answer among them."""
    if isinstance(parameter, Categorical):
        return list(parameter.choices)
    q = np.linspace(0.0, 1.0, _FINE)
    places = q if isinstance(parameter, Float) else parameter.fill(np.minimum(q, 1.0 - 1e-12))
    mine = parameter.coordinate(here, "the answer")
    return [parameter.value(c) for c in np.unique([*places, mine]).tolist()]


def _x(parameter: Parameter, value: Plain, name: str) -> float:
    if isinstance(parameter, Listed):
        return parameter.coordinate(value, name)
    return float(value)  # type: ignore[arg-type]
