"""Which policy to choose on measured data: by how much it leads, and how sure that is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.errors import StoicError
from stoic.lab.experiments.catalogue.checks import per_round
from stoic.lab.experiments.compare import Difference, paired_difference
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.tables import Table, label_of, without_labels
from stoic.lab.problems import Problem, problems

__all__ = ["Lead", "Scale", "Setting", "Standing", "settings", "standings"]

UNIFORM = "Uniform"
_RESAMPLES = 10_000  # of the bootstrap


@dataclass(frozen=True)
class Scale:
    """A unit of regret that a reader knows: its name, and its size in the unit of payoffs.

    Attributes
    ----------
    unit
        Such as ``"ms"``.
    per_payoff
        By what a difference of payoffs is multiplied.
    """

    unit: str
    per_payoff: Callable[[Problem], float]


MEDIAN_ARM = "× the median arm's"  # the unit of reported regret, if no other is known


@dataclass(frozen=True)
class Lead:
    """How much less a policy loses per round than another, and in how many trials it does."""

    rival: str
    difference: Difference
    wins: int
    trials: int


@dataclass(frozen=True, eq=False)
class Setting:
    """One data set: the mean regret per round of each policy and trial, in a natural unit.

    Attributes
    ----------
    data
        The name of the experiment.
    label
        The problem.
    unit, horizon
        The unit of regret, and the number of rounds.
    rates
        R_T/T of each policy, one number for each trial; trials are paired.
    """

    data: str
    label: str
    unit: str
    horizon: int
    rates: Mapping[str, Array]

    @property
    def ranked(self) -> list[str]:
        """The policies, lowest mean regret first."""
        return sorted(self.rates, key=lambda policy: float(self.rates[policy].mean()))

    @property
    def best(self) -> str:
        """The policy of the lowest mean regret."""
        return self.ranked[0]

    def lead(self, policy: str, rival: str) -> Lead:
        """How far a policy is below another."""
        ours, theirs = self.rates[policy], self.rates[rival]
        wins = int(np.sum(ours < theirs))
        return Lead(rival, paired_difference(theirs, ours), wins, len(ours))

    @property
    def not_below_uniform(self) -> list[str]:
        """Policies whose lead over uniform play is not beyond chance."""
        return [
            policy
            for policy in self.rates
            if policy != UNIFORM and self.lead(policy, UNIFORM).difference.low <= 0.0
        ]


@dataclass(frozen=True)
class Standing:
    """A policy over all data sets.

    Attributes
    ----------
    policy
        Its name.
    share
        Regret divided by that of uniform play, as a mean over the data sets of equal weight, with
        a bootstrap interval.
    rank
        Mean rank over the data sets of equal weight; 1 is the lowest regret.
    worst
        Largest share of all settings.
    behind
        Its share minus that of the first policy of the list; zero for that policy itself.
    below_uniform
        In how many settings its lead over uniform play is beyond chance.
    """

    policy: str
    share: Difference
    rank: float
    worst: float
    behind: Difference
    below_uniform: int


def settings(results: Results, scale: Scale) -> list[Setting]:
    """The settings of an experiment on measured data.

    The unit is computed from the data. Where they are missing, regret is in units of the median
    arm's.
    """
    found = []
    for case in dict.fromkeys((c.experiment, c.problem, c.horizon) for c in results.some()):
        experiment, problem, horizon = case
        curves = results.curves(experiment=experiment, problem=problem, horizon=horizon)
        trials = curves[0].trials
        for curve in curves:
            trials = np.intersect1d(trials, curve.trials)
        unit, factors = _factors(results, scale, problem, trials.tolist())
        rates = {
            curve.case.policy: per_round(curve)[np.isin(curve.trials, trials)] * factors
            for curve in curves
        }
        found.append(Setting(experiment, problem, unit, horizon, rates))
    return found


def _factors(
    results: Results, scale: Scale, label: str, trials: Sequence[int]
) -> tuple[str, Array]:
    """The unit, and its number in a reported regret of 1, for each trial."""
    tables: list[Table] = [
        table
        for experiment in results.manifest.get("experiments", ())
        for table in experiment.get("problem", ())
        if label_of(table) == label
    ]
    if not tables:
        return MEDIAN_ARM, np.ones(len(trials))
    table = without_labels(tables[0])
    drawn = "seed" in inspect.signature(problems.maker(table["kind"])).parameters
    try:
        made = [problems.make(table, seed=trial) for trial in (trials if drawn else trials[:1])]
    except StoicError:  # the data, or the package that holds them, are missing
        return MEDIAN_ARM, np.ones(len(trials))
    factors = np.array([scale.per_payoff(one) * one.unit for one in made])
    return scale.unit, np.broadcast_to(factors, len(trials))


def standings(found: Sequence[Setting], seed: int = 0) -> list[Standing]:
    """The policies that all settings share, the one to choose first.

    A policy comes before another if it is below uniform play beyond chance in more settings, and
    then if its mean share of uniform play's regret is smaller.
    """
    common = [p for p in found[0].rates if all(p in setting.rates for setting in found)]
    groups = [[s for s in found if s.data == data] for data in dict.fromkeys(s.data for s in found)]
    weights = {id(s): 1.0 / len(group) / len(groups) for group in groups for s in group}
    rng = np.random.default_rng(seed)
    shares, resampled = dict.fromkeys(common, 0.0), {p: np.zeros(_RESAMPLES) for p in common}
    worst, ranks = dict.fromkeys(common, 0.0), dict.fromkeys(common, 0.0)
    for setting in found:
        weight, n = weights[id(setting)], len(setting.rates[UNIFORM])
        drawn = rng.integers(0, n, (_RESAMPLES, n))  # the same trials for all policies
        base = setting.rates[UNIFORM]
        order = [policy for policy in setting.ranked if policy in common]
        for policy in common:
            rates = setting.rates[policy]
            share = float(rates.mean() / base.mean())
            shares[policy] += weight * share
            worst[policy] = max(worst[policy], share)
            ranks[policy] += weight * (1 + order.index(policy))
            resampled[policy] += weight * rates[drawn].mean(axis=1) / base[drawn].mean(axis=1)
    below = {p: sum(p not in s.not_below_uniform for s in found) for p in common if p != UNIFORM}
    below[UNIFORM] = 0
    ordered = sorted(common, key=lambda policy: (-below[policy], shares[policy]))
    first = ordered[0]
    alone = min(len(setting.rates[UNIFORM]) for setting in found) == 1
    return [
        Standing(
            policy,
            _interval(shares[policy], resampled[policy], alone),
            ranks[policy],
            worst[policy],
            _interval(shares[policy] - shares[first], resampled[policy] - resampled[first], alone),
            below[policy],
        )
        for policy in ordered
    ]


def _interval(mean: float, resampled: Array, alone: bool) -> Difference:
    """The percentile bootstrap's interval; a single trial has no information about the spread."""
    if alone:
        return Difference(mean, -np.inf, np.inf)
    low, high = np.quantile(resampled, (0.025, 0.975))
    return Difference(mean, float(low), float(high))
