"""Understand: what the best measurement claims where nothing is to gain, and what finals show."""

from __future__ import annotations

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, PURPLE, RED, panels

PAGE = Page("understand/finals.md", "finals")
SEEDS = 100


def make() -> None:
    """Run the page for a hundred seeds."""
    spaces = [PAGE.run(seed=seed) for seed in range(SEEDS)]
    claimed = [100 * space["claimed"] for space in spaces]
    verdicts = [space["result"].verdict for space in spaces]
    figure, (left, right) = panels(2)
    left.hist(claimed, bins=np.arange(0, 22, 1.5).tolist(), color=PURPLE, alpha=0.75)
    left.axvline(0, color="black", lw=0.8)
    left.set(xlabel="claimed gain over the baseline (%); true: 0", ylabel="runs", xlim=(-3, 21),
             title="the best measurement")  # fmt: skip
    for at, verdict in enumerate(verdicts):
        said = verdict.word != "not shown to be better"
        colour = RED if said else BLUE
        ends = np.clip(verdict.interval, -30, 30)
        right.plot(ends, [at, at], color=colour, lw=0.8)
        right.plot(verdict.difference, at, "o", ms=1.8, color=colour)
    right.axvline(0, color="black", lw=0.8)
    right.set(xlabel="difference to the baseline; true: 0", xlim=(-14, 14), ylabel="run",
              title="the finals of the same runs")  # fmt: skip
    PAGE.save(figure)
    PAGE.write(
        {
            "claimed": claimed,
            "words": [verdict.word for verdict in verdicts],
            "held": sum(v.interval[0] <= 0 <= v.interval[1] for v in verdicts),
        },
        words,
    )


def words(facts: Facts) -> dict[str, str]:
    """What is claimed and what is shown."""
    claimed, said = np.array(facts["claimed"]), facts["words"]
    return {
        "out": f"""
In {SEEDS} runs the best measurement claims a gain of {claimed.mean():.0f}% on average, and of at
least {claimed.min():.0f}%. The verdict is *not shown to be better* in
{said.count("not shown to be better")} runs, *better* in {said.count("better")} and *worse* in
{said.count("worse")}; of 90% intervals one expects {SEEDS // 20} wrong ones of each kind. The
interval contains 0 in {facts["held"]}."""
    }
