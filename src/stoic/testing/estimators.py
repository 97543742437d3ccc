"""Conformance tests of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.kernels import SquaredExponential
from stoic.posterior import ExactPosterior, FeaturePosterior

__all__ = ["EstimatorSuite"]


class EstimatorSuite:
    """Checks of the contract of estimators: deviations, further points, states.

    A subclass makes a posterior and an estimator, and feeds payoffs to it.
    """

    kernel = SquaredExponential(0.3)
    points: Array = np.linspace(0.0, 1.0, 9)[:, None]

    def make_posterior(self) -> ExactPosterior | FeaturePosterior:
        """The posterior that the estimator works with."""
        return ExactPosterior(self.kernel, self.points, 1.0)

    def make(self) -> Any:
        """An estimator on nine points."""
        raise NotImplementedError

    def feed(self, estimator: Any, posterior: Any, arm: int, payoff: float) -> None:
        """Let one payoff enter."""
        raise NotImplementedError

    def fed(self, payoffs: Array, posterior: Any) -> Any:
        """An estimator after payoffs."""
        estimator = self.make()
        for t, y in enumerate(payoffs):
            self.feed(estimator, posterior, (5 * t) % 9, float(y))
        return estimator

    def test_starts_at_zero(self) -> None:
        assert np.array_equal(self.make().deviation, np.zeros(9))

    def test_tends_to_repeated_payoffs(self) -> None:
        posterior = self.make_posterior()
        estimator = self.fed(np.full(900, 0.7), posterior)
        assert np.abs(estimator.deviation - 0.7).max() < 0.02

    def test_predicts_what_it_tracks(self) -> None:
        posterior = self.make_posterior()
        estimator = self.fed(np.random.default_rng(1).standard_normal(60), posterior)
        assert np.allclose(
            estimator.predict(self.points, posterior), estimator.deviation, atol=1e-9
        )

    def test_follows_further_points(self) -> None:
        posterior = self.make_posterior()
        estimator = self.fed(np.random.default_rng(1).standard_normal(60), posterior)
        more = np.array([[0.33], [0.77]])
        expected = estimator.predict(more, posterior)
        posterior.track(more)
        estimator.track(more, posterior)
        assert np.allclose(estimator.deviation[9:], expected, atol=1e-9)

    def test_a_restored_estimator_is_the_same(self) -> None:
        posterior = self.make_posterior()
        payoffs = np.random.default_rng(1).standard_normal(60)
        estimator = self.fed(payoffs, posterior)
        twin = self.make()
        twin.restore(estimator.state())
        other = posterior.copy()
        self.feed(estimator, posterior, 3, 2.0)
        self.feed(twin, other, 3, 2.0)
        assert np.array_equal(estimator.deviation, twin.deviation)
