"""All of park2024's Table 1 on one core: three problems, five algorithms, T = 10⁴."""

from __future__ import annotations

from collections.abc import Iterator

from speed.report import Goal, Options, Section, duration
from speed.timing import play, seconds
from speed.work import Method, World, park2024
from stoic.lab.experiments.catalogue.park2024.shared import ATA, OTHERS
from stoic.lab.experiments.catalogue.park2024.tables import SECONDS
from stoic.lab.experiments.spec import PolicySpec

__all__ = ["table1"]

SIZES = {"1d": "1-D", "2d": "2-D", "5d": "5-D"}


def table1(options: Options) -> Section:
    """CPU seconds of every cell, making the policy included."""
    T = options.pick(10_000, 150)
    section = Section(
        f"Table 1 of park2024, T = {T} plays",
        ["problem", "policy", "practical", "paper", "printed"],
        notes=[
            "Seconds of one run. The paper's horizon is not printed: its seconds are for scale. "
            "With its released constants the dictionary of ATA-GP-UCB is all arms played, hundreds "
            "in 2-D and thousands in 5-D, which takes hours: left out."
        ],
    )
    total = dict.fromkeys(("practical", "paper"), 0.0)
    for size, policy, printed in _cells():
        world = park2024(size, options.pick(5000, 500))
        row = [SIZES[size], policy.label]
        for schedule in total:
            if (policy.policy, schedule) == ("ata-gp-ucb", "paper") and size != "1d":
                row.append("–")
                continue
            options.tick(f"Table 1: {SIZES[size]}, {policy.label}, {schedule}")
            method = Method(policy.policy, schedule, dict(policy.options))
            spent = _cell(method, world, T)
            total[schedule] += spent
            row.append(duration(spent))
        section.rows.append([*row, f"{printed:.0f} s"])
    printed_sum = sum(sum(row.values()) for row in SECONDS.values())
    section.rows.append(["all", "", *(f"{total[s]:.0f} s" for s in total), f"{printed_sum:.0f} s"])
    measured = ", ".join(f"{schedule} {spent / 60:.1f} min" for schedule, spent in total.items())
    section.goals.append(
        Goal(
            f"Table 1 of park2024, T = {T}",
            f"printed: {printed_sum / 60:.0f} min",
            "≤ 10 min",
            measured,
            total["practical"] <= 600.0,
        )
    )
    return section


def _cells() -> Iterator[tuple[str, PolicySpec, float]]:
    for size, name in SIZES.items():
        for policy in (*OTHERS, ATA):
            yield size, policy, SECONDS[name][policy.label]


def _cell(method: Method, world: World, T: int) -> float:
    def run() -> None:
        play(method.build(world, T), means, draws)

    means, draws = world.problem.f.tolist(), world.draws(T)
    return seconds(run)
