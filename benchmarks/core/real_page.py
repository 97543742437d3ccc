"""The page on measured data: which policy to choose, by how much, how sure; see reproduction.py."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.reproduction_pages import DASH, plain, table
from stoic.lab.experiments.catalogue.choice import UNIFORM, Lead, Setting, Standing, standings
from stoic.lab.experiments.compare import Difference
from stoic.lab.experiments.sentences import number

PLAIN_GP = "GP-UCB"


def real_page(found: Sequence[Setting]) -> str:
    """The whole page."""
    names = list(dict.fromkeys(setting.data for setting in found))
    lines = [
        "# Which policy to choose on real data",
        "",
        plain(recommendation(found)),
        "",
        plain(never_below_random(found)),
        "",
        "## Each data set",
        "",
        per_setting(found),
        "",
        EACH,
        "",
        "## All data sets",
        "",
        overall(found),
        "",
        ALL,
        "",
        "Pages: "
        + ", ".join(f"[{plain(n)}]({n.removeprefix('real/')}/README.md)" for n in names)
        + ". [All experiments](../README.md).",
    ]
    return "\n".join(lines) + "\n"


EACH = (
    "The policy of the lowest mean loss per round, and how much less it loses than others. A "
    "loss is the distance from the best arm, known only to the lab. Brackets are 95 % paired "
    "bootstrap intervals over trials; *wins* counts the trials in which it loses less. The "
    "policy was chosen on the same trials, so its lead over the runner-up is slightly "
    "optimistic. Latency: the record states no unit, its values are those of seconds, and ms "
    "follows from that. System tuning: a percentage of the best configuration's mean latency "
    "(nginx), throughput (tpcc) or run time (tpch). Returns: percentage points a day."
)
ALL = (
    "*Regret* is a policy's regret divided by that of uniform play, as a mean over the data "
    "sets of equal weight, with a 95 % bootstrap interval. The rule of the recommendation: "
    "first the policies that are below uniform play beyond chance in the most settings, and "
    "among these the one of the lowest mean regret. *Behind the first* is the paired "
    "difference; if its interval includes zero, the order is not settled."
)


def recommendation(found: Sequence[Setting]) -> str:
    """The policy to choose over all data sets, and how sure that is, in words."""
    ranked = standings(found)
    first = ranked[0]
    rivals = [one for one in ranked[1:] if one.policy != UNIFORM]
    ahead = [one.policy for one in rivals if one.behind.low > 0.0]
    open_ = [one.policy for one in rivals if one.behind.low <= 0.0]
    text = (
        f"Over all data sets {first.policy} comes first: its regret is {_share(first.share)} of "
        "uniform play's."
    )
    if ahead:
        text += f" It is ahead of {_and(ahead)} beyond chance."
    if open_:
        text += f" Its order with {_and(open_)} is not settled."
    plain_gp = [one for one in rivals if one.policy == PLAIN_GP]
    if plain_gp:
        text += f" Plain GP-UCB's regret is {_share(plain_gp[0].share)}."
    return text


def never_below_random(found: Sequence[Setting]) -> str:
    """Whether every policy is below uniform play in every setting, beyond chance."""
    failing = [f"{p} on {s.label}" for s in found for p in s.not_below_uniform]
    count = f"{len(found)} settings" if len(found) != 1 else "one setting"
    if failing:
        return f"Not below uniform play beyond chance, in {count}: {'; '.join(failing)}."
    return f"Every policy loses less than uniform play, beyond chance, in all of {count}."


def per_setting(found: Sequence[Setting]) -> str:
    """One row for each setting."""
    rows = []
    for setting in found:
        best, *others = setting.ranked
        second = others[0] if others else None
        rivals = (second, PLAIN_GP if PLAIN_GP in setting.rates else None, UNIFORM)
        leads = [
            _lead(setting, setting.lead(best, rival), named=i == 0)
            if rival is not None and rival != best
            else DASH
            for i, rival in enumerate(rivals)
        ]
        data = setting.data.removeprefix("real/")
        rows.append(
            [
                data if setting.label == data else f"{data}: {setting.label}",
                best,
                f"{number(float(setting.rates[best].mean()), 3)} {setting.unit}",
                *leads,
            ]
        )
    head = ("data", "choose", "loses per round", "less than the runner-up", "less than GP-UCB",
            "less than uniform play")  # fmt: skip
    return table(head, rows)


def overall(found: Sequence[Setting]) -> str:
    """One row for each policy, the one to choose first."""
    rows = [
        [
            one.policy,
            _share(one.share) if one.policy != UNIFORM else "100 %",
            f"{one.rank:.1f}",
            f"{100.0 * one.worst:.0f} %",
            _behind(one, first=i == 0),
            f"{one.below_uniform} of {len(found)}" if one.policy != UNIFORM else DASH,
        ]
        for i, one in enumerate(standings(found))
    ]
    head = ("policy", "regret", "mean rank", "worst setting", "behind the first",
            "below uniform play")  # fmt: skip
    return table(head, rows)


def first_row(found: Sequence[Setting]) -> str:
    """The recommendation with the link to its page, for the overview."""
    return (
        f"**Real data.** {plain(recommendation(found))} {plain(never_below_random(found))} "
        "[Which policy to choose, by how much, how sure](real/README.md)."
    )


def _share(value: Difference) -> str:
    ends = ""
    if math.isfinite(value.low):
        ends = f" [{100.0 * value.low:.1f}, {100.0 * value.high:.1f}]"
    return f"{100.0 * value.mean:.1f} %{ends}"


def _behind(one: Standing, *, first: bool) -> str:
    return DASH if first else f"{_share(one.behind)}{'' if one.behind.settled else ', not settled'}"


def _lead(setting: Setting, lead: Lead, *, named: bool) -> str:
    gap = lead.difference
    sign = "%" if setting.unit.startswith("%") else setting.unit
    ends = f" [{number(gap.low, 3)}, {number(gap.high, 3)}]" if math.isfinite(gap.low) else ""
    sure = "" if gap.settled else ", not settled"
    rival = f"{lead.rival}: " if named else ""
    return f"{rival}{number(gap.mean, 3)} {sign}{ends}, wins {lead.wins} of {lead.trials}{sure}"


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
