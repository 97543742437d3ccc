"""Problems, attacks and policies of bogunovic2022, as experiments."""

from __future__ import annotations

import math

from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = [
    "F1",
    "H_MAX",
    "LAST_EPOCH",
    "LEVEL",
    "MISLEADING",
    "PUSHES",
    "ROBUST",
    "WORLDS",
    "experiment",
]

F1 = 68  # f₁: the first draw that meets every printed fact, found by search.py
PUSHES = 0  # Robot3D: the first set of 100 pushes that does, found by search.py
LAST_EPOCH = 13  # by which RGP-PE has one arm left, in print
LEVEL = 0.5 * math.log(50_000.0) ** 0.5  # ½√ln T, an unknown arm's bound at the end on f₁
H_MAX = {"f1": 1.0, "robot": 3.0}  # of the attack AggSub
MISLEADING = {"f1": ("Clipping", "AggSub", "Top-3", "Top-5"), "robot": ("Top-3", "Top-5")}
ROBUST = ("RGP-UCB", "RGP-PE")
LEVELS: dict[str, dict[str, float]] = {
    "f1": {"c": 0.5, "beta": 4.0},
    "robot": {"c": 2.0, "beta": 6.0},
}
WORLDS: dict[str, Table] = {
    "f1": {"kind": "gp-sample", "function": F1, "label": "f₁"},
    "robot": {"kind": "robot3d", "pushes": PUSHES, "label": "Robot3D"},
}


def attacks(world: str, budget: float) -> tuple[Table, ...]:
    """No attack, the five attacks, and each of them started later."""
    five: list[Table] = [
        {"kind": "clipping", "delta": 0.5, "label": "Clipping"},
        {"kind": "agg-sub", "h_max": H_MAX[world], "label": "AggSub"},
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
