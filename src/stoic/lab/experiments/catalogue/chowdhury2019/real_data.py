"""Figures 1d and 1e: stocks and light sensors."""

from __future__ import annotations

from dataclasses import replace

from stoic.lab.experiments.catalogue.base import Claim, Reproduction
from stoic.lab.experiments.catalogue.checks import ordering
from stoic.lab.experiments.catalogue.chowdhury2019.shared import (
    BELOW_UNIFORM,
    NYSTROM,
    PLAIN,
    QFF,
    SCHEDULES,
    SIZES,
    SOURCE,
    TGP,
    UNIFORM,
)
from stoic.lab.experiments.spec import Experiment, PolicySpec

__all__ = ["SENSORS", "STOCKS"]

EARLY = (
    "At T = 1000 ATA-GP-UCB is still close to random play, because its width grows with the number "
    "of features; at T = 5000 it is ahead, as the paper claims."
)


def _stocks(quick: bool) -> list[Experiment]:
    levels = Experiment(
        "chowdhury2019/fig1d",
        problems=({"kind": "stocks", "label": "levels"},),
        policies=(TGP, NYSTROM, PLAIN, UNIFORM),
        schedules=SCHEDULES,
        horizons=(300,) if quick else (1000, 5000),
        trials=2 if quick else 10,
    )
    returns = replace(levels, problems=({"kind": "stock-returns", "label": "returns"},))
    return [levels, returns]


def _sensors(quick: bool) -> list[Experiment]:
    qff = PolicySpec(
        "ata-gp-ucb", QFF.label, options={"features": "qff", "nodes": 16}, view="coordinates"
    )
    return [
        Experiment(
            "chowdhury2019/fig1e",
            problems=({"kind": "light-sensors"},),
            policies=(TGP, qff, NYSTROM, PLAIN, UNIFORM),
            schedules=SCHEDULES,
            horizons=(200,) if quick else (1000, 5000),
            trials=1 if quick else 10,
        )
    ]


STOCKS = Reproduction(
    "chowdhury2019/fig1d",
    "29 stocks",
    SOURCE,
    SIZES + "Payoff: a uniformly drawn day's price, as in the paper ('levels'), and its daily "
    "return in per cent, which is heavy-tailed ('returns', ours). Without the authors' file, "
    "20 stocks of the package skfolio over the same days. T = 1000 is the authors' script's; "
    "5000 shows the later rounds.",
    _stocks,
    (
        *(
            Claim(
                f"ATA-GP-UCB outperforms TGP-UCB (the authors' schedule, levels, T = {T}).",
                ordering(NYSTROM.label, TGP.label, schedule="paper", problem="levels", horizon=T),
                why=EARLY if T == 1000 else "",
            )
            for T in (1000, 5000)
        ),
        Claim(
            "On returns, which are heavy-tailed, TGP-UCB is below GP-UCB (practical; ours).",
            ordering(TGP.label, PLAIN.label, schedule="practical", problem="returns"),
            why="Mean returns differ by hundredths of a per cent, single ones by per cents: "
            "after 5000 days every policy is still close to uniform play.",
        ),
        *BELOW_UNIFORM,
    ),
)
SENSORS = Reproduction(
    "chowdhury2019/fig1e",
    "41 light sensors",
    SOURCE,
    SIZES + "QFF on the sensors' coordinates, 16² nodes. Horizons as for the stocks.",
    _sensors,
    (
        *(
            Claim(
                f"{label} outperforms TGP-UCB (the authors' schedule, T = {T}).",
                ordering(label, TGP.label, schedule="paper", horizon=T),
                why=EARLY if T == 1000 else "",
            )
            for label in (QFF.label, NYSTROM.label)
            for T in (1000, 5000)
        ),
        Claim(
            "Nyström features are no worse than quadrature features (the authors' schedule).",
            ordering(NYSTROM.label, QFF.label, ties=True, schedule="paper"),
            why="QFF has another kernel, on the sensors' positions. Its regret per round is the "
            "same at both horizons: with 512 features its width is so large that it follows "
            "uncertainty alone, which happens to be better here than the covariance's uncertainty.",
        ),
        *BELOW_UNIFORM,
    ),
    needs="light_sensors",
)
