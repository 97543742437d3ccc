"""The base of all attacks: a wanted corruption for each arm, a budget, a start.

Bogunovic, Li, Krause, Scarlett, *A robust phased elimination algorithm for corruption-tolerant
Gaussian process bandits*, NeurIPS 2022 ("bogunovic2022"), §4.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, choice, describe, finite_array, number
from stoic.errors import InvalidInput
from stoic.lab.problems.base import Problem
from stoic.lab.registry import Registry

__all__ = ["Attack", "Campaign", "attacks", "target_region"]

attacks: Registry[Attack] = Registry("attack")
"""Makers of attacks: keyword parameters, among them ``budget`` and ``start``."""

STARTS = ("immediate", "later")


@dataclass(frozen=True)
class Attack(ABC):
    """An adversary who sees f and the arm, and may change payoffs by ``budget`` in total.

    A subclass defines in :meth:`wish` the corruption of each arm; :class:`Campaign` applies it.

    Parameters
    ----------
    budget
        C ≥ 0: the sum of |c_t| over a run never exceeds it.
    start
        ``"immediate"``, or ``"later"``: the attack waits until the policy has ruled out an arm.
        RGP-PE has ruled out an arm when it has eliminated one; any other policy, when some upper
        bound is strictly below the best lower bound.
    """

    budget: float
    start: str = "immediate"

    follows: ClassVar[bool] = False  # whether the wish depends on the arms that remain

    def __post_init__(self) -> None:
        number(self.budget, "budget", at_least=0.0)
        choice(self.start, "start", STARTS)

    @abstractmethod
    def wish(self, problem: Problem, remaining: NDArray[np.bool_]) -> Array:
        """The corruption wanted for each arm if the budget had no limit."""

    def campaign(self, problem: Problem) -> Campaign:
        """This attack on one run, with its own budget account."""
        return Campaign(self, problem)


class Campaign:
    """One run's attack: applies the wanted corruptions within the remaining budget.

    The last corruption is cut to the remaining budget. Corruptions are truncated to multiples of
    the budget's unit in the last place. Their sum is therefore exact in floating point, in any
    order, and rounding can't make it exceed the budget.

    Attributes
    ----------
    spent
        Σ|c| so far, at most the budget.
    rounds
        The number of plays that were corrupted.
    started
        Whether the attack has started. It never stops again.

    Cost per play: one look-up; while the attack waits, also the policy's bounds.
    """

    def __init__(self, attack: Attack, problem: Problem) -> None:
        self.attack = attack
        self.problem = problem
        self.budget = float(attack.budget)
        self.spent = 0.0
        self.rounds = 0
        self.started = attack.start == "immediate"
        all_arms = np.ones(len(problem.domain), dtype=bool)
        self._remaining = all_arms.tobytes()
        self._wishes = self._exact(attack.wish(problem, all_arms))

    def corrupt(self, arm: int, policy: Any) -> float:
        """The corruption c of this play; |c| is spent."""
        left = self.budget - self.spent
        if left <= 0.0:
            return 0.0
        if not self.started:
            self.started = _ruled_out(policy)
            if not self.started:
                return 0.0
        if self.attack.follows:
            self._follow(policy)
        c = self._wishes[arm]
        if c == 0.0:
            return 0.0
        if abs(c) > left:
            c = math.copysign(left, c)
        self.spent += abs(c)
        self.rounds += 1
        return c

    def _follow(self, policy: Any) -> None:
        """Compute the wanted corruptions again if the policy has eliminated arms."""
        active = getattr(policy, "active", None)
        if active is None or active.tobytes() == self._remaining:
            return
        if active.shape != (len(self._wishes),) or active.dtype != bool:
            raise InvalidInput(
                f"expected policy.active as a mask of {len(self._wishes)} arms, "
                f"got {describe(active)}; play the problem's own arms"
            )
        self._wishes = self._exact(self.attack.wish(self.problem, active.copy()))
        self._remaining = active.tobytes()

    def _exact(self, wish: Array) -> list[float]:
        """Each corruption as a multiple of the budget's last place, at most the budget."""
        wish = finite_array(wish, "the wanted corruptions", ndim=1)
        if len(wish) != len(self.problem.domain):
            raise InvalidInput(
                f"expected one wanted corruption for each of {len(self.problem.domain)} arms, "
                f"got {len(wish)}"
            )
        unit = math.ulp(self.budget)
        exact: list[float] = (
            np.trunc(np.clip(wish, -self.budget, self.budget) / unit) * unit
        ).tolist()
        return exact


def _ruled_out(policy: Any) -> bool:
    """Whether the policy has ruled out an arm (bogunovic2022 §4, "later attack")."""
    active = getattr(policy, "active", None)
    if active is not None:
        return not bool(np.all(active))  # (i), RGP-PE
    try:
        if policy.t < 1:
            return False
        mean, half_width = policy.mean, policy.width * policy.std
    except AttributeError as cause:
        raise InvalidInput(
            "expected a policy with bounds (t, mean, std and width) or a mask of active arms for "
            f"start='later', got {describe(policy)}; add them, or use start='immediate'"
        ) from cause
    return bool(np.min(mean + half_width) < np.max(mean - half_width))  # (ii), RGP-UCB


def target_region(problem: Problem) -> NDArray[np.bool_]:
    """R_target of a problem, or an error if the problem has none."""
    target = problem.target
    if target is None or not np.any(target):
        got = "none" if target is None else "an empty one"
        raise InvalidInput(
            f"expected a problem with a target region, got {got}; set Problem(target=…) to a mask "
            "of the arms that the attack should lead to, or use an attack without a target"
        )
    target = np.asarray(target)
    if target.shape != problem.f.shape or target.dtype != bool:
        raise InvalidInput(
            f"expected Problem.target as a boolean mask of {len(problem.f)} arms, "
            f"got {describe(target)}"
        )
    return target
