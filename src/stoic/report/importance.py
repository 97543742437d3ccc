"""The importance of each parameter: its shares of the estimate's variance over the space.

Sobol's indices of the surrogate's mean f, each parameter drawn uniformly on its scale. The
*main* share of a parameter is what it explains alone, Var(E[f | x_i]) / Var(f); its *total*
share includes its interactions, E[Var(f | all others)] / Var(f). Estimators of Jansen (1999),
"Analysis of variance designs for model output", on quasi-random points: deterministic.

With A and B two independent samples and A_i equal to A but for parameter i, taken from B:
main = 1 − E[(f(B) − f(A_i))²] / (2 Var f), total = E[(f(A) − f(A_i))²] / (2 Var f).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array
from stoic.optimize.optimizer import Optimizer
from stoic.spaces import Space
from stoic.spaces.parameters import Parameter

__all__ = ["Importance", "bare", "columns", "importance"]

_POINTS = 1024  # of each sample
_FAST_MEASUREMENTS = 300  # up to so many, predictions are fast
_SLOW_POINTS = 256  # of each sample, where there are more measurements
_CHUNK_POINTS = 1024  # predicted at a time
_MIN_VARIANCE = 1e-6  # of f in z: below, no parameter has an effect


@dataclass(frozen=True)
class Importance:
    """Shares of one parameter, from 0 to 1."""

    name: str
    main: float
    total: float


def importance(optimizer: Optimizer) -> list[Importance]:
    """The parameters, the most important first; constants are left out."""
    space = optimizer.space
    gp = optimizer.knowledge().model.gp
    names = [name for name, parameter in space.parameters.items() if parameter.size != 1]
    points = _POINTS if len(gp) <= _FAST_MEASUREMENTS else _SLOW_POINTS
    # without conditions, a parameter has a value also where it does not exist
    free = Space({name: bare(parameter) for name, parameter in space.parameters.items()})
    A = free.sample(points, 0)
    B = np.random.default_rng(0).permutation(free.sample(points, 1))  # independent of A's rows

    def f(U: Array) -> Array:
        snapped = space.snap(U)
        starts = range(0, len(snapped), _CHUNK_POINTS)
        return np.concatenate([gp.mean(snapped[i : i + _CHUNK_POINTS]) for i in starts])

    f_A, f_B = f(A), f(B)
    variance = float(np.concatenate([f_A, f_B]).var())
    if variance < _MIN_VARIANCE:
        return [Importance(name, 0.0, 0.0) for name in names]
    found = []
    for name in names:
        f_i = f(np.where(columns(space, name), B, A))
        total = float(((f_A - f_i) ** 2).mean()) / (2.0 * variance)
        main = 1.0 - float(((f_B - f_i) ** 2).mean()) / (2.0 * variance)
        total = min(total, 1.0)
        found.append(Importance(name, min(max(main, 0.0), total), total))
    return sorted(found, key=lambda share: -share.total)


def columns(space: Space, name: str) -> NDArray[np.bool_]:
    """Which columns of an encoded point are a parameter's; none for a constant."""
    varied = [n for n, parameter in space.parameters.items() if parameter.size != 1]
    own: NDArray[np.bool_] = space.groups == (varied.index(name) if name in varied else -1)
    return own


def bare(parameter: Parameter) -> Parameter:
    """The parameter without its condition."""
    made: Parameter = type(parameter)(**parameter.fields())  # type: ignore[arg-type]
    return made
