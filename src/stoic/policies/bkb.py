"""BKB: GP-UCB on a sketch whose size follows the effective dimension.

Calandriello, Carratino, Lazaric, Valko, Rosasco, *Gaussian process optimization with adaptive
sketching: scalable and no regret*, COLT 2019, Algorithm 1, Theorems 1 and 2.
"""

from __future__ import annotations

from typing import Any

from stoic.checks import Array
from stoic.estimators import Belief, SketchedBelief, SmoothedMean
from stoic.policies.parts.registry import register
from stoic.policies.parts.sketched import SketchedPolicy
from stoic.posterior import sketched_posterior
from stoic.schedules.calandriello2019 import BKBPaper, BKBTheory
from stoic.schedules.practical import PracticalSketch

__all__ = ["BKB"]


@register
class BKB(SketchedPolicy):
    """BKB: the mean on a dictionary that is drawn from the plays.

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
    asks = {**SketchedPolicy.asks, "inclusion": (), "per_play": (), "per_ridge": ()}
    schedules = {"theory": BKBTheory, "paper": BKBPaper, "practical": PracticalSketch}

    def _new_belief(self, points: Array) -> SketchedBelief:
        empty = sketched_posterior(self.kernel, points, self.lam, grows=self._lasting, root=False)
        return SketchedBelief(empty, SmoothedMean(len(points)), self._sampler(points))

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # Alg. 1, line 5: ũ_t

    def _learn(self, arm: int, payoffs: Array) -> None:
        var = self.posterior.var.copy()  # line 4: σ̃²_t, before the new play
        step = self.belief.observe(arm)
        step = self.belief.redraw(var, step)  # lines 6–10: S_{t+1}
        about = self.limiter.about(self.belief, arm)
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)
        self.belief.learn(arm, y_hat, step)  # line 4: μ̃_{t+1}
