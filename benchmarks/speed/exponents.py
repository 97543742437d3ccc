"""How the cost of a round grows with t, with the arms A and with the features m.

Fitted by least squares in log–log to the mean cost of a round, fresh solves included.

t: 100 arms; a policy plays on, leaves copies of itself on the way, and at the end all copies play
a window about their t in turn, so that other load on the machine affects all of them.

A and m: the plays are prescribed, over and over the same u arms, so that the number of columns
(or features) is u whatever A is; every round is still asked for its choice. Only rounds after all u
are known are timed.

m, whole runs: free play from the first round on, everything included, on kernels of ever shorter
length-scales; m is the mean over the rounds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import stoic
from core.synthetic import ARMS, KERNEL, function
from speed.report import Goal, Options, Section, duration
from speed.timing import play, seconds
from speed.work import LABELS, Method, cube
from stoic.checks import Array
from stoic.policies import by_name

__all__ = ["exponents"]

WINDOW, SLICES = 1000, 10
METHODS_OF_T = (
    *(Method(name) for name in ("gp-ucb", "tgp-ucb", "ca-tgp-ucb", "mom-gp-ucb", "bkb")),
    Method("ata-gp-ucb", options={"features": "nystrom"}),
    Method("ata-gp-ucb", options={"features": "qff"}),
)
# Exponents are compared with the goals from these values of A and m on.
ARMS_FROM, FEATURES_FROM, WHOLE_RUNS = 1000.0, 60.0, 40.0
LEAST_PERIODS = 700  # rounds: a fresh solve comes every 20 per column, at least every 256


@dataclass(frozen=True)
class Series:
    """Costs of a round along one variable."""

    label: str
    variable: str
    at: Array
    cost: Array

    def slope(self, low: float = 0.0) -> float:
        """The exponent over all values from ``low`` on."""
        used = self.at >= low
        if used.sum() < 2:  # only in the short form
            return math.nan
        return float(np.polyfit(np.log(self.at[used]), np.log(self.cost[used]), 1)[0])

    def row(self, low: float) -> list[str]:
        """The line of the table."""
        costs = " ".join(
            f"{x:g}: {duration(c)}" for x, c in zip(self.at.round(), self.cost, strict=True)
        )
        return [self.label, self.variable, costs, f"{self.slope():.3f}", f"{self.slope(low):.3f}"]


# -- t ------------------------------------------------------------------------------------------


def along_t(method: Method, last: int, points: int) -> Series:
    """Cost against t."""
    at = np.unique(np.geomspace(1000, last, points).astype(int)).tolist()
    means, rng = function(0).tolist(), np.random.default_rng(3)
    make = by_name(method.name)
    policy: Any = make(stoic.Arms(ARMS), KERNEL, **method.options)
    copies = []
    for t in at:
        play(policy, means, rng.standard_t(3, t - WINDOW // 2 - policy.t).tolist())
        copies.append(make.from_state(policy.state()))
    spent = np.zeros(len(at))
    for _ in range(SLICES):
        draws = rng.standard_t(3, WINDOW // SLICES).tolist()
        for place, copy in enumerate(copies):
            start = time.process_time()
            play(copy, means, draws)
            spent[place] += time.process_time() - start
    return Series(method.label, "t", np.array(at, dtype=float), spent / WINDOW)


# -- A and m ------------------------------------------------------------------------------------


def _points(arms: int, dimension: int, first: int) -> Array:
    """Uniform arms; the first ones are the same for every number of arms."""
    rng = np.random.default_rng(5)
    return np.vstack([rng.random((first, dimension)), rng.random((arms - first, dimension))])


def prescribed(policy: Any, columns: int, rounds: int) -> tuple[float, float]:
    """Seconds of a round that plays the first arms in turn, and the features in use."""
    rng = np.random.default_rng(11)
    payoffs = (policy.domain.X[:columns, 0] + 0.1 * rng.standard_normal((4, columns))).tolist()
    for arm in range(columns):
        policy.tell(arm, payoffs[3][arm])
    sizes = []
    start = time.process_time()
    for t in range(rounds):
        policy.ask()
        policy.tell(t % columns, payoffs[t % 3][t % columns])
        sizes.append(policy.posterior.size)
    return (time.process_time() - start) / rounds, float(np.mean(sizes))


def along_arms(name: str, columns: int, most: int) -> Series:
    """Cost against A with a fixed number of columns."""
    at = np.unique(np.geomspace(100, most, 7).astype(int))
    kernel = stoic.SquaredExponential(0.05)
    cost = []
    for arms in at.tolist():
        policy = by_name(name)(stoic.Arms(_points(arms, 2, columns)), kernel)
        rounds = LEAST_PERIODS if name == "gp-ucb" else 100
        cost.append(prescribed(policy, columns, rounds)[0])
    return Series(f"{LABELS[name]}, {columns} columns", "A", at.astype(float), np.array(cost))


def along_features(method: Method, arms: int, most: int) -> Series:
    """Cost against m, the distinct arms played or the features, with fixed arms."""
    found = []
    for columns in _doubling(16, most):
        rounds = max(LEAST_PERIODS, 25 * columns) if method.name == "gp-ucb" else 150
        if method.options.get("features") == "qff":
            # 100 length-scales a side need every node there is, so that all features count
            options = {**method.options, "nodes": columns // 2}
            kernel, dimension = stoic.SquaredExponential(0.01), 1
        else:
            options, kernel, dimension = method.options, stoic.SquaredExponential(0.05), 2
        X = _points(arms, dimension, columns)
        policy = by_name(method.name)(stoic.Arms(X), kernel, **options)
        found.append(prescribed(policy, columns, rounds)[::-1])
    at, cost = np.array(found).T
    return Series(f"{method.label}, {arms} arms", "m", at, cost)


def along_runs(method: Method, arms: int, rounds: int) -> Series:
    """Cost against m of whole runs."""
    found = []
    for lengthscale in (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.13):
        world = cube(arms, 3, lengthscale)
        policy, means, sizes = method.make(world, rounds), world.problem.f.tolist(), []
        spent = 0.0
        for part in np.array_split(world.draws(rounds), rounds // 10):
            spent += seconds(lambda: play(policy, means, part.tolist()))  # noqa: B023
            sizes.append(policy.posterior.size)
        found.append((float(np.mean(sizes)), spent / rounds))
    at, cost = np.array(found).T
    return Series(f"{method.label}, whole runs", "m", at, cost)


def _doubling(first: int, last: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= 2


def exponents(options: Options) -> Section:
    """All exponents, and whether they are what they should be."""
    section = Section(
        "Cost of a round against t, A and m",
        ["policy", "variable", "cost", "exponent", "for large values"],
        notes=[
            f"Exponents over the whole range, and from A = {ARMS_FROM:g}, m = {FEATURES_FROM:g} "
            f"(whole runs: {WHOLE_RUNS:g}) on, where the overhead of Python matters less; "
            "the latter are compared with the goals. m: distinct arms or features of the posterior."
        ],
    )
    slopes: dict[str, dict[str, float]] = {"t": {}, "A": {}, "m": {}}

    def add(series: Series, low: float) -> None:
        section.rows.append(series.row(low))
        slopes[series.variable][series.label] = series.slope(low)

    last, points = options.pick(100_000, 3000), options.pick(5, 2)
    for method in METHODS_OF_T:
        options.tick(f"cost against t: {method.label}")
        add(along_t(method, last, points), 0.0)
    for name in ("gp-ucb", "bkb"):
        options.tick(f"cost against A: {LABELS[name]}")
        add(along_arms(name, 32, options.pick(100_000, 5000)), ARMS_FROM)
    for method in (Method("gp-ucb"), *METHODS_OF_T[-3:]):
        options.tick(f"cost against m: {method.label}")
        most = options.pick(1024 if method.name == "gp-ucb" else 512, 128)
        add(along_features(method, options.pick(2000, 500), most), FEATURES_FROM)
    for method in (Method("gp-ucb"), *METHODS_OF_T[-3:-1]):
        options.tick(f"cost against m, whole runs: {method.label}")
        add(along_runs(method, options.pick(2000, 500), options.pick(2000, 100)), WHOLE_RUNS)
    for variable, goal in (("t", "0 ± 0.05"), ("A", "≤ 1"), ("m", "≤ 1, amortised")):
        found = slopes[variable]
        text = ", ".join(f"{label} {slope:.2f}" for label, slope in found.items())
        met = max(map(abs, found.values())) <= 0.05 if variable == "t" else None
        met = max(found.values()) <= 1.0 if met is None else met
        section.goals.append(Goal(f"cost against {variable}", "fitted exponents", goal, text, met))
    return section
