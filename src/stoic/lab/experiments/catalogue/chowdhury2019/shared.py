"""The policies, the noise and the words that the experiments of chowdhury2019 share."""

from __future__ import annotations

from typing import Any

from stoic.lab.experiments.catalogue.base import Claim
from stoic.lab.experiments.catalogue.checks import ordering
from stoic.lab.experiments.spec import PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = [
    "CHECKPOINTS",
    "NYSTROM",
    "PLAIN",
    "QFF",
    "SCHEDULES",
    "SIZES",
    "SOURCE",
    "T3",
    "TGP",
    "UNIFORM",
    "below_uniform",
]

SOURCE = "Chowdhury & Gopalan, Bayesian optimization under heavy-tailed payoffs, NeurIPS 2019"
TGP = PolicySpec("tgp-ucb", "TGP-UCB")
QFF = PolicySpec("ata-gp-ucb", "ATA-GP-UCB (QFF)", options={"features": "qff", "nodes": 32})
NYSTROM = PolicySpec(
    "ata-gp-ucb", "ATA-GP-UCB (Nyström)", options={"features": "nystrom", "eps": 0.1}
)
# Plain GP-UCB at TGP-UCB's width isolates the effect of truncation.
PLAIN = PolicySpec(
    "gp-ucb", "GP-UCB", instead={"paper": "stoic.schedules.chowdhury2019:TGPUCBPaper"}
)
UNIFORM = PolicySpec("uniform", "Uniform", instead={"paper": "practical"})
T3: Table = {"kind": "student-t", "df": 3.0}
CHECKPOINTS = 400  # 200 of them even: every printed round of a horizon of 10,000 or 20,000
SCHEDULES = ("paper", "practical")
SIZES = (
    "'paper' is the schedule of the authors' released code, 'practical' our default, which knows "
    "nothing about the noise. GP-UCB, which the paper leaves out, is run at TGP-UCB's width. "
)


def below_uniform(**where: Any) -> tuple[Claim, ...]:
    """Our question whether policies beat random play, which the paper does not test."""
    return tuple(
        Claim(
            f"{label} is below uniform play (the authors' schedule).",
            ordering(label, UNIFORM.label, schedule="paper", **where),
            ours=True,
        )
        for label in (TGP.label, NYSTROM.label)
    )
