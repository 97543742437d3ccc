"""Gallery: aligning a fibre with a detector that saturates and drops out."""

from __future__ import annotations

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, PURPLE, RED, bars, panels, trials

PAGE = Page("gallery/instrument.md", "instrument")
SEEDS = 20
BEST = 3.2  # mW, at the optimum


def make() -> None:
    """Run the page for twenty seeds; draw the first one and all answers."""
    spaces = [PAGE.run(seed=seed) for seed in range(SEEDS)]
    results = [space["result"] for space in spaces]
    true = spaces[0]["coupled"]
    answers = [true(**result.best.params) for result in results]
    lucky = [true(**result.luckiest.trial.params) for result in results]
    held = [result.best.interval[0] <= value <= result.best.interval[1]
            for result, value in zip(results, answers, strict=True)]  # fmt: skip
    figure, (left, right) = panels(2, ratios=(1.25, 1))
    trials(left, results[0])
    left.axhline(BEST, color=BLUE, lw=1.0, label="best possible")
    left.axhline(4.095, color=RED, lw=0.8, ls=":", label="full scale")
    left.set(xlabel="measurement", ylabel="reading (mW)", ylim=(-0.2, 6.4), title="one run")
    left.legend(ncols=2, loc="upper left")
    bars(right, [("answer", answers, BLUE), ("luckiest", lucky, PURPLE)], "true power (mW)")
    right.axvline(BEST, color="black", lw=0.8, ls=":")
    right.set(title=f"{SEEDS} runs; dotted: the optimum", xlim=(0, None))
    PAGE.save(figure)
    first = results[0]
    PAGE.write(
        {
            "best_value": first.best.value,
            "best_interval": list(first.best.interval),
            "saturated": sum(t.value == 4.095 for t in first.trials),
            "zeros": sum(t.value == 0.0 for t in first.trials),
            "suspects": len(first.suspects),
            "budget": len(first.trials),
            "held": int(sum(held)),
            "answers": answers,
            "lucky": lucky,
        },
        words,
    )


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    answers, lucky = np.array(facts["answers"]), np.array(facts["lucky"])
    low, high = facts["best_interval"]
    return {
        "out": f"""
In the run of the figure {facts["saturated"]} of {facts["budget"]} readings were at full scale and
{facts["zeros"]} were zero. The estimate of the answer is {facts["best_value"]:.2f} mW (90% interval
{low:.2f} to {high:.2f}).

Over {len(answers)} runs the true power of the answer is {np.median(answers):.2f} mW (median), at
least {answers.min():.2f}; {BEST} mW are possible. The interval held the true value in
{facts["held"]} of {len(answers)} runs.""",
        "lucky": f"""
A position at which the detector happened to saturate: over {len(lucky)} runs its true power is
{np.median(lucky):.2f} mW (median), at worst {lucky.min():.2f}.""",
    }
