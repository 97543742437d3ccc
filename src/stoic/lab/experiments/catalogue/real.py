"""Real heavy tails: network latency, system tuning, stock returns, hyper-parameters."""

from __future__ import annotations

from collections.abc import Callable

from stoic.lab.experiments.catalogue.base import Claim, Reproduction, Verdict
from stoic.lab.experiments.catalogue.checks import every, ordering, per_round, spread
from stoic.lab.experiments.catalogue.choice import UNIFORM, Scale, Setting, settings
from stoic.lab.experiments.compare import paired_difference
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = ["REPRODUCTIONS", "SCALES", "real_settings"]

POLICIES = (
    PolicySpec("gp-ucb", "GP-UCB"),
    PolicySpec("tgp-ucb", "TGP-UCB"),
    PolicySpec("ata-gp-ucb", "ATA-GP-UCB (Nyström)"),
    PolicySpec("ca-tgp-ucb", "CA-TGP-UCB"),
    PolicySpec("mom-gp-ucb", "MoM-GP-UCB"),
    PolicySpec("rcgp-ucb", "RCGP-UCB"),
    PolicySpec("bkb", "BKB"),
    PolicySpec("uniform", "Uniform"),
)
ROBUST = [s.label for s in POLICIES if s.policy not in ("gp-ucb", "bkb", "uniform")]
WORKLOADS = ("azure/nginx/wikipedia", "azure/postgres/tpcc", "azure/postgres/tpch")
SCALES = {
    "real/seattle-rtt": Scale("ms", lambda _: 1000.0),
    "real/tuna": Scale("% of the best", lambda problem: 100.0 / abs(problem.optimum)),
    "real/returns": Scale("percentage points", lambda _: 1.0),
    "real/hpo": Scale("validation loss", lambda _: 1.0),
}
"""The unit of regret per round on each data set.

The record of network latency does not state its unit; its values are those of seconds. The units
of system tuning are not stated either, so a loss is shown as a share of the best configuration's
mean latency, throughput or run time.
"""


def _builder(
    name: str, problems: tuple[Table, ...], horizon: int, small: dict[str, int]
) -> Callable[[bool], list[Experiment]]:
    def build(quick: bool) -> list[Experiment]:
        chosen = ({**problems[0], **small},) if quick else problems
        return [
            Experiment(
                f"real/{name}",
                problems=chosen,
                policies=POLICIES,
                horizons=(min(200, horizon) if quick else horizon,),
                trials=1 if quick else 10,
            )
        ]

    return build


def _best_first(results: Results) -> Verdict:
    lines, holds = [], []
    for problem in dict.fromkeys(case.problem for case in results.some()):
        rates = {c.case.policy: per_round(c) for c in results.curves(problem=problem)}
        best = min(ROBUST, key=lambda policy: rates[policy].mean())
        gap = paired_difference(rates[best], rates["GP-UCB"])
        holds.append(True if gap.high < 0.0 else False if gap.low > 0.0 else None)
        listed = sorted(rates, key=lambda policy: rates[policy].mean())
        lines.append(
            f"{problem}: " + ", ".join(f"{policy} {spread(rates[policy])}" for policy in listed)
        )
    return Verdict(every(holds), "; ".join(lines))


def _below_uniform(results: Results) -> Verdict:
    lines, holds = [], []
    for problem in dict.fromkeys(case.problem for case in results.some()):
        rates = {c.case.policy: per_round(c) for c in results.curves(problem=problem)}
        base = rates.pop(UNIFORM)
        gaps = {policy: paired_difference(rate, base) for policy, rate in rates.items()}
        holds += [
            True if gap.high < 0.0 else False if gap.low > 0.0 else None for gap in gaps.values()
        ]
        worst = max(gaps, key=lambda policy: gaps[policy].high)
        lines.append(
            f"{problem}: the closest is {worst}, {spread(rates[worst])} against {spread(base)}"
        )
    return Verdict(every(holds), "; ".join(lines))


def real_settings(results: Results) -> list[Setting]:
    """The settings of an experiment of this file, with regret in its natural unit."""
    return settings(results, SCALES[results.some()[0].experiment])


def _chosen(results: Results) -> str:
    parts = []
    for one in real_settings(results):
        first, second = one.ranked[:2]
        lead = one.lead(first, second)
        sure = "" if lead.difference.settled else ", not settled"
        parts.append(
            f"{one.label}: {first} is first and loses {one.rates[first].mean():.3g} {one.unit} a "
            f"round; {second} loses {lead.difference.mean:.2g} more{sure}"
        )
    return "; ".join(parts)


def _brief(results: Results) -> str:
    """The first of each setting, and how many others may be as good."""
    parts = []
    for one in real_settings(results):
        first, *others = one.ranked
        near = sum(not one.lead(first, other).difference.settled for other in others)
        more = f", not settled with {near} other{'s' * (near > 1)}" if near else ""
        parts.append(f"{one.label}: {first}{more}")
    return "; ".join(parts)


def _reproduction(
    name: str, title: str, setting: str, problems: tuple[Table, ...], horizon: int,
    small: dict[str, int] | None = None, needs: str = "", reason: str = "",
) -> Reproduction:  # fmt: skip
    return Reproduction(
        f"real/{name}",
        title,
        "Real data; ours, not a paper's",
        setting + f" Practical schedule, {horizon} rounds, 10 trials.",
        _builder(name, problems, horizon, small or {}),
        (
            Claim("The best robust policy is below plain GP-UCB.", _best_first, ours=True),
            Claim("TGP-UCB is below plain GP-UCB.", ordering("TGP-UCB", "GP-UCB"), ours=True),
            Claim("Every policy is below uniform play.", _below_uniform, ours=True),
        ),
        needs=needs,
        shows="Which policy to choose?",
        got=_chosen,
        brief=_brief,
        reason=reason,
    )


REPRODUCTIONS = (
    _reproduction(
        "seattle-rtt",
        "Network latency",
        "98 destinations; payoff: minus a round-trip time drawn from the measured ones.",
        tuple({"kind": "seattle-rtt", "source": s, "label": f"source {s}"} for s in (28, 44)),
        5000,
        needs="seattle_rtt",
        reason="Regret is measured by mean latencies. Latencies are bounded, and their skew "
        "differs between destinations. Clipping therefore biases the means by different amounts; "
        "a plain average does not.",
    ),
    _reproduction(
        "tuna",
        "System tuning with crashed runs",
        "Configurations of PostgreSQL and NGINX, measured ten times each; a payoff is one of them.",
        tuple({"kind": "tuna", "workload": w, "label": w} for w in WORKLOADS),
        2000,
        needs="tuna",
    ),
    _reproduction(
        "returns",
        "Daily stock returns",
        "Payoff: the return, in per cent, of a uniformly drawn day.",
        ({"kind": "stock-returns", "label": "returns"},),
        5000,
    ),
    _reproduction(
        "hpo",
        "Hyper-parameters of a neural network",
        "A table of trained networks, four repeats each; 4000 random configurations.",
        ({"kind": "hpo", "arms": 4000, "label": "hpo"},),
        1000,
        {"arms": 500},
    ),
)
