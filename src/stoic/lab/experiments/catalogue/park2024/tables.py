"""Table 1 (run times) and Table 2 (stocks)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stoic.lab.experiments.catalogue.base import Claim, Reproduction, Verdict
from stoic.lab.experiments.catalogue.checks import per_round
from stoic.lab.experiments.catalogue.park2024.checks import (
    below,
    brief_orders,
    chain,
    near,
    orders,
    rates,
    whole,
)
from stoic.lab.experiments.catalogue.park2024.figure1 import HORIZON, PANELS
from stoic.lab.experiments.catalogue.park2024.shared import (
    ATA,
    BASELINES,
    EPSILONS,
    INFERRED,
    LABELS,
    OTHERS,
    PRINTED,
    SCHEDULES,
    SOURCE,
    UNIFORM,
    noise,
)
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Experiment

__all__ = ["REPRODUCTIONS"]

ORDER = ("GP-UCB", "TGP-UCB", "ATA-GP-UCB", "CA-TGP-UCB", "MoM-GP-UCB")  # of the columns
SECONDS = {  # Table 1, by problem and policy
    problem: dict(zip(ORDER, row, strict=True))
    for problem, row in {
        "1-D": (132.24, 73.04, 7745.75, 107.24, 70.09),
        "2-D": (98.26, 32.49, 1535.51, 10.12, 7.63),
        "5-D": (9564.76, 9573.52, 76103.21, 3598.58, 1893.95),
    }.items()
}
REGRET = dict(zip(ORDER, (29.27, 28.42, 29.04, 27.79, 26.88), strict=True))  # Table 2
RATIO_TOLERANCE = 0.03


def _table1(quick: bool) -> list[Experiment]:
    return [part for panel in PANELS for part in panel.experiments(quick, (0.2,), ("printed",))]


def _seconds(results: Results) -> dict[str, dict[str, float]]:
    """Median CPU seconds of a run, by problem and policy: the first run also compiles loops."""
    found: dict[str, dict[str, float]] = {}
    for case in results.some("seconds"):
        if case.policy in LABELS:
            end = results.curve(case, "seconds", "seconds").end
            found.setdefault(case.problem, {})[case.policy] = float(np.median(end))
    return found


def _extreme(policy: str, choose: Callable[..., str]) -> Callable[[Results], Verdict]:
    def check(results: Results) -> Verdict:
        times = _seconds(results)
        holds = all(choose(row, key=row.__getitem__) == policy for row in times.values())
        return Verdict(holds, _times(results))

    return check


def _times(results: Results) -> str:
    return "; ".join(
        f"{problem}: "
        + ", ".join(
            f"{policy} {row[policy]:.2g} s ({SECONDS[problem][policy]:.0f})"
            for policy in sorted(row, key=row.__getitem__)
        )
        for problem, row in _seconds(results).items()
    )


def _brief_times(results: Results) -> str:
    """The fastest and the slowest on each problem."""
    lines = []
    for problem, row in _seconds(results).items():
        fastest, slowest = (choose(row, key=row.__getitem__) for choose in (min, max))
        lines.append(f"{problem} {fastest} {row[fastest]:.2g} s, {slowest} {row[slowest]:.2g} s")
    return f"fastest and slowest: {'; '.join(lines)}"


def _table2(quick: bool) -> list[Experiment]:
    return [
        Experiment(
            "park2024/table2",
            problems=({"kind": "stock-means", "label": "stocks"},),
            noises=tuple(noise(eps) for eps in EPSILONS),
            policies=(*OTHERS, ATA, *BASELINES),
            schedules=SCHEDULES,
            horizons=(200 if quick else HORIZON,),
            trials=1 if quick else 20,
        )
    ]


def _ratios(results: Results, eps: float) -> dict[str, tuple[float, float]]:
    """Our ratio to GP-UCB's regret, and the printed one."""
    found = rates(results, schedule="printed", noise=f"ε = {eps}")
    means = {policy: float(per_round(curve).mean()) for policy, curve in found.items()}
    return {
        policy: (means[policy] / means["GP-UCB"], REGRET[policy] / REGRET["GP-UCB"])
        for policy in LABELS[:-1]
    }


def _spell(ratios: dict[str, tuple[float, float]]) -> str:
    shown = ", ".join(f"{p} {ours:.3f} ({printed:.3f})" for p, (ours, printed) in ratios.items())
    return f"ratios to GP-UCB, ours (printed): {shown}"


def _ratios_agree(eps: float) -> Callable[[Results], Verdict]:
    def check(results: Results) -> Verdict:
        found = _ratios(results, eps)
        holds = all(abs(a - b) <= RATIO_TOLERANCE for a, b in found.values())
        return Verdict(holds, _spell(found))

    return check


def _got_table2(results: Results) -> str:
    return ". ".join(
        f"ε = {eps}: {orders(results, schedule='printed', noise=f'ε = {eps}')}; "
        f"{_spell(_ratios(results, eps))}"
        for eps in EPSILONS
    )


def _stock_claims(eps: float) -> tuple[Claim, ...]:
    printed = {"schedule": "printed", "noise": f"ε = {eps}"}
    practical = {"schedule": "practical", "noise": f"ε = {eps}"}
    return (
        Claim(f"{' < '.join(LABELS)} (printed, ε = {eps}).", whole(LABELS, **printed)),
        Claim(
            f"The ratios to GP-UCB are the printed ones within {RATIO_TOLERANCE} (printed, "
            f"ε = {eps}).",
            _ratios_agree(eps),
        ),
        Claim(
            f"All five are within 10 % of uniform play (printed, ε = {eps}).",
            near(UNIFORM.label, **printed),
            ours=True,
        ),
        Claim(
            f"All five are below uniform play (practical, ε = {eps}).",
            below([(label, UNIFORM.label) for label in LABELS], **practical),
            ours=True,
        ),
    )


REPRODUCTIONS = (
    Reproduction(
        "park2024/table1",
        "Run times, ε = 0.2",
        SOURCE,
        PRINTED + "The runs are those of Figure 1. Median CPU seconds of one run on one core; "
        "in brackets the printed ones, of another machine.",
        _table1,
        (
            Claim("ATA-GP-UCB is the slowest on every problem.", _extreme("ATA-GP-UCB", max)),
            Claim("MoM-GP-UCB is the fastest on every problem.", _extreme("MoM-GP-UCB", min)),
        ),
        figures=("seconds",),
        shows="ATA-GP-UCB is the slowest and MoM-GP-UCB the fastest on all three problems.",
        got=_times,
        brief=_brief_times,
        inferred=INFERRED,
        reason="",
    ),
    Reproduction(
        "park2024/table2",
        "Stocks",
        SOURCE,
        PRINTED + "The setting is in a supplement that is not public. Our reading: mean "
        "price levels divided by the largest, kernel of z-scored prices, symmetrised Pareto noise; "
        "the table does not state ε, so both are run. 20 trials.",
        _table2,
        tuple(claim for eps in EPSILONS for claim in _stock_claims(eps)),
        figures=("cumulative-regret",),
        shows=f"{chain(LABELS)}; regret {', '.join(f'{REGRET[policy]}' for policy in LABELS)}.",
        got=_got_table2,
        brief=brief_orders,
        inferred=INFERRED.replace("; the kernel's length-scale is our choice", "")
        + " The problem, its kernel and its noise, which are in an unpublished supplement.",
        reason="The printed order is that of the widths, near uniform play. Here TGP-UCB's width "
        "grows beyond ATA-GP-UCB's, so these two change places or are within chance; the other "
        "places are as printed.",
    ),
)
