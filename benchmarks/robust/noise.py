"""Seeded noise for f of unit scale.

The t-th measurement has the same random numbers in every method.

A name may end in ``+crash`` (a fifth of the space, away from the maximum, gives no value) or in
``+flaky`` (every tenth measurement gives none), as in ``gauss02+crash``.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import qmc

from robust.problems import Array, Problem

BASE = 0.2  # scale of the ordinary noise
GROSS = 1.0  # an error of a heavy-tailed noise counts as corrupt beyond one std of f


class Here(NamedTuple):
    """The input of a noise: the random numbers of this measurement, its number, x and f(x)."""

    rng: np.random.Generator
    t: int
    x: Array
    f: float
    problem: Problem
    steady: Callable[[int], np.random.Generator]  # random numbers that many measurements share


Reading = tuple[float, bool]  # the value, and whether it is corrupt
Noise = Callable[[Here], Reading]
NOISES: dict[str, Noise] = {}
MEDIAN: dict[str, float] = {}  # of a skewed error of mean zero


def gauss(scale: float) -> Noise:
    """Return normal noise."""
    return lambda h: (h.f + scale * h.rng.standard_normal(), False)


def tails(draw: Callable[[np.random.Generator], float]) -> Noise:
    """Return noise of any law; its large errors count as corrupt."""

    def noise(h: Here) -> Reading:
        error = float(draw(h.rng))
        return h.f + error, abs(error) > GROSS

    return noise


def outliers(share: float, sign: int, low: float = 10.0, high: float = 100.0) -> Noise:
    """Return normal noise plus rare shifts of size low to high; sign 0 is either way."""

    def noise(h: Here) -> Reading:
        z, u, size, side = h.rng.standard_normal(), h.rng.random(), h.rng.random(), h.rng.random()
        way = float(sign) or (1.0 if side < 0.5 else -1.0)
        bad = bool(u < share)
        return h.f + BASE * z + bad * way * (low + size * (high - low)), bad

    return noise


def hetero_x(h: Here) -> Reading:
    """Noise that grows along the first input from 0.05 to 0.8."""
    return h.f + (0.05 + 0.75 * float(h.x[0])) * h.rng.standard_normal(), False


def hetero_f(h: Here) -> Reading:
    """Noise that grows with f, from 0.05 to 0.6 at the maximum."""
    share = np.clip((h.f + 1.5) / (h.problem.fstar + 1.5), 0.0, 1.0)
    return h.f + (0.05 + 0.55 * float(share)) * h.rng.standard_normal(), False


def adversary(h: Here) -> Reading:
    """Early adversary: the first 20 measurements of the best fifth of the space change sign."""
    bad = h.t < 20 and h.f > h.problem.q80
    return (-h.f if bad else h.f) + BASE * h.rng.standard_normal(), bad


def flatter(h: Here) -> Reading:
    """Early adversary: 12 of the first 30, if below average, are reported as above the maximum."""
    bad = h.t < 30 and h.t % 5 < 2 and h.f < 0
    shown = h.problem.fstar * 1.2 if bad else h.f
    return shown + BASE * h.rng.standard_normal(), bad


def burst(h: Here) -> Reading:
    """Outliers in runs: three to seven within every 25 measurements, of one size and sign."""
    z = h.rng.standard_normal()
    plan = h.steady(h.t // 25)
    start, length = plan.integers(0, 18), plan.integers(3, 8)
    shift = plan.choice([-1.0, 1.0]) * plan.uniform(3, 30)
    bad = bool(start <= h.t % 25 < start + length)
    return h.f + BASE * z + bad * float(shift), bad


def stuck(h: Here) -> Reading:
    """A sensor that reads the same high value in every eighth measurement."""
    z, bad = h.rng.standard_normal(), bool(h.rng.random() < 0.125)
    return (2.5 if bad else h.f + BASE * z), bad


def _lognormal(rng: np.random.Generator) -> float:
    return 0.15 * float(np.exp(1.3 * rng.standard_normal()) - np.exp(1.3**2 / 2))


def _gamma(rng: np.random.Generator) -> float:
    return 0.4 * float(rng.gamma(0.7) - 0.7)


NOISES |= {
    "none": lambda h: (h.f, False),
    "gauss005": gauss(0.05),
    "gauss02": gauss(0.2),
    "gauss06": gauss(0.6),
    "student2": tails(lambda rng: BASE * rng.standard_t(2)),
    "student15": tails(lambda rng: BASE * rng.standard_t(1.5)),
    "cauchy": tails(lambda rng: 0.1 * rng.standard_cauchy()),
    "laplace": tails(lambda rng: rng.laplace(0.0, 0.3)),
    "up10": outliers(0.10, +1),
    "down10": outliers(0.10, -1),
    "both10": outliers(0.10, 0),
    "up25": outliers(0.25, +1),
    "down25": outliers(0.25, -1),
    "both25": outliers(0.25, 0),
    "small15": outliers(0.15, 0, 2.0, 5.0),
    "smallup20": outliers(0.20, +1, 1.5, 6.0),
    "huge10": outliers(0.10, 0, 1e8, 1e9),
    "mixed20": outliers(0.20, +1, 1.0, 300.0),
    "longright": tails(_lognormal),
    "longleft": tails(lambda rng: -_lognormal(rng)),
    "gammaright": tails(_gamma),
    "gammaleft": tails(lambda rng: -_gamma(rng)),
    "hetero_x": hetero_x,
    "hetero_f": hetero_f,
    "adversary": adversary,
    "flatter": flatter,
    "burst": burst,
    "stuck": stuck,
}
_LOG, _GAM = 0.15 * (1 - np.exp(1.3**2 / 2)), 0.4 * (0.40742 - 0.7)  # 0.40742: median of Γ(0.7)
MEDIAN |= {"longright": _LOG, "longleft": -_LOG, "gammaright": _GAM, "gammaleft": -_GAM}

DEVELOP = [
    *("none", "gauss005", "gauss02", "gauss06", "student2", "up10", "down10", "both25"),
    *("small15", "huge10", "longright", "gammaleft", "hetero_x", "adversary", "gauss02+crash"),
]
CHECK = [
    *("gauss02", "gauss06", "student15", "cauchy", "up25", "down25", "both10", "smallup20"),
    *("mixed20", "longleft", "gammaright", "hetero_f", "flatter", "burst", "stuck"),
    *("adversary", "up10+crash", "gauss02+flaky"),
]


class Stream:
    """The measurements of one run; ``corrupt`` has, for each, whether it is corrupt."""

    def __init__(self, name: str, problem: Problem, seed: int) -> None:
        base, _, option = name.partition("+")
        if base not in NOISES or option not in ("", "crash", "flaky"):
            raise SystemExit(f"expected a noise among {', '.join(NOISES)}, got {name!r}")
        self.name, self.problem, self.option = name, problem, option
        self._noise = NOISES[base]
        self._key = [zlib.crc32(f"{problem.name} {base}".encode()), seed]
        self.median = MEDIAN.get(base, 0.0)
        self.corrupt: list[bool] = []

    def measure(self, x: Array) -> float | None:
        """Measure at x, or return None where the measurement fails."""
        t = len(self.corrupt)
        rng = np.random.default_rng([*self._key, t])
        here = Here(rng, t, x, self.problem.at(x), self.problem, self._steady)
        value, bad = self._noise(here)
        flaky = self.option == "flaky" and np.random.default_rng([*self._key, t, 1]).random() < 0.1
        if flaky or self.crashes(x):
            self.corrupt.append(False)
            return None
        self.corrupt.append(bad)
        return value

    def crashes(self, x: Array) -> bool:
        """Return whether measurements crash at x."""
        if self.option != "crash":
            return False
        slope, level = _cliff(self.problem)
        return bool(x @ slope > level)

    def _steady(self, block: int) -> np.random.Generator:
        return np.random.default_rng([*self._key, block, 2])


@functools.cache
def _cliff(problem: Problem) -> tuple[Array, float]:
    rng = np.random.default_rng([zlib.crc32(problem.name.encode()), 3])
    slope = rng.standard_normal(problem.d)
    heights = qmc.Sobol(problem.d, seed=3).random_base2(12) @ slope
    if problem.xstar @ slope > np.median(heights):  # the maximum stays on the safe side
        slope, heights = -slope, -heights
    return slope, float(np.quantile(heights, 0.8))
