"""Figures 1a to 1c: functions of the kernel's space under Student-t noise and Pareto payoffs."""

from __future__ import annotations

from stoic.lab.experiments.catalogue.base import Claim, Reproduction
from stoic.lab.experiments.catalogue.checks import all_of, ordering
from stoic.lab.experiments.catalogue.chowdhury2019.prints import PrintedFigure
from stoic.lab.experiments.catalogue.chowdhury2019.shared import (
    CHECKPOINTS,
    NYSTROM,
    PLAIN,
    QFF,
    SCHEDULES,
    SIZES,
    SOURCE,
    T3,
    TGP,
    UNIFORM,
    below_uniform,
)
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = ["REPRODUCTIONS"]


def _questions(policies: tuple[PolicySpec, ...]) -> tuple[Claim, ...]:
    """What the paper does not ask: our schedule, plain GP-UCB, random play."""
    adaptive = [spec.label for spec in policies if "ATA" in spec.label]
    return (
        Claim(
            "ATA-GP-UCB outperforms TGP-UCB with the practical schedule too.",
            all_of(*(ordering(label, TGP.label, schedule="practical") for label in adaptive)),
            ours=True,
        ),
        *(
            Claim(
                f"Truncation pays: TGP-UCB is below GP-UCB at the same width ({words}).",
                ordering(TGP.label, PLAIN.label, schedule=schedule),
                ours=True,
            )
            for schedule, words in (
                ("paper", "the authors' schedule"),
                ("practical", "practical schedule"),
            )
        ),
        *below_uniform(),
    )


def _synthetic(
    name: str, problem: Table, noise: Table, order: float, policies: tuple[PolicySpec, ...]
) -> Reproduction:
    def build(quick: bool) -> list[Experiment]:
        return [
            Experiment(
                f"chowdhury2019/{name}",
                problems=({"kind": "rkhs-chowdhury2019", **problem},),
                noises=(noise,),
                policies=policies,
                schedules=SCHEDULES,
                horizons=(1000 if quick else 20_000,),
                trials=2 if quick else 20,
                moment_order=order,
                checkpoints=CHECKPOINTS,
            )
        ]

    figure = PrintedFigure(name, 20_000)
    return Reproduction(
        f"chowdhury2019/{name}",
        TITLES[name],
        SOURCE,
        SIZES + "f is divided by max|f|, as in the authors' scripts, so B = 1.",
        build,
        (*figure.claims(), *_questions(policies)),
        shows=figure.shows,
        got=figure.got,
        printed=figure.printed,
    )


TITLES = {
    "fig1a": "SE kernel, Student-t noise with 3 degrees of freedom",
    "fig1b": "SE kernel, Pareto payoffs of shape 2",
    "fig1c": "Matérn kernel, Student-t noise with 3 degrees of freedom",
}


REPRODUCTIONS = (
    _synthetic("fig1a", {}, T3, 1.0, (TGP, QFF, NYSTROM, PLAIN, UNIFORM)),
    _synthetic(
        "fig1b",
        {"coefficients": "positive"},
        {"kind": "pareto-payoff", "shape": 2.0},
        0.9,
        (TGP, QFF, NYSTROM, PLAIN, UNIFORM),
    ),
    _synthetic("fig1c", {"kernel": "matern"}, T3, 1.0, (TGP, NYSTROM, PLAIN, UNIFORM)),
)
