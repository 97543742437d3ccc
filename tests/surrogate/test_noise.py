"""The mixture of noises against a literal transcription, and fits that are robust by it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.surrogates import (
    GROUPS,
    THETAS,
    plain,
)
from reference import surrogate as literal
from stoic.surrogate import Hyper, Prior, RobustGP, fit
from stoic.surrogate.evidence import JITTER
from stoic.surrogate.fitting import Start
from stoic.surrogate.noise import MIXTURE, NoisePrior, Weighting, components
from stoic.surrogate.noise_law import EVERYWHERE, NoiseLaw

Array = NDArray[np.float64]


def mixture(s2: float, noise_prior: NoisePrior) -> literal.Mixture:
    """The components of the noise: an ordinary one, and others, wide on either side alike."""
    offsets, deviations, prior = components(math.sqrt(s2), noise_prior.unusual_share)
    assert (offsets[0], deviations[0]) == (0.0, 1.0)
    assert (deviations[1:] > 1.0).all()
    assert (np.diff(deviations[3:]) > 0.0).all()
    assert sorted(offsets) == sorted(-offsets)
    assert prior[0] == pytest.approx(1.0 - noise_prior.unusual_share)
    np.testing.assert_allclose(prior[1:], noise_prior.unusual_share / (len(prior) - 1))
    return literal.Mixture(offsets, deviations, prior, noise_prior.observations, MIXTURE.passes)


@pytest.mark.parametrize("s2", [math.exp(-12), 0.02, math.exp(3)])
@pytest.mark.parametrize("n", [1, 2, 12])
def test_weights(s2: float, n: int) -> None:
    rng = np.random.default_rng(n)
    mean, variance = rng.standard_normal(n), rng.random(n) ** 4 + 1e-12
    z = mean + math.sqrt(s2) * rng.standard_normal(n)
    z[0] = 40.0
    noise_prior = NoisePrior()
    weighting = Weighting.of(z, mean, variance, s2, noise_prior)
    parts = mixture(s2, noise_prior)
    extent = np.abs(parts.offsets) + 2.0 * parts.deviations
    assert extent.max() * math.sqrt(s2) >= 40.0  # the widest covers any value
    expected = literal.weigh(z, mean, variance, s2, parts)
    np.testing.assert_allclose(weighting.responsibilities, expected.responsibilities, atol=1e-12)
    np.testing.assert_allclose(weighting.shares, expected.shares, rtol=1e-9)
    np.testing.assert_allclose(weighting.weights(s2), expected.weights, rtol=1e-9)
    np.testing.assert_allclose(weighting.targets, expected.targets, rtol=1e-9, atol=1e-9)
    assert weighting.bound_term == pytest.approx(expected.bound_term, rel=1e-9, abs=1e-9)
    assert weighting.shares.sum() == pytest.approx(1.0)
    assert weighting.responsibilities.sum(1) == pytest.approx(np.ones(n))


@pytest.mark.parametrize("mean", [-1.0, 0.4, 9.0])
def test_weights_where_the_noise_depends_on_the_value(mean: float) -> None:
    law, noise_prior, s2 = NoiseLaw(0.7, 0.1), NoisePrior(), 0.02
    scale = math.exp(min(0.7 * (mean - 0.1), 1.6))
    parts = mixture(s2, noise_prior)
    scales = np.where(np.arange(len(parts.offsets)) < MIXTURE.scaled, scale, 1.0)
    parts = replace(parts, offsets=parts.offsets * scales, deviations=parts.deviations * scales)
    at = np.array([mean + 0.5]), np.array([mean]), np.array([0.01])
    weighting = Weighting.of(*at, s2, noise_prior, law)
    expected = literal.weigh(*at, s2, parts)
    np.testing.assert_allclose(weighting.weights(s2), expected.weights, rtol=1e-9)
    np.testing.assert_allclose(weighting.targets, expected.targets, rtol=1e-9, atol=1e-9)
    assert weighting.bound_term == pytest.approx(expected.bound_term, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("slope", [-0.8, 0.0, 0.8])
def test_the_slope_of_the_noise_is_learned(slope: float) -> None:
    found = []
    for seed in range(6):
        rng = np.random.default_rng([seed, 5])
        X = rng.random((80, 1))
        f = 2.0 * np.sin(5.0 * X[:, 0])
        z = f + 0.15 * np.exp(slope * f) * rng.standard_normal(80)
        z = (z - np.median(z)) / z.std()
        found.append(fit(X, z, np.array([0])).gp.hyper.noise_law)
    if slope:
        assert sum(law.slope * slope > 0.0 for law in found) >= 5
        assert not any(law.slope * slope < 0.0 for law in found)
    else:
        assert sum(law is EVERYWHERE for law in found) >= 5


def test_noise_follows_its_law() -> None:
    hyper = Hyper(np.array(THETAS["ordinary"]), GROUPS, noise_law=NoiseLaw(0.5, 1.0))
    at = hyper.noise_at(np.array([1.0, 3.0, 1e9])) / hyper.noise
    np.testing.assert_allclose(at, np.exp([0.0, 2.0, 3.2]))
    gp = RobustGP(np.eye(3), np.array([1.0, 2.0, 3.0]), np.ones(3), hyper)
    after = gp.with_pending(np.full((1, 3), 0.5))
    own = float(hyper.noise / after.weights[-1])
    assert own == pytest.approx(float(hyper.noise_at(gp.mean(np.full((1, 3), 0.5)))[0]))
    assert gp.rescaled(0.5, 1.0).hyper.noise_law == hyper.noise_law


@pytest.mark.parametrize("slope", [0.0, 0.6])
def test_the_completed_evidence_is_a_lower_bound_of_the_mixtures(slope: float) -> None:
    """With the learned shares, over all assignments of components to three measurements."""
    rng = np.random.default_rng(0)
    X, z = rng.random((3, 3)), np.array([0.3, -0.2, 7.0])
    hyper = Hyper(np.array(THETAS["ordinary"]), GROUPS)
    gp = RobustGP(X, z, np.ones(3), hyper)
    law = NoiseLaw(slope)
    weighting = Weighting.of(z, *gp.left_out, hyper.noise, NoisePrior(), law)
    scales = law.scales(gp.left_out[0])[:, None]
    bound = (
        RobustGP(X, weighting.targets, weighting.weights(hyper.noise), hyper).evidence
        + weighting.bound_term
    )
    parts = mixture(hyper.noise, NoisePrior())
    s = math.sqrt(hyper.noise)
    factors = np.where(np.arange(len(parts.offsets)) < MIXTURE.scaled, scales, 1.0)
    deviations, offsets = parts.deviations * factors, parts.offsets * factors
    whole = -math.inf
    K = literal.gram(X, X, plain(hyper)) + JITTER * hyper.amplitude * np.eye(3)
    for picks in np.ndindex(*[len(weighting.shares)] * 3):
        chosen = list(picks)
        rows = np.arange(3)
        C = K + np.diag(hyper.noise * deviations[rows, chosen] ** 2)
        r = z - s * offsets[rows, chosen] - hyper.mean
        seen = -0.5 * float(r @ np.linalg.solve(C, r)) - 0.5 * float(np.linalg.slogdet(C)[1])
        whole = float(np.logaddexp(whole, seen + np.log(weighting.shares[chosen]).sum()))
    assert whole - 5.0 < bound <= whole + 1e-9


def test_an_outlier_has_no_weight_and_ordinary_values_have() -> None:
    rng = np.random.default_rng(1)
    X = rng.random((25, 1))
    z = np.sin(5 * X[:, 0]) + 0.05 * rng.standard_normal(25)
    z[[4, 11]] = 40.0, -9.0
    for start in (Start(), Start(clip=8.0, lengthscale=0.4)):
        found = fit(X, z, np.array([0]), start=start)
        ignored = np.flatnonzero(found.gp.weights < 0.04)
        assert ignored.tolist() == [4, 11]
        mean, _ = found.gp.predict(X)
        assert np.abs(mean - np.sin(5 * X[:, 0])).max() < 0.3


@pytest.mark.parametrize("size", [4.0, 8.0, 13.0, 30.0])
@pytest.mark.parametrize("sides", [(-1.0,), (1.0,), (-1.0, 1.0)])
def test_many_outliers_are_not_taken_for_noise(sides: tuple[float, ...], size: float) -> None:
    """Nearly a third of them, whatever their size between those of the wider components."""
    rng = np.random.default_rng(2)
    X = rng.random((60, 2))
    z = np.sin(5 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(60)
    outliers = rng.permutation(60)[:18]
    z[outliers] = rng.choice(sides, 18) * size * rng.uniform(0.7, 1.3, 18)
    found = fit(X, z, np.array([0, 1]))
    assert math.sqrt(found.gp.hyper.noise) == pytest.approx(0.2, rel=0.3)
    assert set(np.flatnonzero(found.gp.weights < 0.04)) == set(outliers)


@pytest.mark.parametrize("n", [1, 2, 5, 30])
@pytest.mark.parametrize("kind", ["constant", "duplicates", "extreme"])
def test_fits_of_hard_data_are_finite(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    X = np.zeros((n, 3)) if kind == "duplicates" else rng.random((n, 3))
    z = np.zeros(n) if kind == "constant" else rng.choice([-40.0, 0.0, 40.0], n)
    found = fit(X, z, GROUPS)
    again = fit(np.vstack([X, X[:1]]), np.append(z, 1.0), GROUPS, start=found, rounds=1)
    low, high = np.array(Prior().bounds(2)).T
    for each in (found, again):
        assert math.isfinite(each.evidence)
        assert ((low <= each.gp.hyper.theta) & (each.gp.hyper.theta <= high)).all()
        assert ((each.gp.weights > 0.0) & (each.gp.weights <= 1.0)).all()
        for part in each.gp.predict(rng.random((5, 3))):
            assert np.isfinite(part).all()
