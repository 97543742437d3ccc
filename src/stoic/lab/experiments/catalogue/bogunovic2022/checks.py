"""Checks of claims that only bogunovic2022 makes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stoic.lab.experiments.catalogue.base import Verdict
from stoic.lab.experiments.catalogue.bogunovic2022.worlds import WORLDS
from stoic.lab.experiments.catalogue.checks import per_round
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case
from stoic.lab.problems import problems

__all__ = ["below", "on_the_best", "one_arm", "right_arm"]


def one_arm(*labels: str) -> Callable[[Results], Verdict]:
    """Check that RGP-PE has one arm left by the end of its 13th epoch."""

    def check(results: Results) -> Verdict:
        lines, holds = [], True
        for label in labels:
            left = [x for case in _eliminating(results, label) for x in _left(results, case)]
            counts = [arms for _, arms in left]
            holds &= max(counts) == 1
            epochs = sorted({epoch for epoch, _ in left})
            after = f"{epochs[0]}–{epochs[-1]}" if len(epochs) > 1 else f"{epochs[0]}"
            lines.append(
                f"{label}: one arm in {counts.count(1)} of {len(counts)} runs, at most "
                f"{max(counts)}, after {after} epochs"
            )
        return Verdict(holds, "; ".join(lines))

    return check


def _eliminating(results: Results, label: str) -> list[Case]:
    return results.some("epochs", policy="RGP-PE", problem=label)


def _left(results: Results, case: Case) -> list[tuple[int, int]]:
    """For each trial, the last epoch up to the 13th, and the number of arms left then."""
    rows, found = results.rows("epochs", case), []
    for trial in np.unique(rows["trial"]):
        last = np.flatnonzero((rows["trial"] == trial) & (rows["epoch"] <= 13))[-1]
        found.append((int(rows["epoch"][last]), int(rows["active"][last])))
    return found


def right_arm(results: Results) -> Verdict:
    """Check that the last arm of RGP-PE is the best one; else, what it loses per round."""
    alone, lost = 0, []
    for case in results.some(policy="RGP-PE"):
        regret, active = results.curve(case), results.curve(case, "active")
        late = (regret.values[:, -1] - regret.values[:, -2]) / np.diff(regret.t)[-1]
        single = active.values[:, -2] == 1
        alone += int(single.sum())
        lost += late[single & (late > 1e-9)].tolist()
    if not alone:
        return Verdict(None, "no run was down to one arm", tested=False)
    worst = f", losing {max(lost):.2g} a round at most" if lost else ""
    return Verdict(len(lost) <= 2, f"not the best in {len(lost)} of {alone} such runs{worst}")


def on_the_best(label: str, world: str) -> Callable[[Results], Verdict]:
    """Check that RGP-UCB's loss per round, over the last tenth, is below the second-best arm's."""

    def check(results: Results) -> Verdict:
        stuck, total = [], 0
        for case in results.some(policy="RGP-UCB", problem=label):
            curve = results.curve(case)
            since = min(int(np.searchsorted(curve.t, 0.9 * case.horizon)), len(curve.t) - 2)
            late = (curve.values[:, -1] - curve.values[:, since]) / (case.horizon - curve.t[since])
            for trial, loss in zip(curve.trials.tolist(), late.tolist(), strict=True):
                total += 1
                if loss >= 0.95 * _gap(world, trial):
                    stuck.append(case.attack)
        counts = "; ".join(f"{attack}: {stuck.count(attack)}" for attack in dict.fromkeys(stuck))
        listed = f" ({counts})" if counts else ""
        return Verdict(not stuck, f"not so in {len(stuck)} of {total} trials{listed}")

    return check


def _gap(world: str, trial: int) -> float:
    """The difference of the expected payoffs of the best and the second-best arm."""
    table = {name: value for name, value in WORLDS[world].items() if name != "label"}
    first, second = np.sort(problems.make(table, seed=trial).f)[:-3:-1].tolist()
    return float(first - second)


def below(results: Results) -> Verdict:
    """Check that RGP-UCB has less regret than RGP-PE in most settings."""
    pairs = []
    for case in results.some(policy="RGP-UCB"):
        same = {n: getattr(case, n) for n in ("experiment", "problem", "attack")}
        other = results.some(policy="RGP-PE", **same)[0]
        mine, theirs = results.curve(case), results.curve(other)
        pairs.append((case.attack, per_round(mine).mean() < per_round(theirs).mean()))
    count = sum(below for _, below in pairs)
    return Verdict(count > len(pairs) / 2, f"below in {count} of {len(pairs)} settings")
