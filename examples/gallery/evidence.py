"""Evidence: the pages that bring the results of the benchmarks together."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from examples.gallery.page import DOCS, Facts, Page
from examples.gallery.style import AMBER, BLUE, GREY, RED, panels

PAGE = Page("evidence/optimiser.md", "hosts")
BANDITS = Page("evidence/bandits.md", "practical")
SOAK = Page("evidence/soak.md", "soak", drawn=False)
RESULTS = DOCS.parent / "benchmarks" / "results"
HOSTS = {
    "optuna": ("Optuna", "best_trial of TPE", "StoicSampler, recommend"),
    "ray": ("Ray Tune", "get_best_result of the default", "StoicSearch, recommend"),
    "sklearn": (
        "scikit-learn",
        "best_params_ of RandomizedSearchCV",
        "best_params_ of StoicSearchCV",
    ),
}
NOISES = {"both10": "10% outliers", "clean": "clean noise"}
CUT = 1.5  # regrets are cut there in means, as in the tables of results
SHOWN = re.compile(r"lost|stuck|killed|counted twice|given twice|differ|taken for whole|hung|wrong")


def make() -> None:
    """Read the results; draw two figures; write three pages."""
    hosts()
    bandits()
    rows = table(RESULTS / "study.md", 4)
    SOAK.write({"rows": [row for row in rows if SHOWN.search(row[0])]}, soak_words)


def table(file: Path, columns: int) -> list[list[str]]:
    """The rows of all tables of a page that have so many columns."""
    rows = []
    for line in file.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == columns and set(cells[0]) != {"-"}:
            rows.append(cells)
    return rows[1:]


def hosts() -> None:
    """True regret inside other libraries."""
    regrets = {key: list(by_cell.values()) for key, by_cell in matched().items()}
    figure, axes = panels(3, height=2.6, sharey=True)
    facts: Facts = {}
    for ax, (host, (label, old, new)) in zip(axes, HOSTS.items(), strict=True):
        for at, noise in enumerate(NOISES):
            for shift, method, colour in ((-0.17, old, RED), (0.17, new, BLUE)):
                values = regrets[host, noise, method]
                x = at + shift + np.random.default_rng(at).uniform(-0.09, 0.09, len(values))
                ax.plot(x, values, "o", ms=2.5, alpha=0.5, mew=0, color=colour)
                mean = float(np.mean(values))
                ends = [at + shift - 0.15, at + shift + 0.15]
                ours = method == new
                label_ = ("Stoic" if ours else "its default") if at == 0 else None
                ax.plot(ends, [mean, mean], color=colour, lw=2.4, label=label_)
                facts[f"{host} {noise} {'new' if ours else 'old'}"] = mean
        ax.set(xticks=range(2), title=label, xlim=(-0.5, 1.5))
        ax.set_xticklabels(list(NOISES.values()))
    axes[0].set_ylabel("true regret of the answer")
    axes[2].legend()
    PAGE.save(figure)
    PAGE.write(facts, words)


def matched() -> dict[tuple[str, str, str], dict[tuple[str, int], float]]:
    """Regrets by host, noise and method; of problems and seeds that all methods of a host have."""
    found: dict[tuple[str, str, str], dict[tuple[str, int], float]] = defaultdict(dict)
    for host in HOSTS:
        lines = (RESULTS / "hosts" / f"{host}.jsonl").read_text(encoding="utf-8").splitlines()
        for line in map(json.loads, lines):
            noise = "both10" if line["noise"] == "both10" else "clean"
            cell = (line["problem"], line["seed"])
            found[host, noise, line["method"]][cell] = min(line["regret"], CUT)
    for host, noise, method in list(found):
        others = [cells for key, cells in found.items() if key[:2] == (host, noise)]
        kept = set.intersection(*map(set, others))
        mine = found[host, noise, method]
        found[host, noise, method] = {cell: mine[cell] for cell in sorted(kept)}
    return found


def words(facts: Facts) -> dict[str, str]:
    """Means by host and noise."""
    rows = ["| inside | noise | its default | Stoic |", "|---|---|---|---|"]
    for host, (label, _, _) in HOSTS.items():
        for noise, name in NOISES.items():
            old, new = facts[f"{host} {noise} old"], facts[f"{host} {noise} new"]
            rows.append(f"| {label} | {name} | {old:.2f} | {new:.2f} |")
    return {"hosts": "\n".join(rows)}


def bandits() -> None:
    """Regret of the practical defaults by policy and noise."""
    rows = [row for row in table(RESULTS / "practical.md", 5) if row[0] != "Uniform"]
    facts = {f"{row[0]} {row[1]}": [float(row[2].split()[0]), float(row[3])] for row in rows}
    names = list(dict.fromkeys(row[0] for row in rows))
    figure, axes = panels(2, height=3.2, sharey=True)
    for ax, (noise, title) in zip(axes, (("t3", "Student-t, 3 degrees of freedom"),
                                         ("pareto-1.21", "Pareto 1.21, infinite variance")),
                                  strict=True):  # fmt: skip
        for at, name in enumerate(names):
            mean, worst = facts[f"{name} {noise}"]
            ax.plot([mean, worst], [at, at], color=GREY, lw=1)
            ax.plot(mean, at, "o", color=BLUE, ms=4, label="mean" if at == 0 else None)
            ax.plot(worst, at, "|", color=AMBER, ms=9, mew=2,
                    label="worst of 20 functions" if at == 0 else None)  # fmt: skip
        ax.set(xscale="log", title=title, xlabel="regret per round / range of f")
    axes[0].set(yticks=range(len(names)), ylim=(len(names) - 0.5, -0.5))
    axes[0].set_yticklabels(names)
    axes[0].legend(loc="upper right")
    BANDITS.save(figure)
    BANDITS.write(facts, bandits_words)


def bandits_words(facts: Facts) -> dict[str, str]:
    """The policies that a heavy tail hurts least and most."""
    heavy = {name.removesuffix(" pareto-1.21"): mean for name, (mean, _) in facts.items()
             if name.endswith(" pareto-1.21")}  # fmt: skip
    best, worst = min(heavy, key=heavy.__getitem__), max(heavy, key=heavy.__getitem__)
    return {
        "practical": f"""
Under infinite variance {best} loses {heavy[best]:.3f} of the range of f per round, {worst}
{heavy[worst]:.3f}. Under t₃ noise, whose variance is finite, the difference is small: TGP-UCB loses
{facts["TGP-UCB t3"][0]:.4f}, GP-UCB {facts["GP-UCB t3"][0]:.4f}."""
    }


def soak_words(facts: Facts) -> dict[str, str]:
    """The rows about loss and damage."""
    lines = ["| what | figure | bar |", "|---|---|---|"]
    lines += [f"| {what} | {figure} | {bar} |" for what, figure, bar, _ in facts["rows"]]
    return {"soak": "\n".join(lines)}
