"""The sketch: its variances (Theorem 1 a), its size (Theorem 1 b) and its cost (§3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from stoic.lab.experiments.catalogue.base import Claim, Reproduction, Verdict
from stoic.lab.experiments.catalogue.calandriello2019.shared import (
    ALPHA,
    NOISE,
    SAMPLES,
    SOURCE,
    sample,
)
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = ["REPRODUCTIONS"]


def _table(arms: int | None) -> Table:
    return {
        "kind": "hpo",
        "logarithm": True,
        "label": "hpo table",
        **({} if arms is None else {"arms": arms}),
    }


def _accuracy(quick: bool) -> list[Experiment]:
    samples = Experiment(
        "calandriello2019/accuracy",
        problems=SAMPLES[:3] if quick else SAMPLES,
        noises=(NOISE,),
        policies=(PolicySpec("bkb", "BKB"),),
        schedules=("theory", "practical"),
        horizons=(300 if quick else 2000,),
        trials=1 if quick else 3,
        checkpoints=24,
        record=("accuracy",),
    )
    table = replace(
        samples,
        problems=(_table(2000 if quick else None),),
        noises=({},),
        schedules=("practical",),
        horizons=(100 if quick else 1000,),
        trials=1 if quick else 2,
    )
    return [samples, table]


def _within(schedule: str) -> Callable[[Results], Verdict]:
    def check(results: Results) -> Verdict:
        results.some(schedule=schedule)
        least = [c.values.min() for c in results.curves("least_ratio", schedule=schedule)]
        most = [c.values.max() for c in results.curves("largest_ratio", schedule=schedule)]
        low, high = float(np.min(least)), float(np.max(most))
        return Verdict(
            low >= 1.0 / ALPHA and high <= ALPHA,
            f"σ̃²/σ² from {low:.3f} to {high:.3f} over all arms, rounds and runs; "
            f"allowed {1 / ALPHA:.3f} to {ALPHA:.3f}",
        )

    return check


def _ratios(results: Results) -> str:
    """The extremes of σ̃²/σ² of each schedule that was run."""
    ran = dict.fromkeys(case.schedule for case in results.cases())
    figures = [f"{schedule}: {_within(schedule)(results).figures}" for schedule in ran]
    return "; ".join(text.partition(" over ")[0] for text in figures)


def _dictionary(quick: bool) -> list[Experiment]:
    return [
        Experiment(
            "calandriello2019/dictionary",
            problems=SAMPLES[:3] if quick else SAMPLES,
            noises=(NOISE,),
            policies=(PolicySpec("bkb", "BKB"), PolicySpec("bbkb", "BBKB")),
            schedules=("practical",),
            horizons=(300 if quick else 10_000,),
            trials=1 if quick else 3,
            checkpoints=30,
            record=("accuracy",),
        )
    ]


def _per_dimension(results: Results) -> dict[str, float]:
    """Features for each effective dimension at the end, by problem."""
    ratios = {}
    results.some(policy="BKB")
    for curve in results.curves("features", policy="BKB"):
        dimension = results.curve(curve.case, "effective_dimension")
        ratios[curve.case.problem] = float((curve.end / dimension.end).mean())
    return ratios


def _brief_dimension(results: Results) -> str:
    ratios = _per_dimension(results).values()
    return f"{min(ratios):.1f} to {max(ratios):.1f} features for each effective dimension at T"


def _follows_dimension(results: Results) -> Verdict:
    ratios = _per_dimension(results)
    largest = max(ratios.values())
    text = ", ".join(f"{problem} {ratio:.1f}" for problem, ratio in ratios.items())
    return Verdict(largest <= 10.0, f"features per effective dimension at the end: {text}")


def _stops_growing(results: Results) -> Verdict:
    growth = {}
    results.some(policy="BKB")
    for curve in results.curves("features", policy="BKB"):
        middle = np.searchsorted(curve.t, curve.case.horizon / 2)
        growth[curve.case.problem] = float((curve.end / curve.values[:, middle]).mean())
    text = ", ".join(f"{problem} {ratio:.2f}" for problem, ratio in growth.items())
    return Verdict(max(growth.values()) < 1.5, f"features at T over features at T/2: {text}")


def _runtime(quick: bool) -> list[Experiment]:
    policies = (
        PolicySpec("gp-ucb", "GP-UCB"),
        PolicySpec("bkb", "BKB"),
        PolicySpec("bbkb", "BBKB"),
    )
    return [
        Experiment(
            "calandriello2019/runtime",
            problems=(sample("matern", 5, 4, 0.8),),
            noises=(NOISE,),
            policies=policies,
            horizons=(500 if quick else 20_000,),
            trials=1 if quick else 3,
        ),
        Experiment(
            "calandriello2019/runtime",
            problems=(_table(2000 if quick else None),),
            policies=policies,
            horizons=(200 if quick else 1000,),
            trials=1,
        ),
    ]


def _cost(results: Results, policy: str, problem: str) -> tuple[float, float]:
    """µs per round over the second and the last quarter of the horizon."""
    curve = results.curves("seconds", "seconds", policy=policy, problem=problem)[0]
    T, mean = curve.case.horizon, curve.values.mean(axis=0)
    at = [float(np.interp(share * T, curve.t, mean)) for share in (0.25, 0.5, 0.75, 1.0)]
    return 1e6 * (at[1] - at[0]) / (T / 4), 1e6 * (at[3] - at[2]) / (T / 4)


def _brief_cost(results: Results) -> str:
    problems = dict.fromkeys(case.problem for case in results.some(policy="BKB"))
    ratios = [end / start for start, end in (_cost(results, "BKB", p) for p in problems)]
    return (
        f"a round of BKB in the last quarter takes {min(ratios):.2f} to {max(ratios):.2f} times "
        "as long as in the second"
    )


def _flat(results: Results) -> Verdict:
    lines, holds = [], True
    for problem in dict.fromkeys(case.problem for case in results.cases()):
        costs = {p: _cost(results, p, problem) for p in ("GP-UCB", "BKB", "BBKB")}
        holds &= costs["BKB"][1] <= 1.5 * costs["BKB"][0]
        text = ", ".join(f"{p} {a:.0f} → {b:.0f} µs" for p, (a, b) in costs.items())
        lines.append(f"{problem}: {text}")
    return Verdict(holds, "a round in the second → the last quarter: " + "; ".join(lines))


REPRODUCTIONS = (
    Reproduction(
        "calandriello2019/accuracy",
        "Variances of the sketch",
        SOURCE,
        "The paper has no experiment; its Theorem 1 is checked with ε = 0.5, α = 3: at checkpoints "
        "of BKB's run, the variance of every arm against the exact one after the same plays. Draws "
        "of the process in 1 to 5 dimensions, noise 0.1, and 62,208 configurations of a "
        "hyper-parameter table.",
        _accuracy,
        (
            Claim(
                "σ²/α ≤ σ̃² ≤ ασ² at all arms and rounds (theory schedule).",
                _within("theory"),
                any_size=True,
            ),
            Claim(
                "The same with the practical schedule's smaller dictionary.",
                _within("practical"),
                ours=True,
            ),
        ),
        figures=("accuracy",),
        shows="Theorem 1 (a): σ²/α ≤ σ̃² ≤ ασ² at all arms and rounds; no experiment",
        got=_ratios,
    ),
    Reproduction(
        "calandriello2019/dictionary",
        "Size of the dictionary",
        SOURCE,
        "Features of BKB and BBKB against the effective dimension Σσ²(x_s)/λ of what was played.",
        _dictionary,
        (
            Claim("The dictionary is of the order of the effective dimension.", _follows_dimension),
            Claim("It stops growing with t.", _stops_growing),
        ),
        figures=("features",),
        shows="Theorem 1 (b): at most 3(1 + κ²/λ)αq̄ features for each effective dimension",
        got=lambda results: _follows_dimension(results).figures,
        brief=_brief_dimension,
    ),
    Reproduction(
        "calandriello2019/runtime",
        "Cost of a round",
        SOURCE,
        "CPU time per round against t, compared with exact GP-UCB, whose cost here grows with the "
        "distinct arms played, not with t.",
        _runtime,
        (Claim("BKB's cost per round is flat in t.", _flat),),
        figures=("seconds-per-round",),
        shows="§3.2: a round costs A·m², however many came before; no experiment",
        got=lambda results: _flat(results).figures,
        brief=_brief_cost,
    ),
)
