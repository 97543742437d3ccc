"""Bogunovic et al., *A robust phased elimination algorithm …*, NeurIPS 2022."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from stoic.lab.experiments.catalogue.base import Claim, Reproduction, Verdict
from stoic.lab.experiments.catalogue.judging import linear, per_round, sublinear
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case, Experiment, PolicySpec, Table
from stoic.lab.problems import problems

__all__ = ["F1", "REPRODUCTIONS"]

SOURCE = (
    "Bogunovic, Li, Krause, Scarlett, A robust phased elimination algorithm for "
    "corruption-tolerant Gaussian process bandits, NeurIPS 2022"
)
F1 = 2  # the first draw whose optimum is outside the target and above it by less than h_max
ROBUST = ("RGP-UCB", "RGP-PE")
LEVELS: dict[str, dict[str, float]] = {
    "f1": {"c": 0.5, "beta": 4.0},
    "robot": {"c": 2.0, "beta": 6.0},
}
WORLDS: dict[str, Table] = {
    "f1": {"kind": "gp-sample", "function": F1, "label": "f₁"},
    "robot": {"kind": "robot3d", "label": "Robot3D"},
}


def attacks(world: str, budget: float) -> tuple[Table, ...]:
    """The honest world, the five attacks, and each of them started later."""
    h_max = 1.0 if world == "f1" else 3.0
    five: list[Table] = [
        {"kind": "clipping", "delta": 0.5, "label": "Clipping"},
        {"kind": "agg-sub", "h_max": h_max, "label": "AggSub"},
        {"kind": "top-k", "k": 3, "label": "Top-3"},
        {"kind": "top-k", "k": 5, "label": "Top-5"},
        {"kind": "flip", "label": "Flip"},
    ]
    now = [{**attack, "budget": budget} for attack in five]
    later = [
        {**attack, "start": "later", "label": f"{attack['label']}, later", "policies": ROBUST}
        for attack in now
    ]
    return ({"label": "no attack"}, *now, *later)


def experiment(name: str, world: str, budget: float, quick: bool) -> Experiment:
    """One function with one budget, under every attack."""
    c, beta = LEVELS[world]["c"], LEVELS[world]["beta"]
    return Experiment(
        f"bogunovic2022/{name}",
        problems=(WORLDS[world],),
        noises=({"kind": "gaussian", "std": 0.02, "label": "σ = 0.02"},),
        attacks=attacks(world, budget),
        policies=(
            PolicySpec("gp-ucb", "GP-UCB", schedule_options={"paper": {"c": c}}),
            PolicySpec("rgp-ucb", "RGP-UCB", schedule_options={"paper": {"c": c}}),
            PolicySpec("rgp-pe", "RGP-PE", schedule_options={"paper": {"beta": beta}}),
        ),
        schedules=("paper",),
        horizons=(2000 if quick else 50_000,),
        trials=1 if quick else 10,
        budget=budget,
        record=("epochs",),
    )


def _one_arm(*labels: str) -> Callable[[Results], Verdict]:
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
    """For each trial, epochs up to the 13th that the horizon had room for, and arms left then."""
    rows, found = results.rows("epochs", case), []
    for trial in np.unique(rows["trial"]):
        last = np.flatnonzero((rows["trial"] == trial) & (rows["epoch"] <= 13))[-1]
        found.append((int(rows["epoch"][last]), int(rows["active"][last])))
    return found


def _right_arm(results: Results) -> Verdict:
    """How often the one arm that RGP-PE has left is not the best, and what it loses."""
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


def _on_the_best(label: str, world: str) -> Callable[[Results], Verdict]:
    """Whether RGP-UCB's loss a round, over the last tenth, is below the second-best arm's."""

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
        places = "; ".join(f"{attack}: {stuck.count(attack)}" for attack in dict.fromkeys(stuck))
        listed = f" ({places})" if places else ""
        return Verdict(not stuck, f"not so in {len(stuck)} of {total} trials{listed}")

    return check


def _gap(world: str, trial: int) -> float:
    """How much less than the best arm the second-best pays."""
    table = {name: value for name, value in WORLDS[world].items() if name != "label"}
    first, second = np.sort(problems.make(table, seed=trial).f)[:-3:-1].tolist()
    return float(first - second)


def _below(results: Results) -> Verdict:
    pairs = []
    for case in results.some(policy="RGP-UCB"):
        same = {n: getattr(case, n) for n in ("experiment", "problem", "attack")}
        other = results.some(policy="RGP-PE", **same)[0]
        mine, theirs = results.curve(case), results.curve(other)
        pairs.append((case.attack, per_round(mine).mean() < per_round(theirs).mean()))
    count = sum(below for _, below in pairs)
    return Verdict(count > len(pairs) / 2, f"below in {count} of {len(pairs)} settings")


SETTLED = {
    "f1": "Top-3 spends its 50 on the best arm until RGP-UCB, whose width b·C = 5 is just too "
    "small for it, leaves that arm for the second best, 0.14 below, for good. With C = 100, known "
    "to the policy, no trial is so.",
    "robot": "One of the ten sets of pushes has two best arms that differ by 0.009; RGP-UCB still "
    "plays others beside them.",
}
SPENT = (
    "The paper says it of C = 100. With C = 50 the budget is spent before GP-UCB has lost sight "
    "of the best arm in half of the trials."
)


def _claims(world: str, linear_under: tuple[str, ...]) -> tuple[Claim, ...]:
    label = WORLDS[world]["label"]
    return (
        Claim(
            f"GP-UCB's regret is linear under {', '.join(linear_under)} on {label}.",
            linear("GP-UCB", linear_under, problem=label),
            why=SPENT if world == "robot" else "",
        ),
        Claim(
            f"RGP-UCB and RGP-PE are sublinear under every attack on {label}.",
            sublinear(ROBUST, problem=label),
        ),
        Claim(
            f"GP-UCB succeeds on {label} when no attack is applied.",
            sublinear(("GP-UCB",), problem=label, attack="no attack"),
        ),
        Claim(
            f"At the end RGP-UCB loses less a round on {label} than the second-best arm does, in "
            "every trial (ours to ask).",
            _on_the_best(label, world),
            why=SETTLED[world],
        ),
    )


def _shared(*labels: str, why: str = "") -> tuple[Claim, ...]:
    return (
        Claim("RGP-PE is down to one arm by the end of the 13th epoch.", _one_arm(*labels), why),
        Claim("That arm is the best one, but for at most two trials.", _right_arm),
        Claim("RGP-UCB generally has the lower regret of the two.", _below),
    )


NEAR_TIES = (
    "It depends on how close the best arms are. f₁ is not published; ours has four arms within "
    "0.18 of the best, and sets of random pushes have near ties too. Arms that differ by more than "
    "about 0.13 are told apart by then: see the other draws of fig2."
)
STUBBORN = ("Clipping", "AggSub", "Top-3", "Top-5")
SETTING = (
    "T = 50,000, σ = 0.02, λ = 1, b = 0.1, ψ = 0.5, η = 2, 10 trials. 'Later': the attack waits "
    "until the policy has ruled out an arm. Linear: the mean regret's last half is at least half "
    "as steep as its first. "
)
PUSHES = "Robot3D: 100 random pushes, new ones for each trial, β = 2√ln t and β_h = 6. "
SAMPLE = (
    "f₁: one draw of the Gaussian process on a 10 × 10 grid, the first whose optimum is outside "
    "the attacks' target region and within reach of AggSub; β = ½√ln t and β_h = 4. "
)


def _fig2(quick: bool) -> list[Experiment]:
    full = experiment("fig2", "f1", 50.0, quick)
    draws = replace(
        full,
        problems=({"kind": "gp-sample", "label": "draws"},),
        attacks=full.attacks[:1],
        policies=full.policies[2:],
        trials=2 if quick else 20,
    )
    return [full, draws]


def _fig1(quick: bool) -> list[Experiment]:
    full = experiment("fig3", "robot", 100.0, quick)
    shown = tuple(a for a in full.attacks if a["label"] in ("no attack", "Top-3", "Top-5"))
    return [
        replace(
            full, attacks=shown, policies=tuple(p for p in full.policies if p.label != "RGP-UCB")
        )
    ]


REPRODUCTIONS = (
    Reproduction(
        "bogunovic2022/fig1",
        "Robot3D, the two most effective attacks",
        SOURCE,
        SETTING + PUSHES + "C = 100.",
        _fig1,
        (
            Claim(
                "GP-UCB deteriorates under both attacks.",
                linear("GP-UCB", ("Top-3", "Top-5"), problem="Robot3D"),
            ),
            Claim("RGP-PE remains robust.", sublinear(("RGP-PE",), problem="Robot3D")),
        ),
        figures=("cumulative-regret", "epochs"),
    ),
    Reproduction(
        "bogunovic2022/fig2",
        "f₁, C = 50",
        SOURCE,
        SETTING + SAMPLE,
        _fig2,
        (
            *_claims("f1", STUBBORN),
            *_shared("f₁", why=NEAR_TIES),
            Claim(
                "The same on other draws of the process, unattacked (ours).",
                _one_arm("draws"),
                "In 4 of 20 draws the best arms are too close to be told apart by then.",
            ),
        ),
        figures=("cumulative-regret", "epochs"),
    ),
    Reproduction(
        "bogunovic2022/fig3",
        "Robot3D, C = 100",
        SOURCE,
        SETTING + PUSHES,
        lambda quick: [experiment("fig3", "robot", 100.0, quick)],
        (*_claims("robot", ("Top-3", "Top-5")), *_shared("Robot3D", why=NEAR_TIES)),
        figures=("cumulative-regret", "epochs"),
    ),
    Reproduction(
        "bogunovic2022/appendix-f",
        "f₁ with C = 100, Robot3D with C = 50",
        SOURCE,
        SETTING + SAMPLE + PUSHES,
        lambda quick: [
            experiment("appendix-f", "f1", 100.0, quick),
            experiment("appendix-f", "robot", 50.0, quick),
        ],
        (
            *_claims("f1", STUBBORN),
            *_claims("robot", ("Top-3", "Top-5")),
            *_shared("f₁", "Robot3D", why=NEAR_TIES),
        ),
        figures=("cumulative-regret", "epochs"),
    ),
)
