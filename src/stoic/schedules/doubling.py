"""Guess and double: a schedule for functions whose norm is not known.

calandriello2019 (§4) says that "if F is not known in advance, standard guess-and-double techniques
can be applied", and no more. When a guess is doubled is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from stoic.schedules.base import MAX_CONSTANT, Progress, Setting

__all__ = ["Doubling"]


@dataclass(frozen=True)
class Doubling:
    """The width of a schedule with the least of the bounds B₀, 2B₀, 4B₀, … that is not refuted.

    B₀ is the ``norm_bound`` of the assumptions, now a first guess. Let f̂ be the estimate, s the
    posterior std of ⟨f, f̂⟩/‖f̂‖, and width(B) that of the schedule with the bound B. If ‖f‖ ≤ B,
    then by its theorem f is within width(B) posterior stds of f̂ in every direction, so in f̂'s:

        ‖f‖ ≥ ‖f̂‖ − width(B)·s,

    with probability 1 − δ. So B is refuted once the right-hand side exceeds B. While the theorem
    holds, no bound of ‖f‖ is refuted, hence the bound in use is below 2‖f‖ (or B₀); as the std
    in the direction of f̂ decreases, it comes to exceed the norm of what the payoffs show of f.

    The bound follows from the present estimate alone: nothing is remembered, and it is smaller
    again should the payoffs no longer refute a guess.

    For GP-UCB, RGP-UCB, TGP-UCB, ATA-GP-UCB, BKB and BBKB, whose bounds hold in every direction;
    with CA-TGP-UCB, whose theorem is about single arms, it is a rule of thumb. MoM-GP-UCB and
    RGP-PE can't use it. The wide bounds of TGP-UCB and ATA-GP-UCB refute a guess late, if at all.
    It costs one more pass over the features each time that a width is asked for.

    Parameters
    ----------
    setting
        With the first guess.
    schedule
        Makes the schedule from a setting, such as the class ``BKBTheory``.

    >>> from functools import partial
    >>> import numpy as np, stoic
    >>> from stoic.schedules.chowdhury2017 import GPUCBTheory
    >>> policy = stoic.policies.GPUCB(
    ...     stoic.Arms(np.eye(2)),
    ...     stoic.Linear(),
    ...     schedule=partial(Doubling, schedule=GPUCBTheory),
    ...     assumptions=stoic.Assumptions(norm_bound=0.5, noise_std=0.1),
    ... )
    >>> for _ in range(100):
    ...     policy.tell(0, 3.0)
    >>> policy.schedule.norm_bound(policy.progress)
    4.0
    """

    setting: Setting
    schedule: Callable[[Setting], Any]

    def norm_bound(self, now: Progress) -> float:
        """The least guess that is not refuted."""
        norm, std = now.norm
        bound = self.setting.assumptions.norm_bound
        while norm - float(self._with(bound).width(now)) * std > bound <= MAX_CONSTANT / 2.0:
            bound *= 2.0
        return bound

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        return float(self._with(self.norm_bound(now)).width(now))

    def _with(self, bound: float) -> Any:
        assumptions = replace(self.setting.assumptions, norm_bound=bound)
        return self.schedule(replace(self.setting, assumptions=assumptions))

    def __getattr__(self, name: str) -> Any:
        # what else a policy asks of its schedule does not depend on the norm
        if name.startswith("__") or name in ("setting", "schedule"):
            raise AttributeError(name)
        return getattr(self._with(self.setting.assumptions.norm_bound), name)
