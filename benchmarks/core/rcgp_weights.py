"""RCGP-UCB's weights about the present estimate, against the first paper's about the prior mean.

    python benchmarks/core/rcgp_weights.py [--functions 40] [--rounds 3000]

100 arms, SE l = 0.2, the practical schedule, functions and noise of the seeds 200, 201, …, which
were not used to choose anything. Outliers as in ``one_pass.py``. "Prior mean" has the weights of
Altamirano et al. (ICML 2024): w = β(1 + (y − m)²/c²)^{−½} with m the running median of the payoffs
and c the 90 % quantile of |y − m| so far; all else is as in RCGP-UCB. Printed are the time-average
regret as a share of the range of f and the paired difference to RCGP-UCB, both with a bootstrap
95 % interval, and the worst function.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import stoic

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.one_pass import WORLDS
from core.synthetic import ARMS, KERNEL, Array, function
from stoic.estimators import Belief, FixedWeights, LearnedWeights, Limited, Limiters
from stoic.estimators.limiter import About
from stoic.estimators.weighting import weighed
from stoic.policies import RCGPUCB, TGPUCB

FIRST_SEED = 200
QUANTILE = 0.9  # of |y − m|, from the first paper's guidance on c
OURS = "RCGP-UCB"


class PriorMeanWeights(LearnedWeights):
    """The first paper's weights, about the prior mean m."""

    def __init__(self, schedule: Any, prior_var: float) -> None:
        super().__init__(schedule, prior_var)
        self._payoffs_so_far: list[float] = []

    def weigh(self, arm: int, payoffs: Array, about: About, belief: Belief) -> Limited:
        """The target and the weight of a payoff, which the estimate of its arm does not affect."""
        if self.warming:
            limited = self.warm(arm, payoffs)
            self._payoffs_so_far = (self._first - self.origin).tolist()
            both = [weighed(y, self.location, *self._scales()) for y in self._payoffs_so_far]
            targets, weights = np.array(both).T
            return limited._replace(anew=(self._first_arms, targets), weights=weights)
        y = payoffs.item(0)
        self._payoffs_so_far.append(y)
        self.clip(arm, payoffs, about, float(belief.posterior.counts.item(arm) + 1))  # learns
        target, weight = weighed(y, self.location, *self._scales())
        return Limited(np.array([target]), self.location, weights=np.array([weight]))

    def _scales(self) -> tuple[float, float]:
        """C, and the noise's std, which is at most c."""
        c = float(np.quantile(np.abs(np.array(self._payoffs_so_far) - self.location), QUANTILE))
        return c, min(self._residuals.scale, c)


class PriorMeanRCGPUCB(RCGPUCB):
    """RCGP-UCB with the first paper's weights."""

    limiters = Limiters(constants=FixedWeights, learned=PriorMeanWeights)


POLICIES: dict[str, Any] = {OURS: RCGPUCB, "prior mean": PriorMeanRCGPUCB, "TGP-UCB": TGPUCB}


def run(label: str, noise: str, seed: int, rounds: int) -> float:
    """The share of the range of f lost per round."""
    f, payoffs = function(seed), WORLDS[noise](np.random.default_rng([2, seed]), rounds)
    policy, arms = POLICIES[label](stoic.Arms(ARMS), KERNEL, seed=seed), []
    for eps in payoffs.tolist():
        arms.append(policy.ask())
        policy.tell(arms[-1], float(f[arms[-1]] + eps))
    return float((f.max() - f[arms]).mean() / np.ptp(f))


def interval(values: Array) -> str:
    """Mean and bootstrap 95 % interval."""
    means = np.random.default_rng(0).choice(values, (4000, len(values))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return f"{values.mean():.4f} [{low:.4f}, {high:.4f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3000)
    options = parser.parse_args()
    lines = [
        "# The weights of RCGP-UCB",
        "",
        f"`python benchmarks/core/rcgp_weights.py --functions {options.functions} "
        f"--rounds {options.rounds}`; differences are the policy less RCGP-UCB.",
        "",
        "| noise | policy | mean and 95 % interval | worst | difference |",
        "|---|---|---|---|---|",
    ]
    seeds = range(FIRST_SEED, FIRST_SEED + options.functions)
    for noise in WORLDS:
        found = {
            label: np.array([run(label, noise, seed, options.rounds) for seed in seeds])
            for label in POLICIES
        }
        for label, lost in found.items():
            gap = "" if label == OURS else interval(lost - found[OURS])
            lines.append(f"| {noise} | {label} | {interval(lost)} | {lost.max():.4f} | {gap} |")
            print(lines[-1], flush=True)
    results = Path(__file__).parents[1] / "results" / "rcgp_weights.md"
    results.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
