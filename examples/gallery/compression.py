"""Gallery: zlib's parameters for text that is sent over a network, by real timings."""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping
from typing import Any

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, GREY, PURPLE, panels, ticks, trials

PAGE = Page("gallery/compression.md", "compression")
SEEDS = 5
BLOCKS = 25  # of further measurements, in random order


def make() -> None:
    """Run the page for five seeds; measure answers, luckiest ones and the baseline again."""
    spaces = [PAGE.run(seed=seed) for seed in range(SEEDS)]
    results, seconds = [space["result"] for space in spaces], spaces[0]["seconds"]
    wanted: dict[str, Mapping[str, Any]] = {"baseline": results[0].baseline}
    for at, result in enumerate(results):
        wanted[f"answer {at}"] = result.best.params
        wanted[f"luckiest {at}"] = dict(result.luckiest.trial.params)
    again = again_in_blocks(wanted, seconds)
    figure, (left, right) = panels(2, ratios=(1.25, 1))
    trials(left, results[0])
    left.set(yscale="log", xlabel="measurement", ylabel="seconds", title="one run")
    ticks(left.yaxis, (0.03, 0.05, 0.1, 0.2, 0.5))
    left.legend(ncols=2)
    rows = ["baseline", "answer 0", "luckiest 0"]
    colours = (GREY, BLUE, PURPLE)
    for at, (name, colour) in enumerate(zip(rows, colours, strict=True)):
        values = np.array(again[name])
        y = at + np.random.default_rng(at).uniform(-0.2, 0.2, len(values))
        right.plot(values, y, "o", ms=3, alpha=0.5, mew=0, color=colour)
        right.plot([np.median(values)] * 2, [at - 0.3, at + 0.3], color=colour, lw=2)
    right.set(yticks=range(3), ylim=(2.5, -0.5), xscale="log", xlabel="seconds",
              title=f"{BLOCKS} further measurements")  # fmt: skip
    right.set_yticklabels(["baseline", "answer", "luckiest"])
    ticks(right.xaxis, (0.04, 0.06, 0.08, 0.1))
    PAGE.save(figure)
    middle = {name: statistics.median(values) for name, values in again.items()}
    first = results[0]
    PAGE.write(
        {
            "bytes": len(spaces[0]["text"]),
            "baseline": middle["baseline"],
            "answers": [middle[f"answer {at}"] for at in range(SEEDS)],
            "lucky": [middle[f"luckiest {at}"] for at in range(SEEDS)],
            "lucky_value": [result.luckiest.trial.value for result in results],
            "params": first.best.params,
            "verdict": str(first.verdict),
            "words": [result.verdict.word for result in results],
            "slowest": max(t.value / first.best.value for t in first.trials if t.value),
        },
        words,
    )


def again_in_blocks(
    wanted: Mapping[str, Mapping[str, Any]], seconds: Any
) -> dict[str, list[float]]:
    """Measure all configurations once in each block, in random order."""
    again: dict[str, list[float]] = {name: [] for name in wanted}
    rng = random.Random(0)
    for _ in range(BLOCKS):
        for name in rng.sample(sorted(wanted), len(wanted)):
            again[name].append(seconds(**wanted[name]))
    return again


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    answers, lucky = np.array(facts["answers"]), np.array(facts["lucky"])
    optimism = 100 * (1 - np.array(facts["lucky_value"]) / lucky)
    named = ", ".join(f"{name}={value}" for name, value in facts["params"].items())
    return {
        "out": f"""
In the run of the figure the answer is {named}, and the verdict: *{facts["verdict"]}*. In
{facts["words"].count("better")} of {len(answers)} runs the verdict was *better*. Measured again in
blocks of random order, the baseline takes {1000 * facts["baseline"]:.1f} ms and the answers
{1000 * answers.min():.1f} to {1000 * answers.max():.1f} ms (medians).""",
        "lucky": f"""
Nearly the same here: errors of times go to the bad side, so the best measurement is
seldom an outlier. Its configurations take {1000 * lucky.min():.1f} to {1000 * lucky.max():.1f} ms
when they are measured again, {optimism.mean():.1f}% more than it claims on average
({optimism.max():.1f}% at most). Where errors have one sign, and the noise is small, the best of
many measurements is a fair answer.""",
    }
