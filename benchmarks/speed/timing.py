"""How everything is timed: processor seconds of one process, payoffs made beforehand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from speed.paper.base import PaperPolicy
from speed.paper.sketched import PaperSketch
from speed.work import Method, World
from stoic.checks import Array, IntArray

MIN_TIMED_SECONDS = 3.0  # seconds of a policy's equal runs, of which the least is taken
TIE = 1e-9  # bounds that differ by less than this share of their range count as equal


@dataclass(frozen=True)
class History:
    """What a policy of ours played, and what it took.

    A round is a choice: ``arms`` has one for each, ``payoffs`` a row (of ℓ for MoM-GP-UCB).
    """

    arms: IntArray
    payoffs: Array
    seconds: float

    def __len__(self) -> int:
        return len(self.arms)


def dictionaries(policy: Any, history: History, rounds: int) -> list[IntArray] | None:
    """The dictionary of our policy after each of the first rounds, if it has one."""
    if not hasattr(policy.posterior.map, "dictionary"):
        return None  # quadrature
    found = []
    for arm, payoff in zip(history.arms[:rounds].tolist(), history.payoffs[:, 0], strict=False):
        policy.tell(arm, float(payoff))
        found.append(policy.posterior.map.dictionary.copy())
    return found


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def play(policy: Any, means: list[float], draws: Iterable[float]) -> list[int]:
    """Ask and tell once for each draw; the arms played."""
    arms = []
    for draw in draws:
        arm = policy.ask()
        policy.tell(arm, means[arm] + draw)
        arms.append(arm)
    return arms


def ours(method: Method, world: World, rounds: int, repeats: int) -> History:
    """All rounds of our policy, the least time of several equal runs.

    Runs so short that a moment's trouble of the machine spoils them are repeated further.
    """
    means = world.problem.f.tolist()
    arms: list[int] = []
    spent: list[float] = []
    while len(spent) < repeats or (repeats > 1 and sum(spent) < MIN_TIMED_SECONDS):
        policy = method.make(world, rounds)
        columns = getattr(policy, "repeats", 1)
        draws = world.draws(rounds * columns)
        start = time.process_time()
        arms = play(policy, means, draws)
        spent.append(time.process_time() - start)
    played = np.array(arms)
    payoffs = world.problem.f[played] + np.array(draws)
    return History(played[::columns], payoffs.reshape(-1, columns), min(spent))


def in_turn(
    methods: list[Method], unit: Method, world: World, rounds: int, turns: int
) -> dict[Method, float]:
    """What runs of some methods cost in runs of another: medians over turns of all of them.

    In turn, since a machine may be slower a minute later.
    """
    ratios: dict[Method, list[float]] = {method: [] for method in methods}
    for _ in range(turns):
        plain = ours(unit, world, rounds, 1).seconds
        for method in methods:
            ratios[method].append(ours(method, world, rounds, 1).seconds / plain)
    return {method: float(np.median(found)) for method, found in ratios.items()}


def sampled(paper: Callable[[], PaperPolicy], history: History, points: int, repeats: int) -> float:
    """Seconds of the paper's way along a whole history, from ``points`` evenly spaced rounds.

    The midpoint rule: the cost is a smooth function of t. A round is one tell and one choice; the
    least of several is taken.
    """
    T = len(history)
    costs = []
    for t in np.unique(((np.arange(points) + 0.5) * T / points).astype(int)):
        least = np.inf
        for _ in range(repeats):
            policy = paper()
            policy.load(history.arms[:t], history.payoffs[:t])
            least = min(least, seconds(lambda: _round(policy, history, t)))  # noqa: B023
        costs.append(least)
    return T * float(np.mean(costs))


def _round(policy: PaperPolicy, history: History, t: int) -> int:
    policy.tell(int(history.arms[t]), history.payoffs[t])
    return int(np.argmax(policy.bounds()))


@dataclass(frozen=True)
class Agreement:
    """How often the paper's way chooses as we did, after the same plays and payoffs."""

    same: float  # share of rounds with the same arm
    tied: float  # share with the same arm, or one whose bound is equal up to rounding
    seconds: float  # that the paper's way took for these rounds

    def __str__(self) -> str:
        if self.tied == self.same:
            return f"{100 * self.same:.1f} %"
        return f"{100 * self.same:.1f} %, {100 * self.tied:.1f} % with ties"


def agreement(policy: PaperPolicy, twin: Any, history: History, rounds: int) -> Agreement:
    """Let the paper's way follow our plays and dictionaries, and compare its choices with ours.

    ``twin`` is our policy, unplayed.
    """
    rounds = min(rounds, len(history) - 1)
    if isinstance(policy, PaperSketch):
        policy.given = dictionaries(twin, history, rounds)
    same = tied = spent = 0.0
    for t in range(rounds):
        start = time.process_time()
        choice = _round(policy, history, t)
        spent += time.process_time() - start
        bounds, mine = policy.bounds(), int(history.arms[t + 1])
        same += choice == mine
        tied += bounds[choice] - bounds[mine] <= TIE * (np.ptp(bounds) + abs(bounds[choice]))
    return Agreement(same / rounds, tied / rounds, spent)
