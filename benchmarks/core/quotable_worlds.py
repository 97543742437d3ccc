"""Worlds for quotable.py: 20 ± a quadratic in 2–4 dimensions, measured with nine kinds of noise.

The noise has a scale of one. Its mean, median and quantiles are known, and so is what a value means
at any configuration.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stoic.checks import Array

Rng = np.random.Generator


def lognormal(rng: Rng) -> float:
    return float(rng.lognormal(0.0, 1.2))


def normal(rng: Rng) -> float:
    return float(rng.standard_normal())


def often_zero(rng: Rng) -> float:
    """Zero in six of ten runs, else a delay."""
    return 0.0 if rng.random() < 0.6 else float(rng.exponential(2.0))


@dataclass(frozen=True)
class Noise:
    """An error that is added, and what corrupts a value."""

    error: Callable[[Rng], float]
    corrupt: Callable[[Rng, float], float] | None = None  # of a value
    share: float = 0.0  # of values that are corrupt
    multiplies: bool = False  # exp(0.3·error) multiplies the value instead


def spike(rng: Rng, value: float) -> float:
    del rng
    return 50.0 * value


def shift(rng: Rng, value: float) -> float:
    return value + float(rng.choice([-1.0, 1.0]) * rng.uniform(10.0, 100.0))


def zero(rng: Rng, value: float) -> float:
    del rng, value
    return 0.0


NOISES = {
    "Gaussian": Noise(normal),
    "lognormal(0, 1.2)": Noise(lognormal),
    "Gaussian, 5% × 50": Noise(normal, spike, 0.05),
    "lognormal, 5% × 50": Noise(lognormal, spike, 0.05),
    "Student-t(2)": Noise(lambda rng: float(rng.standard_t(2.0))),
    "10% outliers": Noise(normal, shift, 0.10),
    "zero-inflated": Noise(often_zero),
    "20% zeros": Noise(normal, zero, 0.20),
    "proportional": Noise(normal, multiplies=True),
}


@dataclass(frozen=True)
class World:
    """One problem: its function, its noise, and the truth about any configuration."""

    noise: str
    seed: int

    @cached_property
    def _drawn(self) -> tuple[Array, Array, str]:
        rng = np.random.default_rng([zlib.crc32(self.noise.encode()), self.seed])
        d = 2 + self.seed % 3
        optimum, slopes = rng.uniform(0.1, 0.9, d), np.exp(rng.uniform(-1.0, 1.0, d))
        height = math.exp(rng.uniform(math.log(5.0), math.log(40.0)))
        direction = "minimize" if self.seed % 2 else "maximize"
        return optimum, height * slopes / slopes.sum(), direction

    @property
    def direction(self) -> str:
        return self._drawn[2]

    @property
    def space(self) -> dict[str, tuple[float, float]]:
        return {f"x{i}": (0.0, 1.0) for i in range(len(self._drawn[0]))}

    def f(self, x: Array) -> float:
        optimum, slopes, direction = self._drawn
        q = float(slopes @ (x - optimum) ** 2)
        return 20.0 + q if direction == "minimize" else 20.0 - q

    def measure(self, x: Array, trial: int) -> float:
        rng = np.random.default_rng([zlib.crc32(self.noise.encode()), self.seed, trial, 1])
        law = NOISES[self.noise]
        value = self._with(law, self.f(x), law.error(rng))
        if law.corrupt is not None and rng.random() < law.share:
            return law.corrupt(rng, value)
        return value

    @staticmethod
    def _with(law: Noise, f: float, error: float) -> float:
        return f * math.exp(0.3 * error) if law.multiplies else f + error

    def runs(self, x: Array) -> Array:
        """Many runs at a configuration, none corrupt."""
        law, f = NOISES[self.noise], self.f(x)
        errors = _errors(self.noise)
        return f * np.exp(0.3 * errors) if law.multiplies else f + errors


_ERRORS: dict[str, Array] = {}


def _errors(noise: str) -> Array:
    if noise not in _ERRORS:
        rng = np.random.default_rng(0)
        law = NOISES[noise]
        _ERRORS[noise] = np.array([law.error(rng) for _ in range(100_000)])
        if noise == "Student-t(2)":  # symmetric
            _ERRORS[noise] = np.concatenate([_ERRORS[noise], -_ERRORS[noise]])
    return _ERRORS[noise]
