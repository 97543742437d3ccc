"""What a result's figure shows, as numbers: estimates over time, slices, predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.optimize.optimizer import Optimizer
from stoic.optimize.result import Result
from stoic.spaces import Categorical, Float, Space
from stoic.spaces.choices import Listed
from stoic.spaces.parameters import Parameter, Plain

__all__ = ["Estimate", "Slice", "bare", "columns", "predict", "replay", "slice_through"]

_TEN_PERCENT = 1.645  # normal quantile of a 90% interval
_STOPS = 20  # surrogates fitted for the progress; half of them where trials are many
_MANY = 500
_FEWEST = 3  # values before which an interval means nothing
_FINE = 121  # points of a slice along a continuum
_MOST_CHOICES = 12  # of a categorical that are shown; ordered values beyond are drawn as a line
_MOST_NEAR = 250  # measurements shown along a slice
_FAINT = 0.05  # measurements that say less than this about a slice are left out


@dataclass(frozen=True)
class Estimate:
    """What would have been recommended after a trial: its value and 90% interval then."""

    trial: int
    value: float
    low: float
    high: float


def replay(result: Result) -> tuple[Optimizer, list[Estimate]]:
    """The optimiser told all trials, and its estimates on the way, each from its own past only."""
    optimizer = Optimizer(result.space, direction=result.direction, seed=result.seed)
    stops = set(_stops(len(result.trials)))
    estimates = []
    known = 0
    for n, trial in enumerate(result.trials, 1):
        if trial.value is None:
            optimizer.fail(trial.params, trial.reason or "")
        else:
            optimizer.tell(trial.params, trial.value)
            known += 1
        if known >= (_FEWEST if n < len(result.trials) else 1) and n in stops:
            answer = optimizer.recommend()
            estimates.append(Estimate(trial.number, answer.value, *answer.interval))
    return optimizer, estimates


def _stops(n: int) -> list[int]:
    """Evenly spread over the trials, with more among the first ones."""
    half = _STOPS // (4 if n > _MANY else 2)
    even, early = np.linspace(1, n, half + 1), np.geomspace(1, n, half)
    return sorted({round(float(stop)) for stop in (*even, *early)})


def predict(optimizer: Optimizer, U: Array) -> tuple[Array, Array, Array]:
    """Estimates and 90% intervals of the true value at encoded points, in the user's units."""
    model, sign = optimizer._modeller.model(), optimizer._sign
    mean, variance = model.gp.predict(U)
    reach = _TEN_PERCENT * np.sqrt(variance)
    value, a, b = (
        np.array([sign * model.scaling.y(float(z)) for z in zs])
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
    near_trials: IntArray
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
    near_x, trials, nearness = _nearby(optimizer, u, name, own, dict(zip(values, x, strict=True)))
    return Slice(
        name, parameter, values, x, mean, low, high,
        float(x[values.index(here)]), near_x, trials, nearness,
    )  # fmt: skip


def _nearby(
    optimizer: Optimizer, u: Array, name: str, own: NDArray[np.bool_], places: dict[Plain, float]
) -> tuple[Array, IntArray, Array]:
    """Measurements and how near they are to the slice, in length-scales of the surrogate."""
    space, parameter = optimizer.space, optimizer.space.parameters[name]
    found = []
    lengthscales = optimizer._modeller.model().gp.hyper.lengthscales
    for trial in optimizer.trials:
        if trial.failed or name not in trial.params:
            continue
        value = trial.params[name]
        x = places.get(value) if isinstance(parameter, Categorical) else _x(parameter, value, name)
        away = ((space.encode(trial.params) - u) / lengthscales)[~own]
        nearness = math.exp(-0.5 * float(away @ away))
        if x is not None and nearness >= _FAINT:
            found.append((x, trial.number, nearness))
    found = sorted(found, key=lambda item: -item[2])[:_MOST_NEAR]
    xs, numbers, nearness_ = zip(*found, strict=True) if found else ((), (), ())
    return np.array(xs, float), np.array(numbers, np.int64), np.array(nearness_, float)


def columns(space: Space, name: str) -> NDArray[np.bool_]:
    """Which columns of an encoded point are a parameter's; none for a constant."""
    varied = [n for n, parameter in space.parameters.items() if parameter.size != 1]
    own: NDArray[np.bool_] = space.groups == (varied.index(name) if name in varied else -1)
    return own


def bare(parameter: Parameter) -> Parameter:
    """The parameter without its condition."""
    made: Parameter = type(parameter)(**parameter.fields())  # type: ignore[arg-type]
    return made


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
