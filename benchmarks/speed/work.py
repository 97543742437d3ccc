"""What is played: problems, noises, and our policies on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import stoic
from stoic.checks import Array
from stoic.lab.experiments.catalogue.park2024.figure1 import PANELS
from stoic.lab.experiments.catalogue.park2024.shared import noise
from stoic.lab.noise import Noise, noises
from stoic.lab.problems import Problem, problems
from stoic.policies import by_name

LABELS = {"gp-ucb": "GP-UCB", "tgp-ucb": "TGP-UCB", "ca-tgp-ucb": "CA-TGP-UCB"}
LABELS |= {"mom-gp-ucb": "MoM-GP-UCB", "ata-gp-ucb": "ATA-GP-UCB", "bkb": "BKB"}


@dataclass(frozen=True)
class World:
    """Arms with known means, and a noise."""

    problem: Problem
    noise: Noise
    order: float = 1.0  # the moment that the noise has, less one

    def draws(self, count: int, seed: int = 1) -> list[float]:
        """What chance adds to each payoff, made beforehand."""
        draws: list[float] = self.noise.draw(np.random.default_rng(seed), count).tolist()
        return draws


@dataclass(frozen=True)
class Method:
    """A policy of ours, with a schedule and options."""

    name: str
    schedule: str = "practical"
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def label(self) -> str:
        """The policy and its features."""
        features = {"qff": " (QFF)", "nystrom": " (Nyström)"}
        return LABELS[self.name] + features.get(self.options.get("features", ""), "")

    def build(self, world: World, horizon: int) -> Any:
        """A fresh policy for a horizon of plays."""
        problem = world.problem
        return by_name(self.name)(
            problem.domain,
            problem.kernel,
            horizon=horizon,
            schedule=self.schedule,
            assumptions=problem.assumptions(world.noise, moment_order=world.order),
            **self.options,
        )

    def make(self, world: World, rounds: int) -> Any:
        """A fresh policy for ``rounds`` rounds; for MoM-GP-UCB, for as many episodes."""
        horizon = rounds
        policy = self.build(world, horizon)
        while rounds * getattr(policy, "repeats", 1) > horizon:  # ℓ grows with the horizon
            horizon = rounds * policy.repeats
            policy = self.build(world, horizon)
        return policy


def park2024(size: str, arms: int | None = None) -> World:
    """One of the three problems of park2024 with noise of ε = 0.2; ``arms`` for fewer in 5-D."""
    (table,) = (panel.problem for panel in PANELS if panel.size == size)
    own = {name: value for name, value in table.items() if name != "label"}
    if arms is not None and "points" in own:
        own["points"] = arms
    law = {name: x for name, x in noise(0.2).items() if name not in ("label", "moment_order")}
    return World(problems.make(own, seed=0, horizon=1000), noises.make(law), order=0.2)


def cube(arms: int, dimension: int, lengthscale: float, terms: int = 30) -> World:
    """Uniform arms of the unit cube, Σ aᵢ k(·, cᵢ) scaled to max|f| = 1, Gaussian noise of 0.1."""
    rng = np.random.default_rng(7)
    X, centres = rng.random((arms, dimension)), rng.random((terms, dimension))
    kernel = stoic.SquaredExponential(lengthscale)
    a = rng.standard_normal(terms)
    blocks = [kernel(block, centres) @ a for block in np.array_split(X, arms // 20_000 + 1)]
    f: Array = np.concatenate(blocks)
    f /= np.abs(f).max()
    problem = Problem(stoic.Arms(X), kernel, f, norm_bound=1.0)
    return World(problem, noises.make({"kind": "gaussian", "std": 0.1}))
