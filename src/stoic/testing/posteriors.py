"""Conformance tests of posteriors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.kernels import Kernel, SquaredExponential
from stoic.posterior import Posterior

__all__ = ["PosteriorSuite"]


class PosteriorSuite:
    """Checks of the contract of :class:`stoic.posterior.Posterior`.

    A subclass makes a posterior; ``exact`` is whether its variances are those of the kernel
    itself, not of an approximation; ``tracks`` is whether points can be added later.
    """

    exact = True
    tracks = True
    kernel: Kernel = SquaredExponential(0.3)

    def make(self, points: Array, lam: float) -> Any:
        """A posterior on ``points``."""
        raise NotImplementedError

    @pytest.fixture
    def points(self) -> Array:
        """The points, different from each other."""
        return np.sort(np.random.default_rng(3).random(15))[:, None]

    def plays(self, n: int = 120) -> list[int]:
        """Points by number, in the order of their plays."""
        return [int(a) for a in np.random.default_rng(4).integers(0, 15, n)]

    def played(self, points: Array, lam: float = 1.0, n: int = 120) -> Posterior:
        """A posterior after these plays."""
        posterior: Posterior = self.make(points, lam)
        for arm in self.plays(n):
            posterior.observe(arm)
        return posterior

    def test_std_never_grows_and_logdet_adds_up(self, points: Array) -> None:
        posterior = self.make(points, 0.5)
        total = 0.0
        for arm in self.plays():
            before, var = posterior.std, posterior.var[arm]
            step = posterior.observe(arm)
            assert (posterior.std <= before + 1e-12).all()
            assert (posterior.var >= 0).all()
            if self.exact:
                total += np.log1p(var / 0.5)
                gain = np.full(15, np.nan)
                gain[step.arms] = step.gain
                assert gain[arm] == pytest.approx(var / (0.5 + var), abs=1e-10)
        if self.exact:
            assert posterior.logdet == pytest.approx(total, abs=1e-9)

    def test_gain_is_the_weight_vector(self, points: Array) -> None:
        # identity: mean += gain·(y − mean[arm]) is what smoothing all payoffs gives
        posterior = self.make(points, 1.0)
        rng = np.random.default_rng(6)
        mean, sums = np.zeros(15), np.zeros(15)
        for arm in self.plays():
            y = rng.standard_normal()
            step = posterior.observe(arm)
            sums[arm] += y
            smoothed = posterior.smooth(sums)
            others = np.ones(15, dtype=bool)
            others[step.arms] = False
            assert posterior.counts[others].sum() == 0
            mean[step.arms] += step.gain * (y - mean[arm])
            mean = np.where(step.refreshed | others, smoothed, mean)
            assert mean == pytest.approx(smoothed, abs=1e-9)

    def test_many_plays_at_once_are_many_plays(self, points: Array) -> None:
        one, many = self.make(points, 1.0), self.make(points, 1.0)
        for arm, times in ((3, 4), (7, 1), (3, 9), (12, 30)):
            many.observe(arm, times)
            for _ in range(times):
                one.observe(arm)
        assert one.var == pytest.approx(many.var, abs=1e-12)
        assert one.logdet == pytest.approx(many.logdet, abs=1e-10)

    def test_order_does_not_matter(self, points: Array) -> None:
        forth, back = self.make(points, 1.0), self.make(points, 1.0)
        for arm in self.plays():
            forth.observe(arm)
        for arm in reversed(self.plays()):
            back.observe(arm)
        assert forth.var == pytest.approx(back.var, abs=1e-11)
        assert forth.logdet == pytest.approx(back.logdet, abs=1e-9)

    def test_a_fresh_solve_changes_nothing(self, points: Array) -> None:
        posterior: Any = self.played(points)
        var, logdet = posterior.var.copy(), posterior.logdet
        posterior.refresh()
        assert posterior.var == pytest.approx(var, abs=1e-11)
        assert posterior.logdet == pytest.approx(logdet, abs=1e-9)

    def test_predicts_what_it_tracks(self, points: Array) -> None:
        posterior = self.played(points)
        sums = np.random.default_rng(8).standard_normal(15) * posterior.counts
        mean, std = posterior.predict(points, sums)
        assert mean == pytest.approx(posterior.smooth(sums), abs=1e-9)
        assert std == pytest.approx(posterior.std, abs=1e-7)

    def test_tracks_further_points(self, points: Array) -> None:
        posterior = self.played(points)
        more = np.array([[0.05], [0.55], [2.0]])
        if not self.tracks:
            with pytest.raises(InvalidInput, match="expected finite arms"):
                posterior.track(more)
            return
        _, std = posterior.predict(more, np.zeros(15))
        posterior.track(more)
        assert posterior.std[15:] == pytest.approx(std, abs=1e-9)
        posterior.observe(16)
        assert posterior.counts[16] == 1
        assert posterior.std[16] < std[1]

    def test_copies_and_states_are_independent_and_whole(self, points: Array) -> None:
        posterior = self.played(points)
        twin = posterior.copy()
        restored: Posterior = self.make(points, 1.0)
        restored.restore(posterior.state())
        for arm in self.plays():
            posterior.observe(arm)
            restored.observe(arm)
        assert twin.t == 120
        assert np.array_equal(posterior.var, restored.var)
        assert posterior.logdet == restored.logdet
