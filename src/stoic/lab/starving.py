"""GP-UCB on features that are fixed in advance: a baseline that suffers from variance starvation.

calandriello2019 (§3.1 and §5) argues against two approximations: the subset of regressors, whose
variance lacks the residual k(x, x) − ψᵀψ, and random Fourier features.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from stoic.checks import Array, choice, integer
from stoic.estimators import Belief, DenseBelief, SmoothedMean
from stoic.features import GrowingMap, RandomFourierMap
from stoic.policies import GPUCB
from stoic.policies.parts.options import Option
from stoic.posterior import FeaturePosterior
from stoic.randomness import generator

__all__ = ["FixedFeaturesGPUCB", "SubsetOfRegressors"]

_STREAM = 4  # of random numbers, for the dictionary


class SubsetOfRegressors(FeaturePosterior):
    """The posterior whose prior variance is ψᵀψ: what the features leave out counts as known."""

    @staticmethod
    def _residual(psi: Array, prior: Array) -> Array:
        del prior
        return np.zeros(len(psi))


class FixedFeaturesGPUCB(GPUCB):
    """GP-UCB on m features that never change.

    Parameters
    ----------
    features
        ``"regressors"``: Nyström features of m arms, drawn at random by the seed, without the
        residual; ``"rff"``: m/2 random frequencies.
    count
        m, the number of features.

    Cost per round: A·m.

    >>> import stoic
    >>> arms, kernel = stoic.Arms(np.linspace(0, 1, 9)), stoic.SquaredExponential(0.2)
    >>> FixedFeaturesGPUCB(arms, kernel, features="rff", count=4).posterior.size
    4
    """

    name = "gp-ucb-fixed-features"
    features = Option("regressors", partial(choice, options=("regressors", "rff")))
    count = Option(50, partial(integer, at_least=2))

    def _new_belief(self, points: Array) -> Belief:
        return DenseBelief(self._features(points), SmoothedMean(len(points)))

    def _features(self, points: Array) -> FeaturePosterior:
        if self.features == "rff":
            half = self.count // 2
            frequencies = RandomFourierMap(self.kernel, points.shape[1], half, seed=self.seed)
            return FeaturePosterior(self.kernel, points, self.lam, frequencies)
        rng = generator(self.seed, 0, _STREAM)
        drawn = rng.choice(len(points), min(self.count, len(points)), replace=False)
        dictionary = GrowingMap(self.kernel, points, np.sort(drawn).astype(np.int64))
        return SubsetOfRegressors(self.kernel, points, self.lam, dictionary)
