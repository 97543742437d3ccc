"""The functions of COCO: ``bbob`` without noise, ``bbob-noisy`` with three classes of noise.

N. Hansen, A. Auger, R. Ros, O. Mersmann, T. Tušar, D. Brockhoff. COCO: a platform for comparing
continuous optimizers in a black-box setting. Optimization Methods and Software 36, 2021.

A score is (f(answer) − f*) / (median of f over the region − f*): 0 the minimum, 1 a typical point.

The noisy functions come in triples: Gaussian, uniform and Cauchy noise on the same f. The Gaussian
and uniform noise multiply f − f*, so that the minimum is measured exactly; the Cauchy noise adds to
f a constant, and with a chance of 5% or 20% an error. Therefore the most frequent value of the
triple's Cauchy member, less the constant, is the true f of all three members.
"""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

import stoic
from robust.world.base import Array, Case, Params, Problem, World, missing

LOW, HIGH = -5.0, 5.0  # the region in which COCO places all optima
SAMPLE = 12  # the median of f is that of 2^12 Sobol points
DRAWS = 31  # of the Cauchy member for one true value: wrong with a chance of about 1e-8
MAX_BURNED = 100_000  # measurements left out before a run, 0.2 s, so that seeds differ
NOISES = ("gauss", "uniform", "cauchy")
FIRST_NOISY = 101
FIRST_SEVERE = 107
OFFSETS = {"moderate": 10.0, "severe": 1000.0}  # constants that the Cauchy noise adds
PRINTED = "._bbob_problem_best_parameter.txt"  # the file that cocoex writes


def noise_of(function: int) -> str:
    """Return the class of noise of a function of bbob-noisy.

    >>> [noise_of(f) for f in (101, 102, 103, 130)]
    ['gauss', 'uniform', 'cauchy', 'cauchy']
    """
    return NOISES[(function - FIRST_NOISY) % 3]


def clean_member(function: int) -> tuple[int, float]:
    """Return the triple's Cauchy member, and the constant that its noise adds.

    >>> clean_member(101), clean_member(130)
    ((103, 10.0), (130, 1000.0))
    """
    offset = OFFSETS["moderate" if function < FIRST_SEVERE else "severe"]
    return function + 2 - (function - FIRST_NOISY) % 3, offset


@contextlib.contextmanager
def _empty_folder() -> Iterator[Path]:
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(here)


class Suite:
    """A suite of cocoex for some instances and dimensions.

    To make a suite restarts the random numbers of the noise, which all problems share.
    """

    def __init__(self, name: str, instances: Sequence[int], dimensions: Sequence[int]) -> None:
        try:
            library: Any = import_module("cocoex")
        except ImportError:
            raise missing("coco-experiment", f"the world {name}") from None
        chosen = ",".join(map(str, instances)), ",".join(map(str, dimensions))
        self._suite = library.Suite(name, f"instances:{chosen[0]}", f"dimensions:{chosen[1]}")

    def problem(self, f: int, d: int, i: int) -> Any:
        """Return a problem, which can be called."""
        return self._suite.get_problem_by_function_dimension_instance(f, d, i)

    def minimiser(self, f: int, d: int, i: int) -> Array:
        """Return where the minimum of a problem is."""
        with _empty_folder() as folder:
            self.problem(f, d, i)._best_parameter("print")
            return np.loadtxt(folder / PRINTED).reshape(d)


class Coco(Problem):
    """One function; its measurements have the noise of the suite."""

    def __init__(self, suite: str, case: Case, seed: int) -> None:
        self._suite, (self._f, self._d, self._i) = suite, _parsed(case.name)
        self.space = stoic.Space({f"x{k}": stoic.Float(LOW, HIGH) for k in range(self._d)})
        self._scale = scale(suite, self._f, self._d, self._i)
        self._problem = Suite(suite, [self._i], [self._d]).problem(self._f, self._d, self._i)
        if suite == "bbob-noisy":
            key = [seed, self._f, self._d, self._i]
            middle = np.zeros(self._d)
            for _ in range(np.random.default_rng(key).integers(MAX_BURNED)):
                self._problem(middle)

    def measure(self, params: Params) -> float | None:
        return float(self._problem(self._point(params)))

    def scores(self, rows: Sequence[Params]) -> Array:
        best, typical = self._scale
        points = np.array([self._point(row) for row in rows])
        return (truths(self._suite, self._f, self._i, points) - best) / (typical - best)

    def _point(self, params: Params) -> Array:
        return np.array([float(params[name]) for name in self.space.names])


def truths(suite: str, f: int, i: int, points: Array) -> Array:
    """Return f without noise; restarts the random numbers of the noise."""
    d = points.shape[1]
    if suite == "bbob":
        problem = Suite(suite, [i], [d]).problem(f, d, i)
        return np.array([float(problem(x)) for x in points])
    member, offset = clean_member(f)
    problem = Suite(suite, [i], [d]).problem(member, d, i)
    draws = np.array([[float(problem(x)) for _ in range(DRAWS)] for x in points])
    usual: Array = np.median(draws, axis=1) - offset
    return usual


@functools.cache
def scale(suite: str, f: int, d: int, i: int) -> tuple[float, float]:
    """Return the minimum of f, and its median over the region."""
    minimiser = Suite(suite, [i], [d]).minimiser(f, d, i)
    sample = LOW + (HIGH - LOW) * qmc.Sobol(d, seed=SAMPLE).random_base2(SAMPLE)
    values = truths(suite, f, i, np.vstack([minimiser, sample]))
    return float(values[0]), float(np.median(values[1:]))


def _parsed(name: str) -> tuple[int, int, int]:
    f, d, i = (int(part[1:]) for part in name.split("-"))
    return f, d, i


class Bbob(World):
    """The 24 functions without noise."""

    suite = "bbob"
    functions = range(1, 25)

    def cases(self) -> list[Case]:
        return [
            Case(f"f{f}-d{d}-i{i}", f"f{f}-d{d}", self._noise(f))
            for i in self.settings.instances
            for d in self.settings.dimensions
            for f in self.functions
        ]

    def _noise(self, function: int) -> str:  # noqa: ARG002
        return "none"

    def open(self, case: Case, seed: int) -> Problem:
        return Coco(self.suite, case, seed)


class BbobNoisy(Bbob):
    """The 30 noisy functions."""

    suite = "bbob-noisy"
    functions = range(FIRST_NOISY, 131)

    def _noise(self, function: int) -> str:
        return noise_of(function)
