"""The Gaussian process against a literal transcription, at its hard cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.surrogates import (
    CASES,
    GROUPS,
    PLACES,
    THETAS,
    WEIGHTS,
    case,
    differences,
    plain,
    queries,
    scale_of,
    spread_out,
)
from reference import surrogate as literal
from stoic.surrogate import Hyper, Prior, RobustGP
from stoic.surrogate.covariance import SMOOTH, Covariance
from stoic.surrogate.evidence import JITTER, negative_evidence
from stoic.surrogate.gp import prior_covariance

Array = NDArray[np.float64]


@pytest.mark.parametrize(("place", "theta", "w", "form"), CASES)
def test_predictions(
    place: Callable[[np.random.Generator], Array],
    theta: list[float],
    w: Array | None,
    form: Covariance,
) -> None:
    gp, data = case(place, theta, w, form)
    P = queries(gp)
    mean, covariance = data.predict(P)
    near = 1e-6 * scale_of(gp)
    for got_mean, got_variance in (gp.predict(P), *([gp.slopes(P)[:2]] if form is SMOOTH else [])):
        np.testing.assert_allclose(got_mean, mean, atol=near)
        np.testing.assert_allclose(got_variance, np.diag(covariance), atol=near)
        assert (got_variance > 0.0).all()
    got_mean, got_covariance = gp.joint(P)
    np.testing.assert_allclose(got_mean, mean, atol=near)
    np.testing.assert_allclose(got_covariance, covariance, atol=near)


@pytest.mark.parametrize(("place", "theta", "w", "form"), CASES)
def test_leave_one_out_and_evidence(
    place: Callable[[np.random.Generator], Array],
    theta: list[float],
    w: Array | None,
    form: Covariance,
) -> None:
    gp, data = case(place, theta, w, form)
    mean, variance = data.left_out()
    near = 1e-5 * scale_of(gp)
    np.testing.assert_allclose(gp.left_out[0], mean, atol=near)
    np.testing.assert_allclose(gp.left_out[1], variance, atol=near)
    assert (gp.left_out[1] > 0.0).all()
    assert gp.evidence == pytest.approx(data.evidence(), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("place", "theta", "w", "form"), CASES)
def test_log_posterior_and_its_gradient(
    place: Callable[[np.random.Generator], Array],
    theta: list[float],
    w: Array | None,
    form: Covariance,
) -> None:
    gp, data = case(place, theta, w, form)
    prior = Prior()
    fixed = np.arange(len(gp)) % 3 / 20.0 / gp.hyper.noise  # precisions apart from the noise

    def log_posterior(t: Array) -> Array:
        jitter = JITTER * math.exp(gp.hyper.theta[-5] - t[-5])  # the jitter does not count
        setting = replace(plain(Hyper(t, GROUPS, form)), jitter=jitter)
        seen = replace(data, setting=setting, w=gp.weights + fixed * setting.noise)
        return np.array(literal.log_posterior(seen, t, prior.centre(2), prior.spread(2)))

    evidence = negative_evidence(gp.X, GROUPS, prior, form)
    loss, gradient = evidence(gp.hyper.theta, gp.z, gp.weights, fixed)
    assert -loss == pytest.approx(float(log_posterior(gp.hyper.theta)), rel=1e-6, abs=1e-6)
    expected = differences(log_posterior, gp.hyper.theta, 1e-3)
    np.testing.assert_allclose(-gradient, expected, rtol=1e-4, atol=1e-5 * (1.0 + abs(loss)))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("theta", THETAS.values(), ids=THETAS)
def test_slopes(place: Callable[[np.random.Generator], Array], theta: list[float]) -> None:
    gp, data = case(place, theta, WEIGHTS)
    P = np.random.default_rng(5).random((3, 3))
    _, _, by_mean, by_variance = gp.slopes(P)
    h = min(0.02 * float(gp.hyper.lengthscales.min()), 0.01)
    for p, d_mean, d_variance in zip(P, by_mean, by_variance, strict=True):
        expected = differences(lambda x: data.predict(x[None])[0], p, h)[:, 0]
        np.testing.assert_allclose(d_mean, expected, rtol=1e-4, atol=1e-4 * scale_of(gp))
        expected = differences(lambda x: data.predict(x[None])[1][0], p, h)[:, 0]
        np.testing.assert_allclose(d_variance, expected, rtol=1e-4, atol=1e-4 * scale_of(gp))


def test_shortcuts_change_no_bit() -> None:
    rng = np.random.default_rng(4)
    X, z, weights = rng.random((300, 3)), rng.standard_normal(300), rng.random(300) + 0.01
    hyper = Hyper(Prior().centre(2), GROUPS)
    gp = RobustGP(X, z, weights, hyper)
    P = rng.random((1000, 3))  # several blocks
    np.testing.assert_array_equal(gp.mean(P), gp.predict(P)[0])
    kept = prior_covariance(X, hyper)
    again = [RobustGP(X, z, weights, hyper, kept) for _ in range(2)]  # the first leaves it whole
    np.testing.assert_array_equal(again[1].predict(P), gp.predict(P))
    assert again[1].evidence == gp.evidence


def test_the_evidence_remembers_nothing() -> None:
    rng = np.random.default_rng(5)
    X, z, w, q = rng.random((40, 3)), rng.standard_normal(40), *(rng.random((2, 40)) + 0.01)
    loss, fresh = (negative_evidence(X, GROUPS, Prior(), SMOOTH) for _ in range(2))
    first, second = Prior().centre(2), Prior().centre(2) + 1.0
    loss(second, -z, 1.0 / w, 1.0 / q)
    for one, other in zip(loss(first, z, w, q), fresh(first, z, w, q), strict=True):
        np.testing.assert_array_equal(one, other)


def test_pending_measurements_come_out_as_predicted() -> None:
    gp, data = case(spread_out, THETAS["ordinary"], WEIGHTS)
    P = queries(gp)
    wait = P[-2:]
    more = gp.with_pending(wait)
    expected = data
    for x, value in zip(wait, data.predict(wait)[0], strict=True):
        expected = expected.with_measurement(x, float(value))
    mean, covariance = expected.predict(P)
    np.testing.assert_allclose(more.predict(P)[0], mean, atol=1e-9)
    np.testing.assert_allclose(more.predict(P)[0], gp.predict(P)[0], atol=1e-6)
    np.testing.assert_allclose(more.predict(P)[1], np.diag(covariance), atol=1e-9)
    assert (more.predict(P)[1] <= gp.predict(P)[1] + 1e-12).all()
    assert gp.with_pending(np.empty((0, 3))) is gp


def test_other_lengthscales_and_amplitude() -> None:
    gp, data = case(spread_out, THETAS["ordinary"], None)
    s = data.setting
    rescaled = replace(
        data, setting=replace(s, lengthscales=s.lengthscales / 4, amplitude=s.amplitude * 3)
    )
    P = queries(gp)
    np.testing.assert_allclose(
        gp.rescaled(0.25, 3.0).predict(P)[0], rescaled.predict(P)[0], atol=1e-9
    )


@pytest.mark.parametrize("total_weight", [0.5, 3.0, 1e3])
def test_the_mean_residual_near_a_point(total_weight: float) -> None:
    gp, _ = case(spread_out, THETAS["ordinary"], None)
    x = np.array([0.4, 0.1, 0.8])
    nearest = sorted(
        range(len(gp)), key=lambda i: float((((gp.X[i] - x) / gp.hyper.lengthscales) ** 2).sum())
    )
    total = summed = 0.0
    for i in nearest:
        part = min(float(gp.weights[i]), total_weight - total)
        total += part
        summed += part * float(gp.z[i] - gp.mean(gp.X[i : i + 1])[0])
        if total >= total_weight:
            break
    assert gp.mean_residual(x, total_weight) == pytest.approx(summed / total, rel=1e-9, abs=1e-12)
