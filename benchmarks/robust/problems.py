"""Problems on the unit cube, to be maximised: mean 0 and standard deviation 1 under uniform inputs.

Two disjoint sets. Defaults are chosen on ``DEVELOP``; ``CHECK`` is used afterwards, to test
whether the choice generalises. ``python benchmarks/robust/problems.py`` lists them.
"""

# mypy: disable-error-code="no-any-return"
# numpy's reductions are of type Any

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.stats import qmc

Array = npt.NDArray[np.float64]
Raw = Callable[[Array], Array]
SAMPLE = 13  # moments, quantiles and starts of the search come from 2^13 Sobol points
STARTS = 16


class Spec(NamedTuple):
    """What defines a problem: a function of the points lo + u·(hi − lo), u in the unit cube."""

    d: int
    raw: Raw
    lo: Array
    hi: Array
    at: Array | None  # where the maximum is, if known


DEVELOP: dict[str, Spec] = {}
CHECK: dict[str, Spec] = {}


class Problem:
    """f on [0, 1]^d; ``fstar`` is its maximum, at ``xstar``, ``q80`` its upper 20% quantile."""

    def __init__(self, name: str, spec: Spec) -> None:
        self.name, self.d, self._spec = name, spec.d, spec
        self.shift, self.scale = 0.0, 1.0
        sample = qmc.Sobol(spec.d, seed=2026).random_base2(SAMPLE)
        values = self(sample)
        self.shift, self.scale = float(values.mean()), float(values.std())
        self.q80 = (float(np.quantile(values, 0.8)) - self.shift) / self.scale
        self.xstar = self._highest(sample[np.argsort(-values)[:STARTS]])
        self.fstar = self.at(self.xstar)

    def __call__(self, U: Array) -> Array:
        """Return f at the rows of U."""
        spec = self._spec
        return (spec.raw(spec.lo + U * (spec.hi - spec.lo)) - self.shift) / self.scale

    def at(self, u: Array) -> float:
        """Return f at one point."""
        return float(self(np.asarray(u, dtype=float)[None, :])[0])

    def regret(self, u: Array) -> float:
        """Return 0 at the maximum and 1 at the value of an average uniform point."""
        return (self.fstar - self.at(u)) / self.fstar

    def _highest(self, starts: Array) -> Array:
        spec = self._spec
        found = list(starts)
        if spec.at is not None:
            found.append((spec.at - spec.lo) / (spec.hi - spec.lo))
        bounds = [(0.0, 1.0)] * self.d
        for u in starts:
            found.append(minimize(lambda v: -self.at(v), u, bounds=bounds, method="L-BFGS-B").x)
        best = max(found, key=self.at)
        # A simplex follows kinks and ridges that differences of f do not.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(
                minimize(lambda v: -self.at(v), best, bounds=bounds, method="Nelder-Mead").x
            )
        return np.clip(max(found, key=self.at), 0.0, 1.0)


@functools.cache
def get(name: str) -> Problem:
    """Return the problem of this name, of either set."""
    for group in (DEVELOP, CHECK):
        if name in group:
            return Problem(name, group[name])
    raise SystemExit(f"expected a problem among {', '.join([*DEVELOP, *CHECK])}, got {name!r}")


def _add(
    group: dict[str, Spec],
    d: int,
    lo: float | Sequence[float] = 0.0,
    hi: float | Sequence[float] = 1.0,
    at: float | Sequence[float] | None = None,
    name: str = "",
) -> Callable[[Raw], Raw]:
    def wide(value: Any) -> Array:
        return np.broadcast_to(np.asarray(value, dtype=float), (d,))

    def register(raw: Raw) -> Raw:
        place = None if at is None else wide(at)
        group[name or raw.__name__] = Spec(d, raw, wide(lo), wide(hi), place)
        return raw

    return register


develop = functools.partial(_add, DEVELOP)
check = functools.partial(_add, CHECK)


def _rotation(d: int, seed: int) -> Array:
    return np.linalg.qr(np.random.default_rng([11, d, seed]).standard_normal((d, d)))[0]


def _peak(X: Array, centre: Sequence[float], width: float) -> Array:
    return np.exp(-0.5 * ((X - np.asarray(centre)) ** 2).sum(1) / width**2)


def bumps(d: int, width: float, count: int, seed: int) -> Raw:
    """Return a sum of squared-exponential bumps with normal weights at uniform centres."""
    rng = np.random.default_rng([12, d, count, seed])
    centres, weights = rng.random((count, d)), rng.standard_normal(count)

    def raw(X: Array) -> Array:
        gaps = ((X[:, None, :] - centres) ** 2).sum(2)
        return np.exp(-0.5 * gaps / width**2) @ weights

    return raw


def matern(scales: Sequence[float], seed: int, waves: int = 512) -> Raw:
    """Return a sample of a Matérn-5/2 process (random waves), one length-scale per input."""
    rng = np.random.default_rng([13, len(scales), seed])
    heavy = np.sqrt(5.0 / rng.chisquare(5, waves))[:, None]
    slopes = heavy * rng.standard_normal((waves, len(scales))) / np.asarray(scales)
    phases, weights = rng.uniform(0, 2 * np.pi, waves), rng.standard_normal(waves)

    def raw(X: Array) -> Array:
        return np.cos(X @ slopes.T + phases) @ weights

    return raw


# -- problems to choose defaults on --------------------------------------------------------------


@develop(2, at=(0.31, 0.72))
def bowl2(X: Array) -> Array:
    """Shifted quadratic."""
    return -((X - (0.31, 0.72)) ** 2 * (1.0, 2.5)).sum(1)


@develop(5, at=(0.62, 0.35, 0.5, 0.22, 0.7))
def ellipsoid5(X: Array) -> Array:
    """Rotated ellipsoid of condition 50."""
    Z = (X - (0.62, 0.35, 0.5, 0.22, 0.7)) @ _rotation(5, 0)
    return -(Z**2 * np.geomspace(1, 50, 5)).sum(1)


@develop(3, -2.4, 4.0, at=0.0)
def ackley3(X: Array) -> Array:
    """Funnel with ripples."""
    root, waves = np.sqrt((X**2).mean(1)), np.cos(2 * np.pi * X).mean(1)
    return 20 * np.exp(-0.2 * root) + np.exp(waves)


@develop(4, -5.0, 4.2, at=1.0)
def levy4(X: Array) -> Array:
    """Ripples along a bowl."""
    W = 1 + (X - 1) / 4
    first, inner, last = W[:, 0], W[:, :-1], W[:, -1]
    value = np.sin(np.pi * first) ** 2 + (last - 1) ** 2 * (1 + np.sin(2 * np.pi * last) ** 2)
    return -(value + ((inner - 1) ** 2 * (1 + 10 * np.sin(np.pi * inner + 1) ** 2)).sum(1))


@develop(2, (-1.9, -1.1), (2.1, 0.9), at=(0.0898420, -0.7126564))
def camel2(X: Array) -> Array:
    """Six-hump camel: two equal maxima."""
    x, y = X.T
    return -((4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2)


@develop(3, -5.0, 4.6, at=-2.903534)
def styblinski3(X: Array) -> Array:
    """Styblinski–Tang: eight separate hills."""
    return -0.5 * (X**4 - 16 * X**2 + 5 * X).sum(1)


_H6_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_H6_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


@develop(6, at=(0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573))
def hartmann6(X: Array) -> Array:
    """Four hills in six dimensions."""
    gaps = ((X[:, None, :] - _H6_P) ** 2 * _H6_A).sum(2)
    return np.exp(-gaps) @ np.array([1.0, 1.2, 3.0, 3.2])


@develop(3)
def tuning3(X: Array) -> Array:
    """Accuracy of a learner, read to 2%: rate (too high, it diverges), penalty, depth."""
    rate, penalty = X[:, 0], X[:, 1]
    depth = np.minimum(np.floor(6 * X[:, 2]), 5) / 5
    loss = 2.2 * (rate - 0.62 + 0.15 * depth) ** 2 + 0.5 * (penalty - 0.4 * depth) ** 2
    accuracy = 0.93 - loss - 0.25 * (depth - 0.6) ** 2
    return np.where(rate > 0.78 - 0.1 * depth, 0.1, np.floor(50 * accuracy) / 50)


_INNER3 = bumps(3, 0.3, 40, 5)


@develop(6)
def sparse6(X: Array) -> Array:
    """Three of six inputs matter."""
    return _INNER3(X[:, [0, 2, 5]])


@develop(2)
def needle2(X: Array) -> Array:
    """A broad low hill, and far from it a narrow high one."""
    return _peak(X, (0.7, 0.7), 0.35) + 1.3 * _peak(X, (0.18, 0.3), 0.07)


@develop(3, at=(1.0, 0.0, 0.4))
def edge3(X: Array) -> Array:
    """The maximum is on an edge of the cube."""
    x, y, z = X.T
    return 1.5 * x - (y + 0.1) ** 2 - 2 * (z - 0.4 * x) ** 2 + 0.05 * np.sin(6 * y * z)


@develop(2, at=(0.36, 0.58))
def cone2(X: Array) -> Array:
    """A cone: no derivative at the top, unlike almost anywhere else."""
    return -np.sqrt(((X - (0.36, 0.58)) ** 2 * (1.0, 2.0)).sum(1))


@develop(3, at=(0.42, 0.63, 0.3))
def crest3(X: Array) -> Array:
    """A sharp crest across all axes, highest at one point."""
    Z = X - (0.42, 0.63, 0.3)
    return -np.abs(Z @ (0.8, -0.5, 0.33)) - 0.6 * (Z**2).sum(1)


@develop(4, at=(0.55, 0.37, 0.64, 0.45))
def tent4(X: Array) -> Array:
    """A tent: linear pieces that meet at the top."""
    Z = (X - (0.55, 0.37, 0.64, 0.45)) @ _rotation(4, 2)
    return -np.abs(Z * (1.0, 0.7, 1.4, 0.4)).max(1) - 0.2 * np.abs(Z).sum(1)


develop(1, name="wave1")(matern([0.12], 1))
develop(2, name="bumps2")(bumps(2, 0.14, 40, 2))
develop(4, name="bumps4")(bumps(4, 0.4, 60, 3))


# -- problems to check the defaults on -----------------------------------------------------------


@check(1)
def forrester1(X: Array) -> Array:
    """One-dimensional, two maxima of which the lower one is wide."""
    x = X[:, 0]
    return -((6 * x - 2) ** 2) * np.sin(12 * x - 4)


@check(6, at=(0.3, 0.66, 0.45, 0.58, 0.25, 0.8))
def bowl6(X: Array) -> Array:
    """Rotated bowl that is steep far away and round close by."""
    Z = (X - (0.3, 0.66, 0.45, 0.58, 0.25, 0.8)) @ _rotation(6, 1)
    return -np.sqrt(0.02 + (Z**2 * np.geomspace(1, 8, 6)).sum(1))


@check(3, -5.0, 8.0, at=0.0)
def griewank3(X: Array) -> Array:
    """A bowl with a lattice of ripples."""
    return np.cos(X / np.sqrt([1.0, 2.0, 3.0])).prod(1) - (X**2).sum(1) / 40


@check(2, -2.2, 1.6, at=0.0)
def rastrigin2(X: Array) -> Array:
    """Rastrigin with ripples of a third of the usual height."""
    return -(X**2 - 3 * np.cos(2 * np.pi * X)).sum(1)


@check(2, (-1.8, -2.0), (2.2, 1.6), at=(0.0, -1.0))
def goldstein2(X: Array) -> Array:
    """Goldstein–Price, logarithm."""
    x, y = X.T
    a = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    b = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return -np.log((1 + (x + y + 1) ** 2 * a) * (30 + (2 * x - 3 * y) ** 2 * b))


@check(3, 0.0, np.pi)
def michalewicz3(X: Array) -> Array:
    """Valleys along the axes, of moderate steepness."""
    return (np.sin(X) * np.sin(np.arange(1, 4) * X**2 / np.pi) ** 8).sum(1)


@check(4, -1.2, 1.7, at=1.0)
def rosenbrock4(X: Array) -> Array:
    """Curved valley, on a logarithmic scale."""
    x, y = X[:, :-1], X[:, 1:]
    return -np.log(20 + (100 * (y - x**2) ** 2 + (1 - x) ** 2).sum(1))


@check(2, -150.0, 500.0, at=420.968746)
def schwefel2(X: Array) -> Array:
    """Hills that grow towards one corner."""
    return (X * np.sin(np.sqrt(np.abs(X)))).sum(1)


@check(2, (-13.0, -3.0), (-5.0, 2.5), at=(-10.0, 1.0))
def ridge2(X: Array) -> Array:
    """Curved ridge with a sharp crest, after Bukin."""
    x, y = X.T
    return -(np.sqrt(0.01 + np.abs(y - 0.01 * x**2)) + 0.05 * np.abs(x + 10))


@check(4)
def stairs4(X: Array) -> Array:
    """Plateaus of a smooth hill, and a cliff behind which all is lost."""
    hill = _peak(X, (0.6, 0.4, 0.55, 0.3), 0.45)
    return np.where(X[:, 0] + 0.5 * X[:, 1] > 0.95, 0.1, np.floor(12 * hill) / 12)


@check(5)
def sparse5(X: Array) -> Array:
    """Two of five inputs matter."""
    x, y = X[:, 1], X[:, 4]
    return np.sin(5 * x + 1) * np.cos(4 * y - 2) + 0.5 * x


@check(3)
def spike3(X: Array) -> Array:
    """A gentle slope and a narrow hill off it."""
    return 0.4 * X.sum(1) + 1.8 * _peak(X, (0.25, 0.65, 0.2), 0.13)


@check(4, at=(0.0, 1.0, 1.0, 0.0))
def corner4(X: Array) -> Array:
    """The maximum is in a corner of the cube."""
    return -np.log(0.1 + ((X - (0.0, 1.0, 1.0, 0.0)) ** 2 * (1.0, 0.5, 2.0, 1.0)).sum(1))


check(5, name="matern5")(matern([0.5, 0.9, 0.7, 1.5, 0.6], 7))
check(3, name="bumps3")(bumps(3, 0.22, 70, 8))


if __name__ == "__main__":
    for title, group in (("develop", DEVELOP), ("check", CHECK)):
        for key in group:
            p = get(key)
            near = np.array2string(p.xstar, precision=3)
            print(f"{title:8s}{key:14s} d={p.d} max {p.fstar:6.3f}  q80 {p.q80:6.3f}  at {near}")
