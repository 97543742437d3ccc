"""Figures 1a to 1c: functions of the kernel's space under Student-t noise and Pareto payoffs."""

from __future__ import annotations

from stoic.lab.experiments.catalogue.base import Claim, Reproduction
from stoic.lab.experiments.catalogue.checks import all_of, ordering
from stoic.lab.experiments.catalogue.chowdhury2019.shared import (
    BELOW_UNIFORM,
    NYSTROM,
    PLAIN,
    QFF,
    SCHEDULES,
    SIZES,
    SOURCE,
    T3,
    TGP,
    UNIFORM,
)
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = ["REPRODUCTIONS"]

WIDE = (
    "With α = 0.9 and v = 5.4 the authors' widths are so large that every policy follows "
    "uncertainty alone for 20,000 rounds. All are above uniform play, since uncertainty is largest "
    "at the ends of [0, 1], where a sum of positive bumps is lowest. Their order only shows how "
    "fast the uncertainty decreases."
)
CLOSE = (
    "With widths that fit the noise all estimators are close. Clipping a payoff once, about its "
    "arm's estimate, is as good as truncation in feature space."
)
LIGHT = (
    "With a finite variance (and with Pareto payoffs of shape 2, where it is just infinite) plain "
    "averages are hardly worse, and truncation to zero adds a bias."
)


def _claims(policies: tuple[PolicySpec, ...], why: str) -> tuple[Claim, ...]:
    adaptive = [spec.label for spec in policies if "ATA" in spec.label]
    features = Claim(
        "Nyström features are no worse than quadrature features (the authors' schedule).",
        ordering(NYSTROM.label, QFF.label, ties=True, schedule="paper"),
        why,
    )
    return (
        Claim(
            "ATA-GP-UCB outperforms TGP-UCB (the authors' schedule).",
            all_of(*(ordering(label, TGP.label, schedule="paper") for label in adaptive)),
            why,
        ),
        *([features] if QFF in policies else []),
        Claim(
            "The same with the practical schedule (ours, not the paper's).",
            all_of(*(ordering(label, TGP.label, schedule="practical") for label in adaptive)),
            why=CLOSE,
        ),
        Claim(
            "Truncation pays: TGP-UCB is below GP-UCB at the same width (the authors' schedule).",
            ordering(TGP.label, PLAIN.label, schedule="paper"),
            why=LIGHT,
        ),
        Claim(
            "The same with the practical schedule.",
            ordering(TGP.label, PLAIN.label, schedule="practical"),
            why=LIGHT,
        ),
        *BELOW_UNIFORM,
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
            )
        ]

    return Reproduction(
        f"chowdhury2019/{name}",
        TITLES[name],
        SOURCE,
        SIZES + "f is divided by max|f|, as in the authors' scripts, so B = 1.",
        build,
        _claims(policies, WIDE if name == "fig1b" else ""),
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
