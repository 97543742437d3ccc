"""Gallery: the nearest of 98 hosts, from recorded round-trip times."""

from __future__ import annotations

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, GREY, PURPLE, RED, bars, panels

PAGE = Page("gallery/mirrors.md", "mirrors")
NEEDS_DATA = True
SEEDS = 20
NAMES = {
    "tgp-ucb": "TGP-UCB",
    "gp-ucb": "plain GP-UCB",
    "means": "lowest average of 10",
    "first": "fastest single probe",
}
COLOURS = {"tgp-ucb": BLUE, "gp-ucb": RED, "means": GREY, "first": PURPLE}


def make() -> None:
    """Choose a host in twenty ways with each method."""
    space = PAGE.run()
    play, true, later = space["play"], space["true"], space["later"]
    chosen: dict[str, list[int]] = {name: [] for name in NAMES}
    for seed in range(SEEDS):
        for name in ("tgp-ucb", "gp-ucb"):
            chosen[name].append(int(play(name, seed)))
        rng = np.random.default_rng(seed)
        probes = later[rng.integers(len(later), size=(10, later.shape[1])), np.arange(98)]
        chosen["means"].append(int(probes.mean(0).argmin()))
        chosen["first"].append(int(probes[0].argmin()))
    means = {name: [float(true[i]) for i in hosts] for name, hosts in chosen.items()}
    figure, (left, right) = panels(2)
    order = np.argsort(true)
    for at, host in enumerate(order):
        left.plot([at] * len(later), later[:, host], ".", ms=1.2, color=GREY, alpha=0.35, mew=0)
    left.plot(true[order], color=BLUE, lw=1.4, label="mean")
    left.plot(np.median(later, 0)[order], ".", ms=3, color=RED, label="median")
    left.set(yscale="log", xlabel="host, by mean", ylabel="round-trip time", title="98 hosts")
    left.legend(loc="upper left")
    rows = [(NAMES[name], means[name], COLOURS[name]) for name in NAMES]
    bars(right, rows, "mean round-trip time of the choice")
    right.axvline(true.min(), color="black", lw=0.8, ls=":")
    right.set(title=f"{SEEDS} runs; dotted: the best host")
    PAGE.save(figure)
    PAGE.write(
        {"means": means, "best": float(true.min()), "all": float(true.mean()),
         "ratio": float(np.median(later.max(0) / np.median(later, 0)))},
        words,
    )  # fmt: skip


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    table = ["| | mean time of the chosen host: mean | worst |", "|---|---|---|"]
    table += [
        f"| {label} | {np.mean(facts['means'][name]):.3f} | {np.max(facts['means'][name]):.3f} |"
        for name, label in NAMES.items()
    ]
    intro = (
        f"The best host has a mean of {facts['best']:.3f}, all hosts together {facts['all']:.3f}. "
        f"A host's slowest probe is {facts['ratio']:.0f} times its median (median of the hosts). "
        f"In {SEEDS} runs of 980 probes:"
    )
    first = np.array(facts["means"]["first"])
    robust, plain, tens = (np.mean(facts["means"][name]) for name in ("tgp-ucb", "gp-ucb", "means"))
    gain = "gains nothing over" if robust >= min(plain, tens) else "is better than"
    remark = f"""
On these data a robust policy {gain} plain averages."""
    return {
        "out": intro + "\n\n" + "\n".join(table) + "\n\n" + remark,
        "lucky": f"""
The fastest single probe leads to a host with a mean of {first.mean():.3f}, and of
{first.max():.3f} at worst: with one probe each, 98 hosts are 98 chances to be lucky.""",
    }
