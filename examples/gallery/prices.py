"""Gallery: choosing a price from revenue with a heavy tail."""

from __future__ import annotations

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, GREEN, GREY, RED, bars, panels

PAGE = Page("gallery/prices.md", "prices")
SEEDS = 20
NAMES = {"tgp-ucb": "TGP-UCB", "gp-ucb": "plain GP-UCB", "ab": "equal shares"}
COLOURS = {"tgp-ucb": BLUE, "gp-ucb": RED, "ab": GREY}


def make() -> None:
    """Play twenty seeds with both policies and with equal shares."""
    space = PAGE.run()
    play, true, prices = space["play"], space["true"], space["prices"]
    best = true.max()
    lost: dict[str, list[float]] = {name: [] for name in NAMES}
    answer: dict[str, list[float]] = {name: [] for name in NAMES}
    for seed in range(SEEDS):
        for name in ("tgp-ucb", "gp-ucb"):
            earned, arm = play(name, seed)
            lost[name].append(100 * (1 - earned / best))
            answer[name].append(100 * (1 - true[arm] / best))
        revenue, rng = space["revenue"], np.random.default_rng(seed)
        each = space["rounds"] // len(prices)
        means = [np.mean([revenue(rng, i) for _ in range(each)]) for i in range(len(prices))]
        lost["ab"].append(100 * (1 - true.mean() / best))
        answer["ab"].append(100 * (1 - true[int(np.argmax(means))] / best))
    figure, (left, right) = panels(2)
    rng = np.random.default_rng(0)
    drawn = np.array([[space["revenue"](rng, i) for _ in range(30)] for i in range(len(prices))])
    left.plot(np.repeat(prices, 30), drawn.ravel(), ".", ms=2, color=GREY, label="one batch")
    left.plot(prices, true, color=GREEN, lw=1.6, label="true mean")
    left.plot(prices, drawn.mean(1), color=RED, lw=0.9, label="average of 30 batches")
    left.set(yscale="log", xlabel="price", ylabel="revenue per visitor", ylim=(0.05, None),
             title=f"the largest of {drawn.size} batches: {drawn.max():.0f}")  # fmt: skip
    left.legend(loc="lower left")
    bars(right, [(NAMES[n], answer[n], COLOURS[n]) for n in NAMES], "lost by the final price (%)")
    right.set(title=f"{SEEDS} runs", xlim=(-1, None))
    PAGE.save(figure)
    PAGE.write(
        {"lost": lost, "answer": answer, "price": float(prices[true.argmax()]),
         "rounds": space["rounds"]},
        words,
    )  # fmt: skip


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    lost = {name: np.array(values) for name, values in facts["lost"].items()}
    answer = {name: np.array(values) for name, values in facts["answer"].items()}
    table = [
        "| | lost while learning | lost by the final price: mean | worst |",
        "|---|---|---|---|",
    ]
    table += [
        f"| {label} | {lost[name].mean():.1f}% | {answer[name].mean():.1f}% | "
        f"{answer[name].max():.1f}% |"
        for name, label in NAMES.items()
    ]
    return {
        "out": f"The best price is {facts['price']:g}. Shares of the revenue of the best price, in "
        f"{SEEDS} runs of {facts['rounds']} batches:\n\n" + "\n".join(table),
        "lucky": f"""
The price with the highest average of equal shares, as an A/B/n test takes it, loses
{answer["ab"].mean():.1f}% of the revenue on average and {answer["ab"].max():.0f}% at worst: a few
large orders decide which average is highest.""",
    }
