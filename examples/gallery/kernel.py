"""Gallery: a GPU kernel, replayed from a table of real timings."""

from __future__ import annotations

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, PURPLE, bars, panels, ticks, trials

PAGE = Page("gallery/kernel.md", "kernel")
NEEDS_DATA = True
SEEDS = 10


def make() -> None:
    """Run the page for ten seeds; draw the first run and the true times of all answers."""
    spaces = [PAGE.run(seed=seed) for seed in range(SEEDS)]
    results, times = [space["result"] for space in spaces], spaces[0]["times"]
    true = {key: float(np.median(values)) for key, values in times.items() if values}
    best = min(true.values())

    def over(params: dict[str, float]) -> float:
        return 100 * (true[tuple(map(float, params.values()))] / best - 1)

    answers = [over(result.best.params) for result in results]
    lucky = [over(dict(result.luckiest.trial.params)) for result in results]
    rng = np.random.default_rng(0)
    sampled = [rng.choice(list(true.values()), 100).min() for _ in range(1000)]
    drawn = float(np.median([100 * (value / best - 1) for value in sampled]))
    figure, (left, right) = panels(2, ratios=(1.25, 1))
    trials(left, results[0])
    left.axhline(best, color="black", lw=0.8, ls=":", label="best of the table")
    left.set(yscale="log", xlabel="measurement", ylabel="time (ms)", title="one run")
    ticks(left.yaxis, (1, 2, 4, 8))
    left.legend(ncols=2, loc="upper right")
    rows = [("answer", answers, BLUE), ("luckiest", lucky, PURPLE)]
    bars(right, rows, "true time above the best of the table (%)")
    right.axvline(drawn, color="black", lw=0.8, ls="--")
    right.set(title=f"{SEEDS} runs; dashed: 100 random valid ones", xlim=(-1, None))
    PAGE.save(figure)
    shares = [max(v) / np.median(v) for v in times.values() if v]
    PAGE.write(
        {
            "valid": len(true),
            "all": spaces[0]["combinations"],
            "answers": answers,
            "lucky": lucky,
            "random": drawn,
            "spread": 100 * (float(np.median(shares)) - 1),
            "failures": [sum(result.failures.values()) for result in results],
            "claims": [
                100 * (result.luckiest.trial.value / true[tuple(
                    map(float, result.luckiest.trial.params.values()))] - 1)
                for result in results
            ],
        },
        words,
    )  # fmt: skip


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    answers, lucky = np.array(facts["answers"]), np.array(facts["lucky"])
    return {
        "table": f"{facts['valid']:,} of {facts['all']:,} combinations run.",
        "out": f"""
Over {len(answers)} runs of 100 measurements the true time of the answer is
{np.median(answers):.0f}% above that of the best configuration of the table (median;
{answers.min():.0f}% to {answers.max():.0f}%). {np.mean(facts["failures"]):.0f} of 100
measurements failed on average, although nobody stated which combinations are invalid. The best of
100 random *valid* configurations, with their true times known, is {facts["random"]:.0f}% above
(median).""",
        "lucky": f"""
{np.median(lucky):.0f}% above the best (median; {lucky.min():.0f}% to {lucky.max():.0f}%), with a
number that is {-np.mean(facts["claims"]):.1f}% too good on average. Timings of a quiet GPU have
little noise, so the best measurement is a fair choice here. What matters is the search among
combinations of which most fail.""",
    }
