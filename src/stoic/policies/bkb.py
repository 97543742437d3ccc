"""BKB: GP-UCB on a sketch whose size follows the effective dimension.

Calandriello, Carratino, Lazaric, Valko, Rosasco, *Gaussian process optimization with adaptive
sketching: scalable and no regret*, COLT 2019, Algorithm 1, Theorems 1 and 2.
"""

from __future__ import annotations

from typing import Any, ClassVar

from stoic.checks import number
from stoic.policies.registry import register
from stoic.policies.sketch import SketchedPolicy
from stoic.posterior import Step
from stoic.schedules.calandriello2019 import BKBPaper, BKBTheory
from stoic.schedules.practical import PracticalSketch

__all__ = ["BKB"]


@register
class BKB(SketchedPolicy):
    """BKB: the plain mean on a dictionary that is drawn from the plays.

    For many arms and light-tailed noise. Each past play enters the dictionary with probability
    min(q̄ σ̃²(x), 1); mean and variance are those of the Nyström features on it, the variance
    with the residual that keeps it honest away from the dictionary.

    Parameters
    ----------
    eps
        ε in (0, 1), the accuracy of the sketch.
    q
        q̄, to override the schedule's.

    Cost per round: A·m, and A·m² + m³ when the dictionary has changed; with the practical
    schedule, A·m for each point that it has grown by.

    Departures from print: σ is without the paper's 1/√λ, and the width is divided by √λ instead.
    The first arm is the one of highest prior variance, not a uniform draw. Plays of the same
    arm share one draw, with the probability that at least one of them is kept. With the
    practical schedule a play's draw lasts, so that the dictionary seldom changes; the others
    draw afresh each round.

    >>> import numpy as np, stoic
    >>> policy = BKB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.tell(policy.ask(), 1.0)
    >>> policy.posterior.size
    1
    """

    name = "bkb"
    own: ClassVar[tuple[str, ...]] = ("eps", "q")
    asks = {**SketchedPolicy.asks, "inclusion": (), "per_play": (), "per_ridge": ()}
    schedules = {"theory": BKBTheory, "paper": BKBPaper, "practical": PracticalSketch}

    def __init__(self, *args: Any, eps: float = 0.5, q: float | None = None, **kwargs: Any) -> None:
        self.eps = number(eps, "eps", above=0.0, at_most=0.999)
        super().__init__(*args, q=q, **kwargs)

    def _named_schedule(self, name: str) -> Any:
        accuracy = {} if name == "practical" else {"eps": self.eps}
        return self.schedules[name](self.setting, **accuracy)

    def _learn(self, arm: int, payoff: float) -> None:
        var = self.posterior.var.copy()  # σ̃²_t, before the new play
        step = self.posterior.observe(arm)
        self._draw_play(arm)
        changed = self._redraw(var)  # S_{t+1}
        self._absorb(arm, [payoff], Step(step.gain, step.refreshed or changed))
