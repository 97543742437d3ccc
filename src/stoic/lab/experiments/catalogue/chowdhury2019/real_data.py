"""Figures 1d and 1e: stocks and light sensors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stoic.lab.experiments.catalogue.base import Claim, Reproduction
from stoic.lab.experiments.catalogue.checks import ordering
from stoic.lab.experiments.catalogue.chowdhury2019.prints import PrintedFigure
from stoic.lab.experiments.catalogue.chowdhury2019.shared import (
    CHECKPOINTS,
    NYSTROM,
    PLAIN,
    QFF,
    SCHEDULES,
    SIZES,
    SOURCE,
    TGP,
    UNIFORM,
    below_uniform,
)
from stoic.lab.experiments.spec import Experiment, PolicySpec

__all__ = ["SENSORS", "STOCKS"]

ROUNDS = (
    "T = 10,000, as in the printed figure. The printed curves are taken for one run each, although "
    "the text has 10 trials for the stocks; ours are 10 runs."
)


def _stocks(quick: bool) -> list[Experiment]:
    levels = Experiment(
        "chowdhury2019/fig1d",
        problems=({"kind": "stocks", "label": "levels"},),
        policies=(TGP, NYSTROM, PLAIN, UNIFORM),
        schedules=SCHEDULES,
        horizons=(300 if quick else 10_000,),
        trials=2 if quick else 10,
        checkpoints=CHECKPOINTS,
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
            horizons=(200 if quick else 10_000,),
            trials=1 if quick else 10,
            checkpoints=CHECKPOINTS,
        )
    ]


def _below_plain(**where: Any) -> Claim:
    of = f", {where['problem']}" if where else ""
    return Claim(
        f"Truncation pays: TGP-UCB is below GP-UCB (practical schedule{of}).",
        ordering(TGP.label, PLAIN.label, schedule="practical", **where),
        ours=True,
    )


_STOCKS = PrintedFigure("fig1d", 10_000, one_run=True, problem="levels")
_SENSORS = PrintedFigure("fig1e", 10_000, one_run=True)

STOCKS = Reproduction(
    "chowdhury2019/fig1d",
    "29 stocks",
    SOURCE,
    SIZES + "Payoff: a uniformly drawn day's price, as in the paper ('levels'), and its daily "
    "return in per cent, which is heavy-tailed ('returns', ours). Without the authors' file, "
    "20 stocks of the package skfolio over the same days. " + ROUNDS,
    _stocks,
    (
        *_STOCKS.claims(),
        _below_plain(problem="returns"),
        *below_uniform(problem="levels"),
    ),
    shows=_STOCKS.shows,
    got=_STOCKS.got,
    printed=_STOCKS.printed,
)
SENSORS = Reproduction(
    "chowdhury2019/fig1e",
    "41 light sensors",
    SOURCE,
    SIZES + "QFF on the sensors' coordinates, 16² nodes. " + ROUNDS,
    _sensors,
    (*_SENSORS.claims(), _below_plain(), *below_uniform()),
    needs="light_sensors",
    shows=_SENSORS.shows,
    got=_SENSORS.got,
    printed=_SENSORS.printed,
)
