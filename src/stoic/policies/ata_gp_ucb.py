"""ATA-GP-UCB: truncate in feature space, the whole history, every round.

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019,
Algorithm 2, Lemma 1, Theorems 3 and 4.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from stoic.checks import Array, choice, integer, number
from stoic.estimators import (
    AdaptiveClipping,
    AdaptivelyTruncatedMean,
    AdaptiveTruncation,
    Belief,
    FixedFeaturesBelief,
    Limiters,
    SketchedBelief,
)
from stoic.features import FixedMap, LinearMap, QuadratureMap, RandomFourierMap
from stoic.policies.parts.options import Option
from stoic.policies.parts.registry import register
from stoic.policies.parts.sketched import SketchedPolicy
from stoic.posterior import fixed_posterior, sketched_posterior
from stoic.randomness import generator
from stoic.schedules import chowdhury2019 as paper
from stoic.schedules.practical import PracticalSketch

__all__ = ["ATAGPUCB"]

_FREQUENCIES = 128  # of random Fourier features, unless given
_FIRST = 2  # the stream of random numbers for the first arm


@register
class ATAGPUCB(SketchedPolicy):
    """ATA-GP-UCB: adaptive truncation on Nyström, Fourier or linear features.

    For payoffs with a finite (1 + α)-th moment only, with the optimal order in T. With u_i the
    rows of V^{-½}Φᵀ (the symmetric root),

        r̂_i = Σ_τ u_{iτ} y_τ 1{|u_{iτ} y_τ| ≤ b_t},  θ = V^{-½} r̂,  mean = φᵀθ,

    for the whole history at the present b_t.

    Parameters
    ----------
    features
        ``"nystrom"`` for any kernel, ``"qff"`` for the squared exponential in few dimensions;
        ``"linear"`` for the linear kernel, φ(x) = x: the policy is then TOFU (Shao et al., NeurIPS
        2018; Remark 7). ``"rff"`` are random Fourier features of the squared exponential and Matérn
        kernels, for comparison: Remark 3 has no sublinear bound for them
        (``stoic reproduce chowdhury2019/remark3`` measures their regret).
    nodes
        m̄, quadrature nodes per dimension; by default as many as the kernel needs for an error of
        1e-9. Theorem 3 asks for more (:func:`stoic.schedules.chowdhury2019.theorem_nodes`).
    frequencies
        m of Remark 3, frequencies of ``"rff"``, drawn by the seed; 128 by default.
    eps
        ε in (0, 1), the accuracy of the Nyström dictionary.
    q
        Inclusion factor of the dictionary, to override the schedule's.

    Cost per round: A·r for r directions; r³ + m·r for each payoff that may be cut.

    Departures from print: Lemma 1's exponent (see the schedule). Nyström inclusion is q·σ²
    without 1/λ, as printed. With the paper schedule and Nyström features the first arm is drawn
    at random, as in the released code. The practical schedule clips the newest payoffs about the
    present estimate, and settles older ones clipped; its dictionary is drawn by variates that last.

    >>> import numpy as np, stoic
    >>> arms, kernel = stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2)
    >>> policy = ATAGPUCB(arms, kernel, features="qff")
    >>> policy.tell(policy.ask(), 1.0)
    >>> policy.posterior.size
    58
    """

    name = "ata-gp-ucb"
    features = Option("nystrom", partial(choice, options=("nystrom", "qff", "rff", "linear")))
    nodes: Option[int | None] = Option(None, partial(integer, at_least=1))
    frequencies: Option[int | None] = Option(None, partial(integer, at_least=1, at_most=10_000))
    eps = Option(0.1, partial(number, above=0.0, at_most=0.999))
    asks = {**SketchedPolicy.asks, "truncation": (1, 1)}
    schedules = {"theory": paper.NystromTheory, "paper": paper.NystromPaper}
    schedules["practical"] = PracticalSketch
    limiters = Limiters(constants=AdaptiveTruncation, learned=AdaptiveClipping)

    def _named_schedule(self, name: str) -> Any:
        if self.features != "nystrom" and name != "practical":
            fixed = {"theory": paper.QuadratureTheory, "paper": paper.QuadraturePaper}
            return fixed[name](self.setting)
        return super()._named_schedule(name)

    def _new_belief(self, points: Array) -> SketchedBelief:
        estimator = AdaptivelyTruncatedMean(len(points))
        if self.features != "nystrom":
            features = fixed_posterior(self.kernel, self.domain, self.lam, self._fixed_map)
            return FixedFeaturesBelief(features, estimator)
        self.limiter.max_features = min(self.setting.arms, self.horizon or self.setting.arms)
        empty = sketched_posterior(self.kernel, points, self.lam, grows=self._lasting, root=True)
        return SketchedBelief(empty, estimator, self._sampler(points))

    def _fixed_map(self, low: Array, high: Array) -> FixedMap:
        if self.features == "qff":
            return QuadratureMap(self.kernel, low, high, self.nodes)
        if self.features == "linear":
            return LinearMap(self.kernel, len(low))
        count = _FREQUENCIES if self.frequencies is None else self.frequencies
        return RandomFourierMap(self.kernel, len(low), count, seed=self.seed)

    def _choose(self, belief: Belief) -> Any:
        if belief.posterior.t == 0 and getattr(self.schedule, "random_start", False):
            return self.choices.random(generator(self.seed, 0, _FIRST))
        return self.choices.argmax(belief, self.width, self.seed)  # Alg. 2, line 4

    def _learn(self, arm: int, payoffs: Array) -> None:
        var = self.posterior.var.copy()  # σ̃²_{t−1}
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)
        step = self.belief.redraw(var, step)  # lines 5–6: φ̃_t and Ṽ_t; line 9: σ̃_t
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)  # b_t
        self.belief.learn(arm, y_hat, step)  # lines 7–8: r̂, θ̃_t and μ̃_t
