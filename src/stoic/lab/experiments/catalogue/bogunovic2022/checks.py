"""Checks of claims that only bogunovic2022 makes, and one line of its figures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stoic.checks import Array
from stoic.lab.experiments.catalogue.base import Verdict
from stoic.lab.experiments.catalogue.bogunovic2022.worlds import LAST_EPOCH, LEVEL, WORLDS
from stoic.lab.experiments.catalogue.checks import LINEAR_RATIO, per_round
from stoic.lab.experiments.results import Curve, Results
from stoic.lab.experiments.spec import Case
from stoic.lab.experiments.summary import slope_ratio
from stoic.lab.experiments.tables import Table
from stoic.lab.problems import Problem, problems

__all__ = ["alone", "below", "in_brief", "in_figures", "late_loss", "on_the_best", "sticks"]

LEAST_SHARE = 0.9  # of the trials


def alone(label: str) -> Callable[[Results], Verdict]:
    """Check that RGP-PE has the best arm alone by its 13th epoch, in 9 of 10 trials per attack."""

    def check(results: Results) -> Verdict:
        lines, shares, last = [], [], 0
        for case in results.some("epochs", policy="RGP-PE", problem=label):
            right = _right(results, case)
            shares.append(float(right.mean()))
            last = max(last, *(epoch for epoch, _ in _left(results, case)))
            lines.append(f"{case.attack} {int(right.sum())}/{len(right)}")
        text = f"trials with the best arm alone after {last} epochs: {', '.join(lines)}"
        return Verdict(min(shares) >= LEAST_SHARE, text)

    return check


def _left(results: Results, case: Case) -> list[tuple[int, int]]:
    """For each trial, the last epoch up to the 13th, and the number of arms left then."""
    rows, found = results.rows("epochs", case), []
    for trial in np.unique(rows["trial"]):
        last = np.flatnonzero((rows["trial"] == trial) & (rows["epoch"] <= LAST_EPOCH))[-1]
        found.append((int(rows["epoch"][last]), int(rows["active"][last])))
    return found


def _right(results: Results, case: Case) -> Array:
    """Whether each trial of RGP-PE ends with the best arm alone."""
    one = np.array([arms for _, arms in _left(results, case)]) == 1
    return np.asarray(one & _settled(results.curve(case)))


def _settled(curve: Curve) -> Array:
    """Whether each trial has no regret after the last checkpoint but one."""
    return np.asarray(curve.values[:, -1] == curve.values[:, -2])


def late_loss(curve: Curve) -> Array:
    """Regret per round over the last tenth of the rounds, of each trial."""
    since = min(int(np.searchsorted(curve.t, 0.9 * curve.t[-1])), len(curve.t) - 2)
    lost = curve.values[:, -1] - curve.values[:, since]
    return np.asarray(lost / (curve.t[-1] - curve.t[since]))


def on_the_best(label: str, world: str) -> Callable[[Results], Verdict]:
    """Check that RGP-UCB's loss per round, over the last tenth, is below the second-best arm's."""

    def check(results: Results) -> Verdict:
        gap = _gap(_made(WORLDS[world], 0))
        stuck, total = [], 0
        for case in results.some(policy="RGP-UCB", problem=label):
            late = late_loss(results.curve(case))
            total += len(late)
            stuck += [case.attack] * int((late >= 0.95 * gap).sum())
        counts = "; ".join(f"{attack}: {stuck.count(attack)}" for attack in dict.fromkeys(stuck))
        listed = f" ({counts})" if counts else ""
        return Verdict(not stuck, f"not so in {len(stuck)} of {total} trials{listed}")

    return check


def sticks(draws: Table) -> Callable[[Results], Verdict]:
    """Check that GP-UCB, unattacked, ends on an arm other than the best on most draws."""

    def check(results: Results) -> Verdict:
        (case,) = results.some(policy="GP-UCB", problem=draws["label"], attack="no attack")
        curve = results.curve(case)
        stuck, above = 0, 0
        for trial, loss in zip(curve.trials.tolist(), late_loss(curve).tolist(), strict=True):
            problem = _made(draws, trial)
            if loss >= _gap(problem) / 2.0:
                stuck += 1
                above += problem.optimum - loss * problem.unit > LEVEL
        n = len(curve.trials)
        text = f"{stuck} of {n} draws; in {above} of these the arm is above ½√ln T = {LEVEL:.2f}"
        return Verdict(stuck > n / 2, text)

    return check


def _made(table: Table, trial: int) -> Problem:
    return problems.make({k: v for k, v in table.items() if k != "label"}, seed=trial)


def _gap(problem: Problem) -> float:
    """The difference of the expected payoffs of the best and the second-best arm."""
    first, second = np.sort(problem.f)[:-3:-1].tolist()
    return float(first - second)


def below(label: str) -> Callable[[Results], Verdict]:
    """Check that RGP-UCB has less regret than RGP-PE in most settings."""

    def check(results: Results) -> Verdict:
        found = _lower(results, label)
        return Verdict(
            sum(found) > len(found) / 2, f"below in {sum(found)} of {len(found)} settings"
        )

    return check


def _lower(results: Results, label: str) -> list[bool]:
    """Whether RGP-UCB has less regret than RGP-PE, setting by setting."""
    found = []
    for case in results.some(policy="RGP-UCB", problem=label):
        (other,) = results.some(policy="RGP-PE", problem=label, attack=case.attack)
        mine, theirs = results.curve(case), results.curve(other)
        found.append(bool(per_round(mine).mean() < per_round(theirs).mean()))
    return found


def in_brief(*labels: str) -> Callable[[Results], str]:
    """Under which attacks GP-UCB's regret is linear, how often RGP-PE is right, and the order."""

    def describe(results: Results) -> str:
        misled, right, lower = [], [], []
        for label in labels:
            cases = results.some(policy="GP-UCB", problem=label)
            slopes = {case.attack: slope_ratio(results.curve(case)) for case in cases}
            names = ", ".join(attack for attack, slope in slopes.items() if slope >= LINEAR_RATIO)
            misled.append(f"{names or 'none'}{f' ({label})' if len(labels) > 1 else ''}")
            for case in results.some("epochs", policy="RGP-PE", problem=label):
                right += _right(results, case).tolist()
            if results.cases(policy="RGP-UCB", problem=label):
                lower += _lower(results, label)
        order = f"; RGP-UCB below RGP-PE in {sum(lower)} of {len(lower)} settings" if lower else ""
        return (
            f"GP-UCB linear: {', '.join(misled)}; RGP-PE ends on the best arm in {sum(right)} of "
            f"{len(right)} trials{order}"
        )

    return describe


def in_figures(*labels: str) -> Callable[[Results], str]:
    """The losses of GP-UCB at the end, RGP-PE's arms, and the robust policies' order."""

    def describe(results: Results) -> str:
        parts = []
        for label in labels:
            losses = ", ".join(
                f"{case.attack} {late_loss(results.curve(case)).mean():.2g}"
                for case in results.some(policy="GP-UCB", problem=label)
            )
            parts.append(f"{label}: GP-UCB's loss per round over the last tenth: {losses}")
            parts.append(f"RGP-PE, {alone(label)(results).figures}")
            if results.cases(policy="RGP-UCB", problem=label):
                parts.append(f"RGP-UCB is {below(label)(results).figures} than RGP-PE")
        return "; ".join(parts)

    return describe
