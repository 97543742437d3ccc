"""Bogunovic et al., *A robust phased elimination algorithm …*, NeurIPS 2022."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stoic.lab.experiments.catalogue.base import Claim, Reproduction, Verdict
from stoic.lab.experiments.catalogue.judging import linear, per_round, sublinear
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Experiment, PolicySpec, Table

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


def _one_arm(results: Results) -> Verdict:
    """RGP-PE's arms left after 13 epochs (or as many as the horizon has room for)."""
    left, lost, epochs = [], [], []
    for case in results.cases("epochs", policy="RGP-PE"):
        rows = results.rows("epochs", case)
        for trial in np.unique(rows["trial"]):
            mine = rows["trial"] == trial
            until = mine & (rows["epoch"] <= 13)
            left.append(int(rows["active"][until][-1]))
            epochs.append(int(rows["epoch"][until][-1]))
        curve = results.curve(case)
        late = (curve.values[:, -1] - curve.values[:, -2]) / np.diff(curve.t)[-1]
        lost += late.tolist()
    suboptimal = sum(x > 1e-9 for x in lost)
    return Verdict(
        max(left) == 1,
        f"after {min(epochs)}–{max(epochs)} epochs: one arm in {left.count(1)} of {len(left)} "
        f"runs, at most {max(left)} arms; the last rounds' arm is suboptimal in {suboptimal} runs",
    )


def _below(results: Results) -> Verdict:
    pairs = []
    for case in results.cases(policy="RGP-UCB"):
        other = results.cases(
            policy="RGP-PE", attack=case.attack, experiment=case.experiment, problem=case.problem
        )[0]
        mine, theirs = results.curve(case), results.curve(other)
        pairs.append((case.attack, per_round(mine).mean() < per_round(theirs).mean()))
    count = sum(below for _, below in pairs)
    return Verdict(count > len(pairs) / 2, f"below under {count} of {len(pairs)} attacks")


def _claims(world: str, linear_under: tuple[str, ...]) -> tuple[Claim, ...]:
    label = WORLDS[world]["label"]
    return (
        Claim(
            f"GP-UCB's regret is linear under {', '.join(linear_under)} on {label}.",
            linear("GP-UCB", linear_under, problem=label),
        ),
        Claim(
            f"RGP-UCB and RGP-PE are sublinear under every attack on {label}.",
            sublinear(ROBUST, problem=label),
        ),
    )


SHARED = (
    Claim("RGP-PE is down to one arm by the end of the 13th epoch.", _one_arm),
    Claim("RGP-UCB generally has the lower regret of the two.", _below),
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
        lambda quick: [experiment("fig2", "f1", 50.0, quick)],
        (*_claims("f1", STUBBORN), *SHARED),
        figures=("cumulative-regret", "epochs"),
    ),
    Reproduction(
        "bogunovic2022/fig3",
        "Robot3D, C = 100",
        SOURCE,
        SETTING + PUSHES,
        lambda quick: [experiment("fig3", "robot", 100.0, quick)],
        (*_claims("robot", ("Top-3", "Top-5")), *SHARED),
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
        (*_claims("f1", STUBBORN), *_claims("robot", ("Top-3", "Top-5")), *SHARED),
        figures=("cumulative-regret", "epochs"),
    ),
)
