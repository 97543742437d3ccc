"""What one wrong measurement does to the answer of three optimisers: the figure of the README.

    python examples/one_outlier.py [--out docs/one-outlier.svg]
    python examples/one_outlier.py --peers   # asks Optuna and BoTorch again; needs both

All get the same 24 measurements of a server's throughput; in one of them the clock failed.
Optuna's answer is the best trial. BoTorch's is the maximum of the posterior mean of
``SingleTaskGP`` with its defaults. The figure has the wrong value at one place; what is printed is
an average over all 24 places. The answers of both peers are in ``one_outlier.json``, with their
versions, so that the figure needs the extra ``figures`` only; Stoic's are computed each time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import NDArray

import stoic

Array = NDArray[np.float64]

ANSWERS = Path(__file__).with_suffix(".json")
Answer = dict[str, Any]

THREADS = np.arange(1, 65)
SEED = 1
MEASUREMENTS = 24
SHOWN = 19  # the number of the measurement in which the clock failed, in the figure
FACTOR = 20.0
GREY, BLUE, RED = "#888888", "#0072B2", "#D55E00"


def throughput(threads: Any) -> Any:
    """The truth: requests per second, best at 22 threads."""
    x = np.asarray(threads, dtype=float)
    return 900 * x / (x + 10) / (1 + (x / 44) ** 3)


def measured(wrong: int = SHOWN) -> tuple[Array, Array]:
    """Threads and measured throughput: noise of 3%, and one value that is 20 times too high."""
    rng = np.random.default_rng(SEED)
    x = np.sort(rng.choice(THREADS, MEASUREMENTS, replace=False)).astype(float)
    y = throughput(x) * (1 + 0.03 * rng.standard_normal(MEASUREMENTS))
    y[wrong] *= FACTOR
    return x, y


def stoic_answer(x: Array, y: Array) -> Answer:
    """Stoic's answer, and its interval."""
    optimizer = stoic.Optimizer({"threads": (1, 64)}, direction="maximize", seed=0)
    for threads, value in zip(x, y, strict=True):
        optimizer.tell({"threads": int(threads)}, value)
    answer = optimizer.recommend()
    return {"threads": answer.params["threads"], "interval": answer.interval}


def optuna_answer(x: Array, y: Array) -> Answer:
    """Optuna's answer: the trial with the best value."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize")
    space: dict[str, Any] = {"threads": optuna.distributions.IntDistribution(1, 64)}
    for threads, value in zip(x, y, strict=True):
        trial = optuna.trial.create_trial(
            params={"threads": int(threads)}, distributions=space, value=float(value)
        )
        study.add_trial(trial)
    return {"threads": study.best_params["threads"], "version": version("optuna")}


def botorch_answer(x: Array, y: Array) -> Answer:
    """BoTorch's answer: the maximum of the posterior mean of its default model."""
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(0)
    unit = torch.tensor((x[:, None] - 1) / 63)  # the model expects the unit cube
    model = SingleTaskGP(unit, torch.tensor(y[:, None]))  # standardises the values itself
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    grid = torch.tensor((THREADS[:, None] - 1) / 63)
    mean = model.posterior(grid).mean.detach().numpy().ravel()
    return {
        "threads": int(THREADS[int(mean.argmax())]),
        "mean": [round(float(value), 1) for value in mean],
        "version": version("botorch"),
    }


def everywhere(ask: Callable[[Array, Array], Answer]) -> list[int]:
    """The answers with the wrong value at each place."""
    return [ask(*measured(wrong))["threads"] for wrong in range(MEASUREMENTS)]


def draw(answers: dict[str, Answer], path: Path) -> None:
    """Three panels with the same measurements, and the answer of each optimiser."""
    mpl.rcParams |= {"svg.hashsalt": "stoic", "font.size": 10, "axes.titlesize": 11}
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True, layout="constrained")
    for axes, (name, answer) in zip(panels, answers.items(), strict=True):
        _panel(axes, name, answer)
    panels[0].set_ylabel("requests per second")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _panel(axes: Axes, name: str, answer: Answer) -> None:
    x, y = measured()
    right = np.arange(MEASUREMENTS) != SHOWN
    top = 1.45 * throughput(THREADS).max()
    axes.plot(THREADS, throughput(THREADS), color=GREY, lw=1, label="truth")
    axes.plot(x[right], y[right], ".", color="black", ms=5, label="measured")
    axes.plot(x[SHOWN], 0.95 * top, "^", color=RED, ms=7)
    axes.annotate(
        f"one wrong value: {y[SHOWN]:,.0f}", (x[SHOWN], 0.95 * top), (-8, -3),
        textcoords="offset points", ha="right", color=RED, fontsize=9,
        bbox={"fc": "white", "ec": "none", "pad": 1.0},
    )  # fmt: skip
    if "mean" in answer:
        axes.plot(THREADS, answer["mean"], color=BLUE, lw=1, ls="--", label="model")
    at = answer["threads"]
    axes.axvline(at, color=BLUE, lw=1.5)
    axes.plot(at, throughput(at), "o", color=BLUE, ms=7, label="answer")
    if "interval" in answer:
        low, high = answer["interval"]
        axes.plot([at, at], [low, high], color=BLUE, lw=5, alpha=0.4)
    axes.set_title(f"{name}: {at} threads, {throughput(at):.0f} per second")
    axes.set(xlabel="threads", xlim=(0, 65), ylim=(0, top))
    if "mean" in answer:
        axes.legend(loc=(0.12, 0.02), fontsize=8, frameon=False)


def main() -> None:
    """Ask, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peers", action="store_true", help="ask Optuna and BoTorch again")
    parser.add_argument("--out", type=Path, default=Path("docs/one-outlier.svg"))
    chosen = parser.parse_args()
    x, y = measured()
    if chosen.peers:
        askers = {"Optuna": optuna_answer, "BoTorch": botorch_answer}
        peers = {name: ask(x, y) | {"all": everywhere(ask)} for name, ask in askers.items()}
        ANSWERS.write_text(json.dumps(peers, indent=1) + "\n", encoding="utf-8")
    peers = json.loads(ANSWERS.read_text(encoding="utf-8"))
    ours = stoic_answer(x, y) | {"version": stoic.__version__, "all": everywhere(stoic_answer)}
    answers = {**peers, "Stoic": ours}
    best = throughput(THREADS).max()
    for name, answer in answers.items():
        reached = throughput(answer["all"]) / best
        print(
            f"{name} {answer['version']}: {answer['threads']} threads; over all places of the "
            f"wrong value {reached.mean():.1%} of the best throughput, at worst {reached.min():.1%}"
        )
    draw(answers, chosen.out)


if __name__ == "__main__":
    main()
