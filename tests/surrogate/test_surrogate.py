"""The surrogate against a literal transcription, at its hard cases, and by its own promises."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtri

from reference import surrogate as literal
from stoic.optimize.acquisition import Acquisition, mean_slopes
from stoic.optimize.improvement import log_improvement, log_improvement_slopes
from stoic.optimize.search import Search
from stoic.optimize.tactics import Tactics
from stoic.spaces import Space
from stoic.surrogate import Hyper, Prior, RobustGP, Scaling, fit
from stoic.surrogate.ascent import ascend
from stoic.surrogate.evidence import JITTER, negative_evidence
from stoic.surrogate.fitting import Start
from stoic.surrogate.gp import prior_covariance
from stoic.surrogate.noise import MIXTURE, NoisePrior, Weighting, components, noise_mean

Array = NDArray[np.float64]

GROUPS = np.array([0, 1, 1])  # two length-scales, the second shared by two columns
WEIGHTS = np.array([1.0, 1e-6, 0.11, 1.0, 1e-3])


def spread_out(rng: np.random.Generator) -> Array:
    return rng.random((9, 3))


def duplicates(rng: np.random.Generator) -> Array:
    return np.repeat(rng.random((4, 3)), [4, 1, 2, 3], axis=0)


def near_duplicates(rng: np.random.Generator) -> Array:
    X = np.repeat(rng.random((5, 3)), 2, axis=0)
    X[1::2] += 1e-9
    return np.clip(X, 0.0, 1.0)


def one_point(rng: np.random.Generator) -> Array:
    return rng.random((1, 3))


def corners(_: np.random.Generator) -> Array:
    return np.array([[i, j, k] for i in (0.0, 1.0) for j in (0.0, 1.0) for k in (0.0, 1.0)])


PLACES: list[Callable[[np.random.Generator], Array]] = [
    spread_out,
    duplicates,
    near_duplicates,
    one_point,
    corners,
]
THETAS = {  # log ℓ₁, log ℓ₂, log a², log s², μ, logit ρ
    "ordinary": [math.log(0.3), math.log(0.6), 0.2, -3.0, 0.3, 0.5],
    "long": [math.log(30.0), math.log(30.0), 0.0, -12.0, -1.0, 3.0],
    "short": [math.log(0.01), math.log(0.01), 1.0, -2.0, 0.0, -6.0],
    "long and short": [math.log(30.0), math.log(0.01), 0.0, -4.0, 0.0, 0.0],
    "hardly any noise": [math.log(0.4), math.log(0.5), 0.0, -12.0, 0.0, 6.0],
    "tall": [math.log(1.0), math.log(2.0), 6.0, -12.0, 6.0, 0.0],
    "all noise": [math.log(0.4), math.log(0.4), -6.0, 3.0, 0.0, 0.0],
}
CASES = [
    pytest.param(place, theta, w, id=f"{place.__name__}-{name}-{'1' if w is None else 'w'}")
    for place in PLACES
    for name, theta in THETAS.items()
    for w in (None, WEIGHTS)
]


def case(
    place: Callable[[np.random.Generator], Array], theta: list[float], w: Array | None
) -> tuple[RobustGP, literal.Data]:
    """The package's surrogate and its transcription."""
    rng = np.random.default_rng(7)
    X = place(rng)
    z = rng.standard_normal(len(X)) + np.where(rng.random(len(X)) < 0.2, 30.0, 0.0)
    weights = np.ones(len(X)) if w is None else np.resize(w, len(X))
    hyper = Hyper(np.array(theta), GROUPS)
    return RobustGP(X, z, weights, hyper), literal.Data(X, z, weights, plain(hyper))


def plain(hyper: Hyper) -> literal.Setting:
    *scales, amplitude, s2, mean, smoothness = hyper.theta
    return literal.Setting(
        np.exp(np.array(scales))[GROUPS],
        math.exp(amplitude),
        math.exp(s2),
        mean,
        1.0 / (1.0 + math.exp(-smoothness)),
        JITTER,
    )


def scale_of(gp: RobustGP) -> float:
    return max(1.0, gp.hyper.amplitude, float(np.abs(gp.z).max()))


def queries(gp: RobustGP) -> Array:
    """Points measured, a hair away from those, and elsewhere."""
    elsewhere = np.random.default_rng(3).random((4, 3))
    return np.vstack([gp.X[:3], np.clip(gp.X[:2] + 1e-9, 0.0, 1.0), elsewhere])


def differences(f: Callable[[Array], Array], x: Array, h: float) -> Array:
    """Central differences of fourth order, one row for each coordinate."""
    rows = []
    for e in np.eye(len(x)) * h:
        rows.append((f(x - 2 * e) - 8 * f(x - e) + 8 * f(x + e) - f(x + 2 * e)) / (12 * h))
    return np.array(rows)


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "theta", "w"), CASES)
def test_predictions(
    place: Callable[[np.random.Generator], Array], theta: list[float], w: Array | None
) -> None:
    gp, data = case(place, theta, w)
    P = queries(gp)
    mean, covariance = data.predict(P)
    near = 1e-6 * scale_of(gp)
    for got_mean, got_variance in (gp.predict(P), gp.slopes(P)[:2]):
        np.testing.assert_allclose(got_mean, mean, atol=near)
        np.testing.assert_allclose(got_variance, np.diag(covariance), atol=near)
        assert (got_variance > 0.0).all()
    got_mean, got_covariance = gp.joint(P)
    np.testing.assert_allclose(got_mean, mean, atol=near)
    np.testing.assert_allclose(got_covariance, covariance, atol=near)


@pytest.mark.parametrize(("place", "theta", "w"), CASES)
def test_leave_one_out_and_evidence(
    place: Callable[[np.random.Generator], Array], theta: list[float], w: Array | None
) -> None:
    gp, data = case(place, theta, w)
    mean, variance = data.left_out()
    near = 1e-5 * scale_of(gp)
    np.testing.assert_allclose(gp.left_out[0], mean, atol=near)
    np.testing.assert_allclose(gp.left_out[1], variance, atol=near)
    assert (gp.left_out[1] > 0.0).all()
    assert gp.evidence == pytest.approx(data.evidence(), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("place", "theta", "w"), CASES)
def test_log_posterior_and_its_gradient(
    place: Callable[[np.random.Generator], Array], theta: list[float], w: Array | None
) -> None:
    gp, data = case(place, theta, w)
    prior = Prior()
    fixed = np.arange(len(gp)) % 3 / 20.0 / gp.hyper.noise  # precisions apart from the noise

    def log_posterior(t: Array) -> Array:
        jitter = JITTER * math.exp(gp.hyper.theta[-4] - t[-4])  # the jitter does not count
        setting = replace(plain(Hyper(t, GROUPS)), jitter=jitter)
        seen = replace(data, setting=setting, w=gp.weights + fixed * setting.noise)
        return np.array(literal.log_posterior(seen, t, prior.centre(2), prior.spread(2)))

    loss, gradient = negative_evidence(gp.X, GROUPS, prior)(gp.hyper.theta, gp.z, gp.weights, fixed)
    assert -loss == pytest.approx(float(log_posterior(gp.hyper.theta)), rel=1e-6, abs=1e-6)
    expected = differences(log_posterior, gp.hyper.theta, 1e-3)
    np.testing.assert_allclose(-gradient, expected, rtol=1e-4, atol=1e-5 * (1.0 + abs(loss)))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("theta", THETAS.values(), ids=THETAS)
def test_slopes(place: Callable[[np.random.Generator], Array], theta: list[float]) -> None:
    gp, data = case(place, theta, WEIGHTS)
    P = np.random.default_rng(5).random((3, 3))
    _, _, by_mean, by_variance = gp.slopes(P)
    h = 0.02 * float(gp.hyper.lengthscales.min())
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
    loss, fresh = (negative_evidence(X, GROUPS, Prior()) for _ in range(2))
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


# -- weights --------------------------------------------------------------------------------------


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


def test_the_completed_evidence_is_a_lower_bound_of_the_mixtures() -> None:
    """With the learned shares, over all assignments of components to three measurements."""
    rng = np.random.default_rng(0)
    X, z = rng.random((3, 3)), np.array([0.3, -0.2, 7.0])
    hyper = Hyper(np.array(THETAS["ordinary"]), GROUPS)
    gp = RobustGP(X, z, np.ones(3), hyper)
    weighting = Weighting.of(z, *gp.left_out, hyper.noise, NoisePrior())
    bound = (
        RobustGP(X, weighting.targets, weighting.weights(hyper.noise), hyper).evidence
        + weighting.bound_term
    )
    parts = mixture(hyper.noise, NoisePrior())
    s = math.sqrt(hyper.noise)
    whole = -math.inf
    K = literal.gram(X, X, plain(hyper)) + JITTER * hyper.amplitude * np.eye(3)
    for picks in np.ndindex(*[len(weighting.shares)] * 3):
        chosen = list(picks)
        C = K + np.diag(hyper.noise * parts.deviations[chosen] ** 2)
        r = z - s * parts.offsets[chosen] - hyper.mean
        seen = -0.5 * float(r @ np.linalg.solve(C, r)) - 0.5 * float(np.linalg.slogdet(C)[1])
        whole = float(np.logaddexp(whole, seen + np.log(weighting.shares[chosen]).sum()))
    assert whole - 5.0 < bound <= whole + 1e-9


def skewed(errors: Array, s2: float) -> tuple[float, float]:
    """The mean of the noise and its error, where f is known and s² was taken for its variance."""
    known = np.zeros(len(errors)), np.full(len(errors), 1e-12)
    r = Weighting.of(errors, *known, s2, NoisePrior()).responsibilities
    return noise_mean(r, errors, *known, s2)


@pytest.mark.parametrize("taken", [1.0, 3.0, 6.0])
@pytest.mark.parametrize("size", [15.0, 40.0])
def test_outliers_do_not_count_towards_the_mean_of_the_noise(size: float, taken: float) -> None:
    """Also where they made the noise look as many times larger."""
    rng = np.random.default_rng(0)
    errors = 0.1 * rng.standard_normal(60)
    errors[:15] += 0.1 * size
    shift, error = skewed(errors, (0.1 * taken) ** 2)
    assert abs(shift) < 0.02
    assert error == pytest.approx(0.1 / math.sqrt(45), rel=0.5)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_tail_counts_towards_the_mean_of_the_noise(sign: float) -> None:
    u = (np.arange(60) + 0.5) / 60
    errors = sign * 0.1 * np.exp(ndtri(u))
    shift, error = skewed(errors, 0.01)
    typical = float(np.median(np.abs(errors)))
    assert 0.25 * typical < sign * shift < float(np.abs(errors).mean())
    assert 0.0 < error < typical


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
        assert np.isfinite(each.noise_mean).all()
        assert ((low <= each.gp.hyper.theta) & (each.gp.hyper.theta <= high)).all()
        assert ((each.gp.weights > 0.0) & (each.gp.weights <= 1.0)).all()
        for part in each.gp.predict(rng.random((5, 3))):
            assert np.isfinite(part).all()


# -- what is gained -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ordinary", "long", "short", "hardly any noise"])
@pytest.mark.parametrize("place", [spread_out, duplicates, near_duplicates])
def test_knowledge_gradient(place: Callable[[np.random.Generator], Array], name: str) -> None:
    gp, data = case(place, THETAS[name], WEIGHTS)
    quantiles = Tactics().quantiles
    space = Space({"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)})
    P = queries(gp)
    gains = Acquisition(Search(space, 0))._gain(gp, P, np.ones(len(P), dtype=bool))
    # fantasies carry the diagonal's jitter as well, next to no noise a visible part of it
    near = 1e-6 * scale_of(gp) + 10.0 * JITTER * gp.hyper.amplitude / gp.hyper.noise
    np.testing.assert_allclose(gains, literal.knowledge_gradient(data, P, quantiles), atol=near)
    assert gains.min() > -1e-9


@pytest.mark.parametrize("std", [1e-3, 1.0, 20.0])
@pytest.mark.parametrize("u", [-40.0, -20.0, -10.0, -6.1, -5.9, -4.0, -1.0, 0.0, 2.0, 30.0])
def test_log_improvement(u: float, std: float) -> None:
    mean = 0.7 + u * std
    got = log_improvement(np.array([mean]), np.array([std**2]), 0.7)[0]
    exact = literal.log_expected_improvement(mean, std, 0.7)
    # the asymptote's first neglected term is 15/u⁴
    assert got == pytest.approx(exact, abs=1e-7 if u > -6.0 else 20.0 / u**4)


def test_log_improvement_far_away() -> None:
    u = -np.geomspace(1e-3, 1e8, 4001)
    value = log_improvement(u, np.ones_like(u), 0.0)
    assert np.isfinite(value).all()
    assert (np.diff(value) < 0.0).all()  # further below is worse, everywhere
    at_40 = -0.5 * 40.0**2 - 0.5 * math.log(2 * math.pi) - 2 * math.log(40.0)
    assert log_improvement(np.array([-40.0]), np.ones(1), 0.0)[0] == pytest.approx(at_40, abs=3e-3)


@pytest.mark.parametrize("best", [-30.0, 0.5, 2.0, 40.0])
@pytest.mark.parametrize("name", ["ordinary", "long", "tall"])
def test_log_improvement_slopes(name: str, best: float) -> None:
    gp, _ = case(spread_out, THETAS[name], WEIGHTS)
    P = np.random.default_rng(5).random((4, 3))
    value, slope = log_improvement_slopes(gp, P, best)
    np.testing.assert_allclose(value, log_improvement(*gp.predict(P), best), rtol=1e-4, atol=1e-4)
    for x, got in zip(P, slope, strict=True):
        mean, _, d_mean, d_variance = (part[0] for part in gp.slopes(x[None]))
        std = math.sqrt(float(gp.predict(x[None])[1][0]))

        def along(t: Array, m: float = float(mean), s: float = std) -> Array:
            return np.array(literal.log_expected_improvement(m + t[0], s + t[1], best))

        by_mean, by_std = differences(along, np.zeros(2), 1e-3 * std)
        expected = by_mean * d_mean + by_std * d_variance / (2.0 * std)
        # beyond u = -6 the slope is the asymptote's
        np.testing.assert_allclose(got, expected, rtol=0.02, atol=1e-3 * np.abs(expected).max())


def test_mean_slopes() -> None:
    gp, _ = case(spread_out, THETAS["ordinary"], None)
    P = queries(gp)
    value, slope = mean_slopes(gp)(P)
    np.testing.assert_array_equal(value, gp.slopes(P)[0])
    np.testing.assert_array_equal(slope, gp.slopes(P)[2])


# -- ascent ---------------------------------------------------------------------------------------


def hill(A: Array, peaks: Array) -> Callable[[Array], tuple[Array, Array]]:
    """−½ (x − peak)ᵀ A (x − peak), a peak for each row."""

    def score(X: Array) -> tuple[Array, Array]:
        D = X - peaks[: len(X)]
        return -0.5 * np.einsum("ij,jk,ik->i", D, A, D), -D @ A

    return score


def bounded_peak(A: Array, peak: Array) -> Array:
    """The best point of the unit cube, by coordinate ascent, which finds it for such a hill."""
    x = np.full(len(peak), 0.5)
    for _ in range(20_000):
        before = x.copy()
        for i in range(len(x)):
            rest = A[i] @ (x - peak) - A[i, i] * (x[i] - peak[i])
            x[i] = min(max(peak[i] - rest / A[i, i], 0.0), 1.0)
        if np.abs(x - before).max() < 1e-13:
            break
    return x


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 4), alone=st.booleans())
def test_ascent_of_hills(seed: int, d: int, alone: bool) -> None:
    """Peaks of which some are beyond the bounds; ``alone``: coordinates without correlation."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((d, d))
    A = np.diag(rng.uniform(0.5, 3.0, d)) if alone else B @ B.T + 0.3 * np.eye(d)
    peaks, starts = rng.uniform(-0.6, 1.6, (5, d)), rng.random((5, d))
    starts[0], starts[1] = 0.0, 1.0
    X, f = ascend(hill(A, peaks), starts, np.zeros(d), np.ones(d), steps=120, max_step=0.2)
    assert ((X >= 0.0) & (X <= 1.0)).all()
    np.testing.assert_array_equal(f, hill(A, peaks)(X)[0])
    tops = hill(A, peaks)(np.array([bounded_peak(A, p) for p in peaks]))[0]
    inside = ((peaks >= 0.0) & (peaks <= 1.0)).all(1)
    np.testing.assert_allclose(f[inside], tops[inside], atol=1e-5)
    if alone:
        np.testing.assert_allclose(f, tops, atol=2e-3)


def test_ascent_along_a_bound() -> None:
    A, peak = np.array([[1.0, 1.8], [1.8, 9.0]]), np.array([[1.4, -0.6]])
    start = np.array([[0.8, 0.8]])
    X, _ = ascend(hill(A, peak), start, np.zeros(2), np.ones(2), steps=200, max_step=0.2)
    np.testing.assert_allclose(X[0], bounded_peak(A, peak[0]), atol=0.01)  # (0.32, 0)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 4), steps=st.integers(0, 30))
def test_ascent_never_loses_and_stays_inside(seed: int, d: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    waves = rng.standard_normal((d, d)) * 8.0
    low, high = np.zeros(d), rng.uniform(0.1, 1.0, d)

    def wavy(X: Array) -> tuple[Array, Array]:
        inner = X @ waves
        return np.sin(inner).sum(1), np.cos(inner) @ waves.T

    starts = rng.random((6, d)) * high
    starts[0], starts[1] = low, high
    X, f = ascend(wavy, starts.copy(), low, high, steps=steps, max_step=0.2)
    assert ((low <= X) & (high >= X)).all()
    np.testing.assert_array_equal(f, wavy(X)[0])
    assert (f >= wavy(starts)[0] - 1e-12).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 4))
def test_rows_climb_alone(seed: int, d: int) -> None:
    """But for when all have arrived, which ends the climb of all."""
    rng = np.random.default_rng(seed)
    A = np.diag(rng.uniform(0.5, 3.0, d))
    peaks, starts = rng.uniform(-0.5, 1.5, (4, d)), rng.random((4, d))
    bounds = np.zeros(d), np.ones(d)
    _, together = ascend(hill(A, peaks), starts, *bounds, steps=40, max_step=0.2)
    for i in range(4):
        only = slice(i, i + 1)
        _, alone = ascend(hill(A, peaks[only]), starts[only], *bounds, steps=40, max_step=0.2)
        assert together[i] == pytest.approx(float(alone[0]), abs=1e-6)


def test_ascent_survives_where_there_is_no_score() -> None:
    def cliff(X: Array) -> tuple[Array, Array]:
        f = np.where(X[:, 0] > 0.6, np.nan, X[:, 0])
        return f, np.where(X > 0.6, np.nan, 1.0)

    X, f = ascend(cliff, np.array([[0.1], [0.55]]), np.zeros(1), np.ones(1), steps=40, max_step=0.2)
    assert np.isfinite(f).all()
    assert (X <= 0.6).all()
    assert (X >= 0.5).all()


# -- scaling --------------------------------------------------------------------------------------

eighths = st.lists(st.integers(-400, 400).map(lambda k: k / 8.0), min_size=1, max_size=30)
reals = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=200, deadline=None)
@given(
    y=eighths,
    a=st.floats(-12, 12).map(lambda e: 10.0**e),
    b=st.floats(-1000.0, 1000.0),
    first=st.integers(1, 12),
)
def test_scaling_ignores_scale_and_offset(y: list[float], a: float, b: float, first: int) -> None:
    values = np.array(y)
    assume(len(set(y)) > 1)
    moved = a * (values + b)
    z = Scaling.of(values, first).z(values)
    np.testing.assert_allclose(Scaling.of(moved, first).z(moved), z, atol=3e-9)


@settings(max_examples=200, deadline=None)
@given(y=st.lists(reals, min_size=1, max_size=20), more=st.lists(reals, min_size=1, max_size=20))
def test_scaling_is_monotone_bounded_and_finite(y: list[float], more: list[float]) -> None:
    for scaling in (Scaling.of(np.array(y), 8), Scaling.log_compressed(np.array(y), 8)):
        if scaling is None:
            continue
        assert (scaling.unit > 0.0) is (len(set(y)) > 1)
        z = scaling.z(np.sort(np.array([*y, *more])))
        assert (np.diff(z) >= 0.0).all()
        assert (np.abs(z) <= 40.0).all()
        assert math.isfinite(scaling.log_slopes(np.array(y)))
        for each in z:
            assert math.isfinite(scaling.y(float(each)))


@settings(max_examples=200, deadline=None)
@given(y=eighths, t=st.floats(-25.0, 25.0), e=st.integers(-200, 200))
def test_ordinary_values_come_back(y: list[float], t: float, e: int) -> None:
    scaling = Scaling.of(10.0**e * np.array(y), 8)
    v = scaling.centre + t * scaling.unit
    back = scaling.y(float(scaling.z(np.array([v]))[0]))
    assert abs(back - v) <= 1e-7 * scaling.unit + 1e-12 * abs(v)


def test_order_is_kept_for_ordinary_values() -> None:
    scaling = Scaling(5.0, 2.0)
    z = scaling.z(np.linspace(-60.0, 60.0, 1001))
    assert (np.diff(z) > 0.0).all()
    assert scaling.y(0.0) == 5.0


@pytest.mark.parametrize(
    "y",
    [
        [1e308, -1e308],
        [1.7e308] * 3,
        [1.7e308, 1.7e308, -1.7e308],
        [0.0, 1.0, 2.0, 1e308, -1e308],
        [5e-324, 0.0],
        [5e-324] * 4,
        [5e-324, 1e-323, 1.5e-323, 2e-323, 2.5e-323, 3e-323, 1e-310, 4e-323],
        [5e-324, 1e-310, 1.0, 2.0, 0.0],
        [1e-310, 2e-310, 3e-310, 5e-324, 1e308],
        [1e-300, 2e-300, 3e-300],
        [3.0],
        [3.0, 3.0, 3.0],
        [3.0, 4.0],
        [0.0, 0.0, 0.0, 0.0, 7.0],
        [0.0] * 9 + [7.0, -1e308],
    ],
)
def test_scaling_of_hard_values(y: list[float]) -> None:
    scaling = Scaling.of(np.array(y), 8)
    z = scaling.z(np.array(y))
    assert np.isfinite(z).all()
    assert np.abs(z).max() <= 40.0
    if len(set(y)) == 1:
        assert not z.any()
    elif len(set(y)) > 1 and max(map(abs, y)) < 1e-200:
        assert len(set(z.tolist())) == len(set(y))
    elif min(abs(p - q) / 2 for p in y for q in y if p != q) > 1e-299:
        assert z.max() - z.min() > 0.1  # what differs stays different


def test_few_different_values_keep_a_sensible_unit() -> None:
    scaling = Scaling.of(np.array([2.0] * 7 + [5.0]), 8)
    assert scaling.centre == 2.0
    assert scaling.z(np.array([5.0]))[0] == pytest.approx(1.0)


def test_a_value_that_recurs_counts_once() -> None:
    """Four of eight runs were ended at 200: the others are not far, there is a clock."""
    y = np.array([190.0, 87.0, 52.0, 200.0, 200.0, 200.0, 42.0, 200.0])
    assert np.abs(Scaling.of(y, 8).z(y)).max() < 4.0


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_outliers_among_the_first_values_do_not_set_the_scale(sign: float) -> None:
    y = np.random.default_rng(3).standard_normal(32)
    clean = Scaling.of(y, 8)
    y[[0, 2, 3, 6, 7]] = sign * np.array([40.0, 1e9, 15.0, 90.0, 60.0])
    scaling = Scaling.of(y, 8)
    assert scaling.unit < 2.0 * clean.unit
    assert abs(scaling.centre - clean.centre) < clean.unit


def test_regular_far_values_set_the_scale_as_measurements_gather() -> None:
    y = np.random.default_rng(4).standard_normal(100)
    y[8:] = 2.0 + 1e-3 * y[8:]
    y[8:32:2] = np.random.default_rng(5).standard_normal(12)
    assert Scaling.of(y, 8).unit > 0.5


@pytest.mark.parametrize("scale", [5e-324 * 2**20, 1e-310, 1e-270, 1e307, 5e307])
def test_very_large_and_very_small_values_are_values_like_others(scale: float) -> None:
    y = np.array([-1.0, 0.0, 0.5, 2.0, 3.0, -1.5, -2.5, -3.0])
    moved = scale * y
    np.testing.assert_allclose(Scaling.of(moved, 8).z(moved), Scaling.of(y, 8).z(y), atol=1e-5)


@pytest.mark.parametrize("scale", [2.0**-1050, 2.0**-950, 2.0**-850, 2.0**1000])
def test_a_log_compressed_scale_does_not_depend_on_the_size(scale: float) -> None:
    y = -np.exp2(np.arange(16.0))[np.random.default_rng(0).permutation(16)]
    scaling, moved = Scaling.log_compressed(y, 16), Scaling.log_compressed(scale * y, 16)
    assert scaling is not None
    assert moved is not None
    np.testing.assert_allclose(moved.z(scale * y), scaling.z(y), atol=1e-6)
    np.testing.assert_allclose(moved.y(-0.5), scale * scaling.y(-0.5), rtol=1e-6)
    grown = Scaling.of(np.append(scale * y, -1e308), 16, moved)  # another exponent
    np.testing.assert_allclose(grown.z(scale * y), moved.z(scale * y), atol=0.3)
