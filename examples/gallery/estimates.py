"""Understand: the median, the mean and a single run of one configuration."""

from __future__ import annotations

import math
import random

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, GREEN, GREY, PURPLE, panels

PAGE = Page("understand/estimates.md", "estimates")
SEEDS = 20
DRAWN = 4000


def typical(threads: int) -> float:
    """The value of a configuration without noise."""
    return 20 + (threads - 24) ** 2 / 20


def true(target: str, threads: int) -> float:
    """The median or mean of all runs of a configuration."""
    return typical(threads) + (1.0 if target == "median" else math.exp(0.5))


def make() -> None:
    """Run the page for twenty seeds; draw the first."""
    runs = [PAGE.run(seed=seed)["found"] for seed in range(SEEDS)]
    held = {
        target: sum(
            found[target].best.interval[0]
            <= true(target, found[target].best.params["threads"])
            <= found[target].best.interval[1]
            for found in runs
        )
        for target in ("median", "mean")
    }
    best = {target: result.best for target, result in runs[0].items()}
    threads = best["median"].params["threads"]
    rng = random.Random(1)
    values = [typical(threads) + rng.lognormvariate(0, 1.0) for _ in range(DRAWN)]
    figure, (ax,) = panels(1, height=2.8)
    ax.hist(values, bins=np.linspace(19.5, 27, 121).tolist(), color="#DDE2E7", density=True)
    for at, (target, colour) in enumerate((("median", BLUE), ("mean", GREEN))):
        y = -0.07 - 0.06 * at
        low, high = best[target].interval
        ax.plot([low, high], [y, y], color=colour, lw=4, solid_capstyle="butt", alpha=0.5)
        ax.plot(best[target].value, y, "o", color=colour, ms=5, label=f"{target}: estimate, 90%")
        ax.plot([true(target, threads)] * 2, [-0.3, 0.72], color=colour, lw=0.9, ls=":")
    low, high = best["median"].single_run
    ax.plot([low, high], [-0.19] * 2, color=GREY, lw=4, solid_capstyle="butt",
            label="nine of ten single runs")  # fmt: skip
    lucky = runs[0]["median"].luckiest.trial.value
    ax.plot(lucky, -0.25, "v", ms=7, mfc="none", mec=PURPLE, mew=1.6, label="luckiest")
    ax.set(xlabel="milliseconds of a run; dotted: true median and mean", xlim=(19.5, 27),
           yticks=[], ylim=(-0.3, 0.78), title=f"runs of threads = {threads}")  # fmt: skip
    ax.legend()
    PAGE.save(figure)
    inside = sum(low <= value <= high for value in values) / DRAWN
    below = [min(t.value for t in found["median"].trials if t.value) for found in runs]
    PAGE.write(
        {
            "held": held,
            "threads": [found["median"].best.params["threads"] for found in runs],
            "estimates": {target: [found[target].best.value for found in runs] for target in best},
            "truth": {target: true(target, threads) for target in best},
            "first": {target: answer.value for target, answer in best.items()},
            "inside": inside,
            "lucky": below,
        },
        words,
    )


def words(facts: Facts) -> dict[str, str]:
    """What was estimated, and how often intervals hold the truth."""
    first, truth = facts["first"], facts["truth"]
    return {
        "out": f"""
In the figure the median is estimated at {first["median"]:.2f} ms (true: {truth["median"]:.2f})
and the mean at {first["mean"]:.2f} ms (true: {truth["mean"]:.2f}); {100 * facts["inside"]:.0f}%
of single runs are in their range. Over {SEEDS} seeds the interval of the median holds the truth in
{facts["held"]["median"]} runs, that of the mean in {facts["held"]["mean"]}. The luckiest
measurement is {np.median(facts["lucky"]):.2f} ms (median of the seeds), which is less than the
typical run of any configuration."""
    }
