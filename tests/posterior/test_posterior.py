"""Posteriors against fresh solves: hard kernels, small ridges, many rounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from helpers.drift import drift
from stoic.checks import Array
from stoic.features import NystromMap, QuadratureMap, SpanningMap, draw_dictionary
from stoic.kernels import Kernel, Linear, Matern, Scaled, SquaredExponential
from stoic.loops.blas import add_outer, add_outers
from stoic.loops.medians import median_of_rows
from stoic.posterior import DensePosterior, ExactPosterior, FeaturePosterior, exact_posterior

LINE = np.linspace(0, 1, 100)[:, None]
TWINS = np.sort(np.concatenate([np.linspace(0, 1, 50), np.linspace(0, 1, 50) + 1e-7]))[:, None]
PLANE = np.random.default_rng(0).random((100, 2))
MANY = np.random.default_rng(0).permutation(np.concatenate([np.linspace(0, 1, 600)] * 2 + [[0.5]]))
MANY[:600] += 1e-9
MANY = MANY[:, None]


@pytest.mark.parametrize(
    ("kernel", "points"),
    [
        (SquaredExponential(0.3), TWINS),
        (SquaredExponential(0.2), LINE),
        (Matern(2.5, 0.2), PLANE),
        (Linear(1.0), PLANE),
    ],
    ids=["twins", "smooth", "matern", "linear"],
)
@pytest.mark.parametrize("lam", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize("rounds", [40, 300, 1200, 30_000])
def test_drift_stays_within_bounds(
    kernel: Kernel, points: np.ndarray, lam: float, rounds: int
) -> None:
    error = drift(kernel, points, lam, rounds)
    bound = 1e-9 if lam == 1.0 else error.bound
    assert error.mean < bound
    assert error.var < bound
    assert error.smallest_var >= 0.0


@pytest.mark.parametrize(
    ("kernel", "points", "features"),
    [
        (SquaredExponential(0.3), TWINS, True),
        (SquaredExponential(0.2), LINE, True),
        (SquaredExponential(0.05), MANY, True),
        (Linear(1.0), PLANE, True),
        (Scaled(Linear(1.0), 1e-6), PLANE, True),
        (Matern(2.5, 0.2), PLANE, False),
        (Matern(0.5, 0.1), TWINS, False),
    ],
    ids=["twins", "smooth", "in parts", "linear", "scaled", "matern", "rough twins"],
)
@pytest.mark.parametrize("ridge", [0.1, 0.3, 1.0, 50.0])
@pytest.mark.parametrize("rounds", [40, 1200, 10_000])
def test_the_quickest_form_is_exact(
    kernel: Kernel, points: np.ndarray, features: bool, ridge: float, rounds: int
) -> None:
    prior = float(kernel.diag(points).max())
    posterior = exact_posterior(kernel, points, ridge * prior)
    assert isinstance(posterior, FeaturePosterior) is features
    error = drift(kernel, points, ridge * prior, rounds, make=exact_posterior)
    assert error.mean < 1e-9
    assert error.var < 1e-9 * prior
    assert error.smallest_var >= 0.0


@pytest.mark.parametrize("points", [LINE, MANY], ids=["line", "in parts"])
def test_the_same_arm_again_and_again(points: Array) -> None:
    posterior = exact_posterior(SquaredExponential(0.2), points, 1.0)
    assert isinstance(posterior, FeaturePosterior)
    for arm, plays in ((3, 300), (7, 1), (3, 200), (50, 250)):
        for _ in range(plays):
            step = posterior.observe(arm)
    steps = [posterior.observe(50, times) for times in (7, 1, 2)]
    one_by_one, restored = posterior.copy(), posterior.copy()
    restored.restore(posterior.state())
    assert np.array_equal(one_by_one.observe(50).gain, restored.observe(50).gain)
    posterior.observe(50)
    assert np.array_equal(posterior.var, restored.var)
    var, logdet = posterior.var.copy(), posterior.logdet
    posterior.refresh()
    assert var == pytest.approx(posterior.var, rel=1e-10, abs=1e-13)
    assert logdet == pytest.approx(posterior.logdet, rel=1e-12)
    gains = [step.gain[50], *(step.gain[50] for step in steps)]
    assert gains == pytest.approx([1 / 251, 7 / 258, 1 / 259, 2 / 261], rel=2e-2)


@pytest.mark.parametrize(
    ("kernel", "points"),
    [(SquaredExponential(0.3), TWINS), (Matern(0.5, 0.1), TWINS), (Linear(1.0), PLANE)],
    ids=["smooth twins", "rough twins", "linear"],
)
@pytest.mark.parametrize("ridge", [0.5, 1.0, 50.0])
@pytest.mark.parametrize("rounds", [40, 1200, 10_000])
def test_a_whole_covariance_is_exact(
    kernel: Kernel, points: np.ndarray, ridge: float, rounds: int
) -> None:
    prior = float(kernel.diag(points).max())
    error = drift(kernel, points, ridge * prior, rounds, make=DensePosterior)
    assert error.mean < 1e-9
    assert error.var < 1e-9 * prior
    assert error.smallest_var >= 0.0


def test_few_features_are_not_used_where_the_ridge_is_small() -> None:
    assert isinstance(exact_posterior(SquaredExponential(0.2), LINE, 0.05), ExactPosterior)


def test_a_spanning_map_leaves_nothing_out_or_is_not_made() -> None:
    kernel = SquaredExponential(0.2)
    map = SpanningMap.of(kernel, LINE, 40)
    assert map is not None
    psi = map(LINE)
    assert psi.shape[1] < 25
    assert psi @ psi.T == pytest.approx(kernel(LINE, LINE), abs=1e-14)
    assert SpanningMap.of(kernel, LINE, 10) is None
    assert SpanningMap.of(Matern(1.5, 0.2), LINE, 90) is None


def test_products_in_parts_are_exact() -> None:
    kernel = SquaredExponential(0.05)
    map = SpanningMap.of(kernel, MANY, 128)
    assert map is not None
    features = map.features(MANY)
    anchors, weights, order = features.parts
    assert anchors.size + weights.size < 0.75 * features.psi.size
    assert set(order) == set(range(len(MANY)))
    B, p, n = weights.shape
    whole = np.zeros_like(features.psi)
    whole[order] = np.einsum("bpr,bpn->bnr", anchors.reshape(B, p, -1), weights).reshape(B * n, -1)
    assert np.abs(whole @ features.psi.T - kernel(MANY, MANY)).max() < 2e-14


def test_parts_that_save_nothing_are_not_made() -> None:
    space = np.random.default_rng(0).random((2000, 3))
    for points, kernel in ((LINE, SquaredExponential(0.2)), (space, SquaredExponential(4.0))):
        map = SpanningMap.of(kernel, points, 128)
        assert map is not None
        assert not len(map.features(points).parts.order)


def test_runs_on_the_same_arms_share_their_features() -> None:
    kernel, points = SquaredExponential(0.2), LINE.copy()
    first = exact_posterior(kernel, points, 1.0)
    again = exact_posterior(SquaredExponential(0.2), LINE.copy(), 2.0)
    assert isinstance(first, FeaturePosterior)
    assert isinstance(again, FeaturePosterior)
    assert first.features.psi is again.features.psi
    points *= 0.5  # others, though in the same place
    for other in (kernel, SquaredExponential(0.3)):
        moved = exact_posterior(other, points, 1.0)
        assert isinstance(moved, FeaturePosterior)
        psi = moved.features.psi
        assert psi @ psi.T == pytest.approx(other(points, points), abs=1e-12)


@pytest.mark.parametrize("form", [ExactPosterior, DensePosterior])
def test_plays_put_off_are_seen_by_all_who_look(form: Any) -> None:
    kernel, rng = Matern(2.5, 0.2), np.random.default_rng(3)
    posterior = form(kernel, PLANE, 1.0)
    sums = np.zeros(100)
    for arm in rng.integers(0, 30, 71).tolist():  # 71 is no multiple of 32
        posterior.observe(arm)
        sums[arm] += 1.0
        looks = posterior.smooth(sums), posterior.copy().smooth(sums)
        twin = form(kernel, PLANE, 1.0)
        twin.restore(posterior.state())
        assert np.array_equal(looks[0], looks[1])
        assert np.array_equal(looks[0], twin.smooth(sums))
        assert looks[0] == pytest.approx(posterior.predict(PLANE, sums)[0], abs=1e-12)


def test_updates_that_would_not_be_in_place_are_refused() -> None:
    matrix = np.zeros((3, 2), order="F")
    add_outer(matrix, 2.0, np.ones(3), np.array([1.0, 3.0]))
    add_outers(matrix, 1.0, np.ones((3, 4), order="F"), np.ones((2, 4)))
    assert matrix.tolist() == [[6.0, 10.0]] * 3
    with pytest.raises(RuntimeError, match="in place"):
        add_outer(np.zeros((3, 2)), 1.0, np.ones(3), np.ones(2))
    with pytest.raises(RuntimeError, match="in place"):
        add_outers(np.zeros((3, 2)), 1.0, np.ones((3, 1)), np.ones((2, 1)))


@given(rows=st.integers(1, 9), columns=st.sampled_from([1, 3, 400, 401]), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_medians_of_rows(rows: int, columns: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(-3, 4, (rows, columns)).astype(float)
    before = table.copy()
    assert np.array_equal(median_of_rows(table), np.median(table, axis=0))
    assert np.array_equal(table, before)


def test_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    arms = rng.integers(0, 100, 60)
    y = rng.standard_normal(60)
    posterior = ExactPosterior(SquaredExponential(0.2), LINE, 0.5)
    sums = np.zeros(100)
    for arm, payoff in zip(arms, y, strict=True):
        posterior.observe(int(arm))
        sums[arm] += payoff
    theirs = GaussianProcessRegressor(RBF(0.2), alpha=0.5, optimizer=None).fit(LINE[arms], y)
    X = rng.random((30, 1))
    mean, std = theirs.predict(X, return_std=True)
    ours = posterior.predict(X, sums)
    assert ours[0] == pytest.approx(mean, abs=1e-9)
    assert ours[1] == pytest.approx(std, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    xs=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    plays=st.lists(st.integers(0, 7), min_size=1, max_size=40),
    lam=st.floats(1e-4, 1e4),
    lengthscale=st.floats(0.01, 10),
)
def test_exact_is_the_dense_solve(
    xs: list[float], plays: list[int], lam: float, lengthscale: float
) -> None:
    points = np.array(xs)[:, None]
    kernel = SquaredExponential(lengthscale)
    arms = [a % len(xs) for a in plays]
    posterior = ExactPosterior(kernel, points, lam)
    for arm in arms:
        posterior.observe(arm)
    K = kernel(points, points)
    K_t = K[np.ix_(arms, arms)]
    M = K_t + lam * np.eye(len(arms))
    var = np.diag(K) - np.einsum("ij,ji->i", K[:, arms], np.linalg.solve(M, K[arms]))
    assert posterior.var == pytest.approx(np.maximum(var, 0.0), abs=1e-9)
    logdet = np.linalg.slogdet(np.eye(len(arms)) + K_t / lam)[1]
    assert posterior.logdet == pytest.approx(logdet, abs=1e-7)


def test_a_full_dictionary_is_the_exact_posterior() -> None:
    # identity: exact regression is Nyström with every played arm in the dictionary
    kernel = Matern(2.5, 0.3)
    exact = ExactPosterior(kernel, PLANE, 0.7)
    sketch = FeaturePosterior(kernel, PLANE, 0.7, NystromMap(kernel, PLANE, np.arange(30)))
    sums = np.zeros(100)
    for t in range(200):
        arm = (7 * t) % 30
        exact.observe(arm)
        sketch.observe(arm)
        sums[arm] += np.sin(t)
    assert sketch.var == pytest.approx(exact.var, abs=1e-9)
    assert sketch.smooth(sums) == pytest.approx(exact.smooth(sums), abs=1e-9)
    assert sketch.logdet == pytest.approx(exact.logdet, abs=1e-8)


def test_residual_variance_away_from_the_dictionary_is_kept() -> None:
    kernel = SquaredExponential(0.05)
    sketch = FeaturePosterior(kernel, LINE, 1.0, NystromMap(kernel, LINE, np.array([0])))
    for _ in range(100):
        sketch.observe(0)
    assert sketch.std[0] < 0.11
    assert sketch.std[99] == pytest.approx(1.0)


def test_quadrature_reproduces_the_kernel() -> None:
    for lengthscale in (0.1, 0.2, 0.5):
        kernel = SquaredExponential(lengthscale)
        map = QuadratureMap(kernel, np.zeros(1), np.ones(1))
        Phi = map.full(LINE)
        assert pytest.approx(kernel(LINE, LINE), abs=1e-8) == Phi @ Phi.T
        map.reduce(LINE)
        psi = map(LINE)
        assert psi.shape[1] <= Phi.shape[1] / 2  # the points span fewer directions
        assert psi @ psi.T == pytest.approx(Phi @ Phi.T, abs=1e-13)
        assert psi @ map.features(LINE).basis.T == pytest.approx(Phi, abs=1e-12)


def test_too_many_quadrature_features_are_refused_with_the_numbers() -> None:
    from stoic.errors import TooManyFeatures

    with pytest.raises(TooManyFeatures, match=r"2·\d+\^4 = \d+"):
        QuadratureMap(SquaredExponential(0.3), np.zeros(4), np.ones(4))
    with pytest.raises(TooManyFeatures, match="300 quadrature nodes"):
        QuadratureMap(SquaredExponential(0.01), np.zeros(1), np.ones(1))


def test_dictionary_is_drawn_as_play_by_play() -> None:
    # identity: one draw per distinct arm has the law of one draw per play
    rng = np.random.default_rng(9)
    counts = np.array([0, 1, 3, 40, 1000])
    p = np.array([0.9, 0.3, 0.3, 0.02, 0.001])
    n = 20_000
    kept = np.zeros(5)
    for _ in range(n):
        kept[draw_dictionary(p, counts, rng, per_play=True)] += 1
    expected = 1 - (1 - p) ** counts
    literal = np.array(
        [(rng.random((4000, c)) < q).any(axis=1).mean() for c, q in zip(counts, p, strict=True)]
    )
    spread = 5 * np.sqrt(expected * (1 - expected) / n) + 1e-12
    assert (np.abs(kept / n - expected) <= spread).all()
    assert literal == pytest.approx(expected, abs=0.04)
    assert list(draw_dictionary(np.ones(5), counts, rng, per_play=True)) == [1, 2, 3, 4]
    assert list(draw_dictionary(np.ones(5), counts, rng, per_play=False)) == [1, 2, 3, 4]


def test_a_small_ridge_keeps_its_digits_between_fresh_solves() -> None:
    """λ = 1e-6 multiplies errors by n/λ; beyond 256 points not every new one brings a solve."""
    points = np.random.default_rng(0).random((800, 1))
    posterior = ExactPosterior(Matern(2.5, 0.1), points, 1e-6)
    order = np.random.default_rng(3).permutation(800)[:330].tolist()
    for arm in order[:290]:
        posterior.observe(arm)
    for arm in order[290:]:
        posterior.observe(arm)
        fresh = posterior.copy()
        fresh.refresh()
        assert np.abs(posterior._covariance - fresh._covariance).max() < 1e-9
        assert np.abs(posterior.var - fresh.var).max() < 1e-9
