"""Robust policies and plain GP-UCB on payoffs of infinite variance.

    python examples/heavy_tails.py [--functions 6] [--rounds 3000] [--out demo-output]

Needs the extras ``figures`` and ``cli``. Each policy plays the same functions with the same
noise; none has any information about either. Prints a table and writes one figure, PNG and SVG.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import stoic

Array = NDArray[np.float64]

X = np.linspace(0.0, 1.0, 100)
KERNEL = stoic.SquaredExponential(0.2)
POLICIES = {
    "GP-UCB (plain)": ("gp-ucb", "#000000"),
    "TGP-UCB": ("tgp-ucb", "#0072B2"),
    "ATA-GP-UCB": ("ata-gp-ucb", "#009E73"),
    "CA-TGP-UCB": ("ca-tgp-ucb", "#D55E00"),
    "MoM-GP-UCB": ("mom-gp-ucb", "#CC79A7"),
}  # colours of Okabe & Ito, distinguishable with colour blindness


@dataclass
class Outcome:
    """What one policy did over all functions."""

    regret: list[Array] = field(default_factory=list)  # time-average, as a share of f's range
    seconds: float = 0.0
    last: Any = None  # the policy after the last function


def function(seed: int) -> Array:
    """A smooth random function on the arms."""
    K = KERNEL(X[:, None], X[:, None])
    f: Array = K @ np.random.default_rng([5, seed]).uniform(-1.0, 1.0, len(X))
    return f


def heavy_noise(seed: int, n: int) -> Array:
    """±(z − E z), z Pareto with shape 1.21: its variance is infinite."""
    rng = np.random.default_rng([6, seed])
    z = (1.0 - rng.random(n)) ** (-1.0 / 1.21)
    noise: Array = np.where(rng.random(n) < 0.5, 1.0, -1.0) * (z - 1.21 / 0.21)
    return noise


def play(name: str, f: Array, noise: Array, tick: Callable[[], None]) -> tuple[Array, Any]:
    """Time-average regret over the rounds, and the policy."""
    policy = stoic.policies.by_name(name)(stoic.Arms(X), KERNEL)
    lost = np.zeros(len(noise))
    for t, eps in enumerate(noise):
        arm = policy.ask()
        policy.tell(arm, f[arm] + eps)
        lost[t] = f.max() - f[arm]
        if t % 100 == 99:
            tick()
    regret: Array = np.cumsum(lost) / np.arange(1, len(noise) + 1) / np.ptp(f)
    return regret, policy


def run(functions: int, rounds: int, console: Console) -> dict[str, Outcome]:
    """Play every policy on every function."""
    outcomes = {label: Outcome() for label in POLICIES}
    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("hundred rounds"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        for label, (name, _) in POLICIES.items():
            task = progress.add_task(label, total=functions * (rounds // 100))
            for seed in range(functions):
                start = time.perf_counter()
                f, noise = function(seed), heavy_noise(seed, rounds)
                regret, policy = play(name, f, noise, lambda t=task: progress.advance(t))  # type: ignore[misc]
                outcomes[label].seconds += time.perf_counter() - start
                outcomes[label].regret.append(regret)
                outcomes[label].last = policy
    return outcomes


def table(outcomes: dict[str, Outcome], rounds: int) -> Table:
    """The figures at the end, policy by policy."""
    result = Table(title=f"Regret per round after {rounds} rounds, as a share of the range of f")
    for heading in ("policy", "mean", "std over functions", "worst", "µs per round"):
        result.add_column(heading, justify="left" if heading == "policy" else "right")
    for label, outcome in outcomes.items():
        end = np.array([regret[-1] for regret in outcome.regret])
        cost = 1e6 * outcome.seconds / (len(end) * rounds)
        result.add_row(
            label, f"{end.mean():.3f}", f"{end.std():.3f}", f"{end.max():.3f}", f"{cost:.0f}"
        )
    return result


def draw(outcomes: dict[str, Outcome], functions: int, rounds: int, folder: Path) -> Path:
    """Regret on the left; on the right the final estimates of two policies."""
    mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    draw_regret(left, outcomes)
    draw_beliefs(right, outcomes, function(functions - 1), heavy_noise(functions - 1, rounds))
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("png", "svg"):
        figure.savefig(folder / f"heavy-tails.{ending}", dpi=200)
    plt.close(figure)
    return folder / "heavy-tails.png"


def draw_regret(axes: Axes, outcomes: dict[str, Outcome]) -> None:
    """Mean and spread of the time-average regret."""
    for label, outcome in outcomes.items():
        colour = POLICIES[label][1]
        regret = np.array(outcome.regret)
        t = np.arange(1, regret.shape[1] + 1)
        mean, error = regret.mean(axis=0), regret.std(axis=0) / np.sqrt(len(regret))
        plain = label.endswith("(plain)")
        axes.plot(t, mean, color=colour, label=label, lw=1.6, ls="--" if plain else "-")
        axes.fill_between(t, mean - error, mean + error, color=colour, alpha=0.12, lw=0)
    axes.set(
        xscale="log",
        xlim=(10, None),
        ylim=(0, None),
        xlabel="round",
        ylabel="regret per round / range of f",
        title="Noise of infinite variance (Pareto 1.21)",
    )
    axes.legend(frameon=False)


def draw_beliefs(axes: Axes, outcomes: dict[str, Outcome], f: Array, noise: Array) -> None:
    """The last function, payoffs of the kind that were seen, and two estimates of it."""
    rng = np.random.default_rng(0)
    noise = noise[:400]
    shown = rng.integers(0, len(X), len(noise))
    margin = 2.5 * np.ptp(f)
    payoffs = np.clip(f[shown] + noise, f.min() - margin, f.max() + margin)
    axes.plot(X[shown], payoffs, ".", color="#BBBBBB", ms=3, label="payoffs, clipped to the frame")
    axes.plot(X, f, color="#E69F00", lw=3, alpha=0.8, label="f")
    for label in ("GP-UCB (plain)", "TGP-UCB"):
        policy, colour = outcomes[label].last, POLICIES[label][1]
        mean, band = policy.mean, policy.width * policy.std
        axes.plot(X, mean, color=colour, lw=1.4, label=f"{label}, estimate")
        axes.fill_between(X, mean - band, mean + band, color=colour, alpha=0.12, lw=0)
    axes.set(
        xlabel="arm",
        ylabel="payoff",
        ylim=(f.min() - margin, f.max() + margin),
        title="Final estimates (last function)",
    )
    axes.legend(frameon=False, fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)


def main() -> None:
    """Play, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3000)
    parser.add_argument("--out", type=Path, default=Path("demo-output"))
    options = parser.parse_args()
    console = Console()
    outcomes = run(options.functions, options.rounds, console)
    console.print(table(outcomes, options.rounds))
    path = draw(outcomes, options.functions, options.rounds, options.out)
    console.print(f"Figure: {path} and {path.with_suffix('.svg')}", soft_wrap=True)


if __name__ == "__main__":
    main()
