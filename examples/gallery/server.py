"""Gallery: a server whose worst configurations sometimes report the best latency."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, GREY, PURPLE, bars, panels, ticks, trials
from examples.server import truth
from examples.server.server import Config

PAGE = Page("gallery/server.md", "server")
SEEDS = 10
RUNS = 61  # for the true latency of a configuration


def true_ms(params: Mapping[str, Any]) -> float:
    """The mean p99 of honest runs."""
    return truth.average(Config(**params), RUNS)


def make() -> None:
    """Run the page for ten seeds; draw the first one and all answers."""
    results = [PAGE.run(seed=seed)["result"] for seed in range(SEEDS)]
    answers = [true_ms(result.best.params) for result in results]
    lucky = [true_ms(result.luckiest.trial.params) for result in results]
    today = true_ms(results[0].baseline)
    figure, (left, right) = panels(2, ratios=(1.25, 1))
    trials(left, results[0])
    left.axhline(true_ms(results[0].best.params), color=BLUE, lw=1.2, label="answer, true value")
    left.set(yscale="log", xlabel="measurement", ylabel="measured p99 (ms)",
             title="one run: the luckiest value is a broken measurement")  # fmt: skip
    left.legend(loc="center", bbox_to_anchor=(0.55, 0.32))
    best = truth.known()["value"]
    rows = [
        ("answer", answers, BLUE),
        ("luckiest", lucky, PURPLE),
        ("baseline", [today], GREY),
    ]
    bars(right, rows, "true p99 (ms)")
    right.axvline(best, color="black", lw=0.8, ls=":")
    right.set(xscale="log", title=f"{SEEDS} runs; dotted: the optimum")
    ticks(right.xaxis, (30, 50, 100, 200))
    PAGE.save(figure)
    first = results[0]
    PAGE.write(
        {
            "optimum": best,
            "baseline": today,
            "verdict": str(first.verdict),
            "words": [result.verdict.word for result in results],
            "luckiest_value": first.luckiest.trial.value,
            "luckiest_params": dict(first.luckiest.trial.params),
            "best_params": first.best.params,
            "failures": sum(first.failures.values()),
            "suspects": len(first.suspects),
            "answers": answers,
            "lucky": lucky,
        },
        words,
    )


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    answers, lucky = np.array(facts["answers"]), np.array(facts["lucky"])
    params = facts["luckiest_params"]
    gave_up = int((lucky > 2 * facts["baseline"]).sum())
    return {
        "out": f"""
In the run of the figure {facts["failures"]} measurements failed and {facts["suspects"]} were called
suspect. The verdict: *{facts["verdict"]}*.

Over {len(answers)} runs the true p99 of the answer is {np.median(answers):.1f} ms (median;
{answers.min():.1f} to {answers.max():.1f}). The optimum is {facts["optimum"]:.1f} ms, the baseline
has {facts["baseline"]:.1f} ms.""",
        "lucky": f"""
The best measurement of the run in the figure is {facts["luckiest_value"]:.2f} ms, with
{params["threads"]} thread{"s" if params["threads"] > 1 else ""}, {params["cache_mb"]} MB and
{params["gc"]}. Over {len(lucky)} runs the true p99 of the best measurement's configuration is
{np.median(lucky):.0f} ms (median), and in {gave_up} of them it is more than twice the
baseline's.""",
    }
