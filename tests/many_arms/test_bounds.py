"""What is known of arms that were not computed lately is a bound on what a solve gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stoic
from stoic.estimators import Limited
from stoic.many_arms import ManyArmsMean, ManyArmsPosterior
from stoic.many_arms.search import Search
from stoic.many_arms.settings import Settings

SETTINGS = Settings(block_size=32, anchors=4, followed=20, spare_coordinates=15)
KERNELS: list[Any] = [stoic.SquaredExponential(0.3), stoic.Matern(0.5, 0.2), stoic.Linear(0.5)]


def searched(kernel: Any, lam: float, rounds: int) -> tuple[ManyArmsPosterior, ManyArmsMean]:
    """A posterior and a mean after rounds in each of which the best arm was searched."""
    rng = np.random.default_rng(1)
    points = rng.random((300, 2))
    posterior = ManyArmsPosterior(kernel, points, lam, SETTINGS)
    mean = ManyArmsMean(posterior)
    search = Search(mean, posterior)
    for t in range(rounds):
        mean.location = 0.1 * np.sin(t)
        arm = search.find(1.0, 1.0).arm if t % 3 else int(rng.integers(0, 8))
        limited = Limited(np.array([rng.standard_t(3)]), mean.location)
        mean.learn(arm, limited, posterior.observe(arm), posterior)
    return posterior, mean


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("lam", [1.0, 1e-2])
@pytest.mark.parametrize("rounds", [1, 10, 90])
def test_bounds_hold(kernel: Any, lam: float, rounds: int) -> None:
    posterior, mean = searched(kernel, lam, rounds)
    blocks = posterior.blocks
    std, deviation = posterior.std[blocks.arms], mean.deviation[blocks.arms]
    upper = posterior.std_bounds.in_blocks(np.arange(len(blocks)))
    assert (std <= upper * (1 + 1e-9) + 1e-9).all()
    norms = np.sqrt(np.maximum(blocks.prior - std**2, 0.0)).max(axis=1)
    assert (norms <= posterior.std_bounds.norm * (1 + 1e-9)).all()
    last = np.abs(posterior.factor.rows_at(posterior.points)[:, -1])[blocks.arms].max(axis=1)
    assert (last <= posterior.std_bounds.last_change * (1 + 1e-9)).all()
    values, errors = np.zeros(blocks.arms.shape), np.zeros(blocks.arms.shape)
    for _ in mean.bounds.estimate(2, values, errors):
        pass
    assert (np.abs(values - deviation) <= errors + 1e-12).all()


def test_bounds_are_tight_where_arms_were_computed() -> None:
    posterior, mean = searched(KERNELS[0], 1.0, 40)
    positions = np.arange(50, 70)
    arms = posterior.blocks.arms_at(positions)
    posterior.std_bounds.follow(positions)
    assert posterior.std_bounds.at(positions) == pytest.approx(posterior.std[arms], abs=1e-9)
    values, errors = mean.bounds.compute(positions)
    assert values == pytest.approx(mean.deviation[arms], abs=1e-12)
    assert (errors < 1e-9).all()


def test_rows_stay_up_to_date() -> None:
    posterior, _ = searched(KERNELS[0], 1.0, 60)
    factor = posterior.factor
    for arms, rows in (
        (posterior.played.arms, posterior.played.rows),
        (posterior.anchors.arms, posterior.anchors.values),
        (
            posterior.blocks.arms_at(posterior.std_bounds.followed),
            posterior.std_bounds.followed_rows,
        ),
    ):
        assert len(arms)
        assert rows == pytest.approx(factor.rows_of(arms), abs=1e-12)
    var = posterior.var[posterior.blocks.anchors]
    assert posterior.anchors.var == pytest.approx(var, abs=1e-12)


def test_a_pending_copy_keeps_one_coordinate_for_each_play() -> None:
    posterior, mean = searched(KERNELS[0], 1.0, 60)
    before = posterior.var.copy()
    pending = posterior.copy(may_refresh=False)
    supposed = mean.copy(pending)
    deviation = mean.deviation
    for _ in range(80):
        assert not pending.observe(3).refreshed
        supposed.suppose()
    assert len(pending.factor) == len(posterior.factor) + 80
    assert supposed.deviation == pytest.approx(deviation, abs=1e-9)
    assert np.array_equal(posterior.var, before)
    assert posterior.t == 60
