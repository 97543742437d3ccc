"""Theorem 2: regret on the functions of the lower bound's proof."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.lab.experiments.catalogue.base import Claim, Reproduction, Verdict
from stoic.lab.experiments.catalogue.chowdhury2019.shared import (
    NYSTROM,
    PLAIN,
    SOURCE,
    TGP,
    UNIFORM,
)
from stoic.lab.experiments.results import Curve, NotRun, Results
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.tables import Table
from stoic.lab.problems import problems
from stoic.lab.problems.lower_bound import bound_exponent

__all__ = ["LOWER_BOUND"]

HARD: tuple[Table, ...] = (
    {"kind": "lower-bound", "kernel": "se", "order": 1.0, "label": "SE, α = 1"},
    {"kind": "lower-bound", "kernel": "se", "order": 0.5, "label": "SE, α = 0.5"},
    {
        "kind": "lower-bound",
        "kernel": "matern",
        "nu": 2.5,
        "order": 1.0,
        "label": "Matérn 5/2, α = 1",
    },
)
ALL = (
    PLAIN,
    TGP,
    NYSTROM,
    PolicySpec("ca-tgp-ucb", "CA-TGP-UCB"),
    PolicySpec("huber-gp-ucb", "Huber-GP-UCB"),
    PolicySpec("mom-gp-ucb", "MoM-GP-UCB"),
    PolicySpec("bkb", "BKB"),
    PolicySpec("bbkb", "BBKB"),
    PolicySpec("rgp-ucb", "RGP-UCB"),
    PolicySpec("rgp-pe", "RGP-PE"),
    PolicySpec("rcgp-ucb", "RCGP-UCB"),
    UNIFORM,
)


def _hard(quick: bool) -> list[Experiment]:
    return [
        Experiment(
            "chowdhury2019/thm2",
            problems=HARD,
            policies=ALL,
            schedules=("practical",),
            horizons=(250, 500, 1000) if quick else (500, 1000, 2000, 4000, 8000),
            trials=1 if quick else 10,
            checkpoints=20,
        )
    ]


def _final(results: Results, problem: str) -> dict[str, list[Curve]]:
    """The curves of each policy, by rising horizon."""
    found: dict[str, list[Curve]] = {}
    for case in sorted(results.some(problem=problem), key=lambda case: case.horizon):
        found.setdefault(case.policy, []).append(results.curve(case))
    return found


def slope(curves: list[Curve], draws: int = 2000) -> tuple[float, float, float]:
    """The slope of ln R_T against ln T, with a bootstrap 95 % interval over trials."""
    rng = np.random.default_rng(0)
    means = [
        [curve.end.mean(), *rng.choice(curve.end, (draws, len(curve.end))).mean(axis=1)]
        for curve in curves
    ]
    fitted = np.polyfit(np.log([curve.case.horizon for curve in curves]), np.log(means), 1)[0]
    low, high = np.quantile(fitted[1:], (0.025, 0.975))
    return float(fitted[0]), float(low), float(high)


def _bounds(curves: dict[str, list[Curve]], table: Table) -> tuple[Array, Array]:
    """The horizons, and the bound TΔ at each."""
    own = {name: value for name, value in table.items() if name != "label"}
    T = np.array([curve.case.horizon for curve in next(iter(curves.values()))])
    return T, T * [problems.make(own, seed=0, horizon=int(t)).optimum / 2.0 for t in T]


def _ratios(results: Results) -> dict[str, float]:
    """The least R_T/(TΔ) over policies and horizons, by problem."""
    found = {}
    for table in HARD:
        curves = _final(results, table["label"])
        ends = np.array([[curve.end.mean() for curve in members] for members in curves.values()])
        found[table["label"]] = float((ends / _bounds(curves, table)[1]).min())
    return found


def _above_the_bound(results: Results) -> Verdict:
    found = _ratios(results)
    text = "; ".join(f"{label}: R_T at least {ratio:.2f} TΔ" for label, ratio in found.items())
    return Verdict(min(found.values()) >= 1.0, text)


def _as_steep(results: Results) -> Verdict:
    lines, holds = [], True
    for table in HARD:
        curves = _final(results, table["label"])
        T, bound = _bounds(curves, table)
        order = float(np.polyfit(np.log(T), np.log(bound), 1)[0])
        slopes = {policy: slope(members) for policy, members in curves.items()}
        least = min(slopes, key=lambda policy: slopes[policy][0])
        holds &= all(high >= order for _, _, high in slopes.values())
        value, low, high = slopes[least]
        exponent = bound_exponent(table["kernel"], table.get("nu", 2.5), table["order"])
        lines.append(
            f"{table['label']}: exponent {exponent:.2f}, with logarithms {order:.2f}; least slope "
            f"{value:.2f} [{low:.2f}, {high:.2f}] ({least})"
        )
    return Verdict(holds, "; ".join(lines))


def _got(results: Results) -> str:
    try:
        found = _ratios(results)
    except (NotRun, StopIteration):
        return "not run"
    return f"R_T is at least {min(found.values()):.2f} TΔ over {len(found)} settings, all policies."


LOWER_BOUND = Reproduction(
    "chowdhury2019/thm2",
    "The lower bound's instances",
    SOURCE,
    "The bump functions and two-valued payoffs of the proof of Theorem 2 (B = v = 1), a new "
    "instance for each horizon and trial; every policy with the practical schedule. The "
    "theorem bounds the mean regret by TΔ, 2Δ being the bump's height, which depends on T.",
    _hard,
    (
        Claim("No policy beats the bound: its mean R_T is at least TΔ.", _above_the_bound),
        Claim(
            "No slope of ln R_T against ln T is significantly below that of TΔ.",
            _as_steep,
            ours=True,
        ),
    ),
    figures=("scaling",),
    shows="Theorem 2, without a figure: the mean R_T of any policy is at least TΔ.",
    got=_got,
)
