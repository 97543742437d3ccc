"""The public conformance suites, on everything that is registered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stoic.checks import Array
from stoic.estimators import AdaptivelyTruncatedMean, Limited, SmoothedMean
from stoic.estimators.limited import Level
from stoic.features import NystromMap, QuadratureMap, RandomFourierMap
from stoic.policies import by_name, names
from stoic.posterior import DensePosterior, ExactPosterior, FeaturePosterior, WeightedPosterior
from stoic.testing import EstimatorSuite, PolicySuite, PosteriorSuite

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in names()}
VARIANTS["ata-gp-ucb-qff"] = ("ata-gp-ucb", {"features": "qff"})
VARIANTS["ata-gp-ucb-rff"] = ("ata-gp-ucb", {"features": "rff", "frequencies": 40})
VARIANTS |= {
    f"huber-gp-ucb-{kind}": ("huber-gp-ucb", {"features": kind}) for kind in ("qff", "exact")
}
VARIANTS |= {
    f"rgp-pe-{how}": ("rgp-pe", {"replicate": how}) for how in ("median", "trimmed", "mom")
}


@pytest.mark.parametrize("variant", list(VARIANTS))
class TestEveryPolicy(PolicySuite):
    @pytest.fixture(autouse=True)
    def choose(self, variant: str) -> None:
        name, own = VARIANTS[variant]
        self.policy, self.own = by_name(name), own  # type: ignore[misc]


class TestExactPosterior(PosteriorSuite):
    def make(self, points: Array, lam: float) -> ExactPosterior:
        return ExactPosterior(self.kernel, points, lam)


class TestWeightedPosterior(PosteriorSuite):
    def make(self, points: Array, lam: float) -> WeightedPosterior:
        return WeightedPosterior(self.kernel, points, lam)


class TestDensePosterior(PosteriorSuite):
    def make(self, points: Array, lam: float) -> DensePosterior:
        return DensePosterior(self.kernel, points, lam)


class TestNystromPosterior(PosteriorSuite):
    exact = False

    def make(self, points: Array, lam: float) -> FeaturePosterior:
        dictionary = np.array([0, 4, 9, 14])
        return FeaturePosterior(
            self.kernel, points, lam, NystromMap(self.kernel, points, dictionary)
        )


class TestQuadraturePosterior(PosteriorSuite):
    exact = False

    def make(self, points: Array, lam: float) -> FeaturePosterior:
        map = QuadratureMap(self.kernel, np.zeros(1), np.ones(1), nodes=24)
        map.reduce(points)
        return FeaturePosterior(self.kernel, points, lam, map)


class TestRandomFourierPosterior(PosteriorSuite):
    exact = False

    def make(self, points: Array, lam: float) -> FeaturePosterior:
        map = RandomFourierMap(self.kernel, points.shape[1], 60, seed=1)
        map.reduce(points)
        return FeaturePosterior(self.kernel, points, lam, map)


class TestSmoothedMean(EstimatorSuite):
    columns = 1

    def make(self) -> SmoothedMean:
        return SmoothedMean(9, self.columns)

    def feed(self, estimator: Any, posterior: Any, arm: int, payoff: float) -> None:
        limited = Limited(np.full(self.columns, payoff))
        estimator.learn(arm, limited, posterior.observe(arm), posterior)


class TestMedianOfMeans(TestSmoothedMean):
    columns = 5


class TestAdaptivelyTruncatedMean(EstimatorSuite):
    def make_posterior(self) -> FeaturePosterior:
        map = NystromMap(self.kernel, self.points, np.arange(9))
        return FeaturePosterior(self.kernel, self.points, 1.0, map)

    def make(self) -> AdaptivelyTruncatedMean:
        return AdaptivelyTruncatedMean(9)

    def feed(self, estimator: Any, posterior: Any, arm: int, payoff: float) -> None:
        limited = Limited(np.array([payoff]), level=Level(b=0.5, safe=0.5))
        estimator.learn(arm, limited, posterior.observe(arm), posterior)
