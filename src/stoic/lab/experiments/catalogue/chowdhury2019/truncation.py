"""Figure 1f: what truncation does to the confidence band."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stoic.lab.experiments.catalogue.base import Claim, Reproduction, Verdict
from stoic.lab.experiments.catalogue.chowdhury2019.shared import SOURCE
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.schedules import Progress, Setting

__all__ = ["TRUNCATION", "LogWidth", "RootLogWidth"]


@dataclass(frozen=True)
class LogWidth:
    """Width ln t and truncation at t^{1/4}, as in the paper's last experiment."""

    setting: Setting

    def width(self, now: Progress) -> float:
        """Ln t, at least one."""
        return max(math.log(now.n), 1.0)

    def truncation(self, t: int) -> float:
        """t^{1/4}."""
        return math.sqrt(math.sqrt(t))


@dataclass(frozen=True)
class RootLogWidth(LogWidth):
    """Width √(ln t): what β_t = ln t means in Srinivas et al. 2010, who multiply σ by √β_t."""

    def width(self, now: Progress) -> float:
        """√(ln t), at least one."""
        return math.sqrt(super().width(now))


def _bands(quick: bool) -> list[Experiment]:
    here = "stoic.lab.experiments.catalogue.chowdhury2019"
    return [
        Experiment(
            "chowdhury2019/fig1f",
            problems=({"kind": "rkhs-chowdhury2019", "scale": "unit", "function": 0},),
            noises=({"kind": "spike", "size": 10.0},),
            policies=(PolicySpec("gp-ucb", "GP-UCB"), PolicySpec("tgp-ucb", "GP-UCB, truncated")),
            schedules=(f"{here}:LogWidth", f"{here}:RootLogWidth"),
            horizons=(2000 if quick else 10_000,),
            trials=5 if quick else 50,
            record=("beliefs",),
        )
    ]


def bands(results: Results, policy: str, schedule: str) -> tuple[float, float, float]:
    """How well the band μ ± σ covers f, as three numbers.

    The largest distance of f outside the band averaged over draws (negative: f is inside
    everywhere); the share of draws whose own band contains f at every arm; max|μ − f| averaged
    over draws.
    """
    rows = results.rows("beliefs", results.some("beliefs", policy=policy, schedule=schedule)[0])
    draws = len(np.unique(rows["trial"]))
    f, mean, std = (rows[name].reshape(draws, -1) for name in ("f", "mean", "std"))
    averaged = float((np.abs(mean.mean(axis=0) - f[0]) - std.mean(axis=0)).max())
    single = (np.abs(mean - f) - std).max(axis=1)
    return averaged, float((single <= 0.0).mean()), float(np.abs(mean - f).max(axis=1).mean())


def _band(policy: str, schedule: str, *, contains: bool) -> Callable[[Results], Verdict]:
    def check(results: Results) -> Verdict:
        miss, share, error = bands(results, policy, schedule)
        position = f"outside by {miss:.3f} at worst" if miss > 0.0 else "inside everywhere"
        text = (
            f"f against the averaged band μ ± σ: {position}; single draws' bands hold all of f in "
            f"{share:.0%}; max|μ − f| {error:.2g} on average, f ranging over 1"
        )
        return Verdict((miss <= 0.0) == contains, text)

    return check


TRUNCATION = Reproduction(
    "chowdhury2019/fig1f",
    "The effect of truncation",
    SOURCE,
    "One function scaled to [0, 1]; payoffs have an error of ±10 at one random arm, none "
    "elsewhere; 50 draws of arm and signs. GP-UCB with β_t = ln t, with and without truncation at "
    "t^{1/4}; β_t is read as the width (LogWidth, as elsewhere in the paper) and as its square "
    "(RootLogWidth, as in Srinivas et al. 2010). Bands are μ ± σ, as in the paper's caption.",
    _bands,
    tuple(
        Claim(says + f" ({schedule}).", _band(policy, schedule, contains=contains), why=why)
        for schedule, why in (
            ("RootLogWidth", ""),
            (
                "LogWidth",
                "At width ln t ≈ 9 GP-UCB returns to the corrupt arm so often that its errors "
                "average out over draws; it still fails in single draws.",
            ),
        )
        for says, policy, contains in (
            ("The band about the truncated mean contains f", "GP-UCB, truncated", True),
            ("The band about the untruncated mean does not contain f", "GP-UCB", False),
        )
    ),
    figures=("beliefs",),
)
