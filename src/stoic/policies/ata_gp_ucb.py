"""ATA-GP-UCB: truncate in feature space, the whole history, every round.

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019,
Algorithm 2, Lemma 1, Theorems 3 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, choice, integer, number
from stoic.estimators import AdaptivelyTruncatedMean, Overview
from stoic.features import QuadratureMap
from stoic.policies.registry import register
from stoic.policies.sketch import SketchedPolicy
from stoic.posterior import FeaturePosterior
from stoic.randomness import generator
from stoic.schedules import chowdhury2019 as paper
from stoic.schedules.practical import PracticalSketch
from stoic.spaces import Arms

__all__ = ["ATAGPUCB"]

_RECENT = 256  # payoffs that the practical schedule judges again each round
_FIRST = 2  # the stream of random numbers for the first arm


@register
class ATAGPUCB(SketchedPolicy):
    """ATA-GP-UCB: adaptive truncation on quadrature Fourier or Nyström features.

    For payoffs with a finite (1 + α)-th moment only, with the optimal order in T. With u_i the
    rows of V^{-½}Φᵀ (the symmetric root),

        r̂_i = Σ_τ u_{iτ} y_τ 1{|u_{iτ} y_τ| ≤ b_t},  θ = V^{-½} r̂,  mean = φᵀθ,

    for the whole history at the present b_t.

    Parameters
    ----------
    features
        ``"nystrom"`` for any kernel, ``"qff"`` for the squared exponential in few dimensions.
    nodes
        m̄, quadrature nodes per dimension; by default as many as the kernel needs.
    eps
        ε in (0, 1), the accuracy of the Nyström dictionary.
    q
        Inclusion factor of the dictionary, to override the schedule's.

    Cost per round: A·r for r directions; r³ + m·r for each payoff that may be cut.

    Departures from print: Lemma 1's exponent (see the schedule). Nyström inclusion is q·σ²
    without 1/λ, as printed. With the paper schedule and Nyström features the first arm is drawn
    at random, as in the released code. The practical schedule judges the newest payoffs about the
    present estimate, and settles older ones clipped; its dictionary is drawn by variates that last.

    >>> import numpy as np, stoic
    >>> arms, kernel = stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2)
    >>> policy = ATAGPUCB(arms, kernel, features="qff")
    >>> policy.tell(policy.ask(), 1.0)
    >>> policy.posterior.size
    58
    """

    name = "ata-gp-ucb"
    own = ("features", "nodes", "eps", "q")
    needs_root = True
    asks = {**SketchedPolicy.asks, "truncation": (1, 1)}
    schedules = {"theory": paper.NystromTheory, "paper": paper.NystromPaper}
    schedules["practical"] = PracticalSketch

    def __init__(
        self,
        *args: Any,
        features: str = "nystrom",
        nodes: int | None = None,
        eps: float = 0.1,
        q: float | None = None,
        **kwargs: Any,
    ) -> None:
        self.features = choice(features, "features", ("nystrom", "qff"))
        self.nodes = None if nodes is None else integer(nodes, "nodes", at_least=1)
        self.eps = number(eps, "eps", above=0.0, at_most=0.999)
        super().__init__(*args, q=q, **kwargs)

    def _named_schedule(self, name: str) -> Any:
        if self.features == "qff" and name != "practical":
            quadrature = {"theory": paper.QuadratureTheory, "paper": paper.QuadraturePaper}
            return quadrature[name](self.setting)
        if name == "practical":
            return PracticalSketch(self.setting)
        return self.schedules[name](self.setting, eps=self.eps)

    def _posterior(self, points: Array) -> FeaturePosterior:
        if self.features == "nystrom":
            return super()._posterior(points)
        if isinstance(self.domain, Arms):
            low, high, spread = points.min(axis=0), points.max(axis=0), points
        else:
            low, high, spread = self.domain.low, self.domain.high, self.domain.spread(512, 0)
        map = QuadratureMap(self.kernel, low, high, self.nodes)
        map.reduce(spread)
        return FeaturePosterior(self.kernel, points, self.lam, map, root=True)

    def _best(self, overview: Overview) -> Any:
        if overview.posterior.t or not getattr(self.schedule, "random_start", False):
            return super()._best(overview)
        rng = generator(self.seed, 0, _FIRST)
        if isinstance(self.domain, Arms):
            return int(rng.integers(len(self.domain)))
        low, high = self.domain.low, self.domain.high
        return low + rng.random(len(low)) * (high - low)

    def _estimator(self, arms: int) -> AdaptivelyTruncatedMean:
        return AdaptivelyTruncatedMean(arms)

    def _learn(self, arm: int, payoff: float) -> None:
        var = self.posterior.var.copy()  # σ²_{t−1}, which the dictionary is drawn by
        warming = self._calibration is not None and self._calibration.warming
        centre = self.estimator.location + self.estimator.deviation
        self._judge(arm, payoff, float(self.posterior.counts[arm] + 1))
        self.posterior.observe(arm)
        if self.features == "nystrom":
            self._draw_play(arm)
            self._redraw(var)
        self.estimator.add(arm, payoff)
        if warming:
            self._rewarm(clipped=True)
        elif self._calibration is not None:
            self._truncate_about(centre)
        else:
            self._truncate()

    def _truncate(self) -> None:
        """Algorithm 2, from r̂ on."""
        b = self.schedule.truncation(self.t, max(self.posterior.size, 1))
        # b falls as m grows, so what is safe for good is judged at the largest m to come
        most = self.posterior.size
        if self.features == "nystrom":
            most = min(self.setting.arms, self.setting.rounds())
        safe = min(b, self.schedule.truncation(self.t, most)) * (1 - 1e-9)
        self.estimator.settle(safe * np.sqrt(self.posterior.counts))
        self.estimator.solve(self.posterior, b)

    def _truncate_about(self, centre: Array) -> None:
        """The practical truncation, about the estimates before this payoff."""
        assert self._calibration is not None
        ruler = self._calibration.ruler(self.setting.prior_var)
        self.estimator.solve_about(self.posterior, centre, ruler, _RECENT)

    def _rewarm(self, *, clipped: bool) -> None:
        assert self._calibration is not None
        arms, values = self._calibration.first(clipped=clipped)
        self.estimator.replace(arms, values)
        self.estimator.solve(self.posterior, np.inf, self._calibration.location)
