"""The policies, the noise and the words that the experiments of park2024 share."""

from __future__ import annotations

from typing import Any

from stoic.lab.experiments.spec import PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = [
    "ATA",
    "BASELINES",
    "EPSILONS",
    "INFERRED",
    "LABELS",
    "LARGEST_STD",
    "OTHERS",
    "PRINTED",
    "SCHEDULES",
    "SOURCE",
    "UNIFORM",
    "noise",
]

SOURCE = (
    "Park & Lee, Contextually adaptive algorithms for Gaussian process bandit optimization under "
    "heavy-tailed noise, ECAI 2024"
)
SCHEDULES = ("printed", "practical")
EPSILONS = (0.2, 0.8)
_HERE = "stoic.lab.experiments.catalogue.park2024.printed:"


def _policy(name: str, label: str, **own: Any) -> PolicySpec:
    return PolicySpec(name, label, instead={"printed": _HERE + name.replace("-", "_")}, **own)


ATA = _policy("ata-gp-ucb", "ATA-GP-UCB", options={"features": "nystrom", "eps": 0.1})
OTHERS = (
    _policy("gp-ucb", "GP-UCB"),
    _policy("tgp-ucb", "TGP-UCB"),
    _policy("ca-tgp-ucb", "CA-TGP-UCB"),
    _policy("mom-gp-ucb", "MoM-GP-UCB"),
)
UNIFORM = PolicySpec("uniform", "Uniform", instead={"printed": "practical", "paper": "practical"})
LARGEST_STD = PolicySpec(
    "gp-ucb", "Largest std", instead=dict.fromkeys(SCHEDULES, f"{_HERE}LargestStd")
)
BASELINES = (UNIFORM, LARGEST_STD)  # for comparison; not in print
LABELS = ("MoM-GP-UCB", "CA-TGP-UCB", "TGP-UCB", "ATA-GP-UCB", "GP-UCB")  # in the printed order

PRINTED = (
    "'printed' is our inferred reading of the constants, which the paper does not state: the "
    "theorems' widths with B = ν = ν̄ = 1, λ = 1 and δ = 0.1, GP-UCB's by Theorem 3 of Srinivas et "
    "al. 2010, T = 1000. It replaces 'paper', in which GP-UCB had the width ½√ln t. 'practical' "
    "is our default, which knows nothing about the noise. "
)
INFERRED = (
    "The constants: widths of the theorems with B = ν = ν̄ = 1, GP-UCB's by Theorem 3 of Srinivas "
    "et al. 2010, and T = 1000; the kernel's length-scale is our choice."
)


def noise(eps: float) -> Table:
    """The noise ζ(z − E z), whose (1+ε)-th moment is just finite."""
    return {
        "kind": "symmetrised-pareto",
        "shape": round(1.0 + eps + 0.01, 4),
        "moment_order": eps,
        "label": f"ε = {eps}",
    }
