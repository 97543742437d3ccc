"""Gallery: the accuracy that a search reports, and the accuracy that one gets."""

from __future__ import annotations

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, GREY, PURPLE, panels

PAGE = Page("gallery/classifier.md", "classifier")
SEEDS = 20
SPLITS = 200  # for the true accuracy, other ones than those of the search


def make() -> None:
    """Run the page for twenty seeds; draw what is claimed against what is true."""
    spaces = [PAGE.run(seed=seed) for seed in range(SEEDS)]
    results = [space["result"] for space in spaces]
    accuracy = spaces[0]["accuracy"]

    def true(params: dict[str, float]) -> float:
        return float(np.mean([accuracy(**params, split=10**6 + i) for i in range(SPLITS)]))

    answers = [true(result.best.params) for result in results]
    lucky = [true(dict(result.luckiest.trial.params)) for result in results]
    claims = [result.best.value for result in results]
    ends = [list(result.best.interval) for result in results]
    lucky_claims = [result.luckiest.trial.value for result in results]
    figure, axes = panels(2, sharex=True, sharey=True)
    low = np.array([c - e[0] for c, e in zip(claims, ends, strict=True)])
    high = np.array([e[1] - c for c, e in zip(claims, ends, strict=True)])
    axes[0].errorbar(answers, claims, np.maximum([low, high], 0), fmt="o", ms=4, color=BLUE, lw=0.8)
    axes[1].plot(lucky, lucky_claims, "v", ms=5, mfc="none", color=PURPLE)
    for ax, title in zip(axes, ("the answer, 90% interval", "the best measurement"), strict=True):
        ax.axline((0.97, 0.97), slope=1, color=GREY, lw=0.8, ls=":")
        ax.set(title=title, xlabel=f"true accuracy (mean of {SPLITS} other splits)")
    axes[0].set_ylabel("accuracy that is reported")
    PAGE.save(figure)
    held = sum(e[0] <= a <= e[1] for e, a in zip(ends, answers, strict=True))
    PAGE.write(
        {
            "answers": answers,
            "lucky": lucky,
            "claims": claims,
            "lucky_claims": lucky_claims,
            "held": held,
            "words": [result.verdict.word for result in results],
            "default": true({"C": 1.0, "gamma": 1 / 30}),
        },
        words,
    )


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    answers, lucky = np.array(facts["answers"]), np.array(facts["lucky"])
    claims, best = np.array(facts["claims"]), np.array(facts["lucky_claims"])
    return {
        "out": f"""
Over {len(answers)} runs the answer's estimate is {claims.mean():.3f} on average, and its true
accuracy {answers.mean():.3f}: the estimate is too high by {100 * (claims - answers).mean():.1f}
percentage points. The interval held the true accuracy in {facts["held"]} of {len(answers)} runs.
With the default parameters of scikit-learn the accuracy is {facts["default"]:.3f}: there is
nothing to gain. The verdict was *not shown to be better* in
{facts["words"].count("not shown to be better")} runs, *better* in {facts["words"].count("better")}
and *worse* in {facts["words"].count("worse")}.""",
        "lucky": f"""
It reports {best.mean():.3f} on average, and its true accuracy is {lucky.mean():.3f}
({lucky.min():.3f} at worst; that of the answer is {answers.min():.3f} at worst): the report is too
high by {100 * (best - lucky).mean():.1f} percentage points.""",
    }
