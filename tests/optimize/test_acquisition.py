"""Knowledge gradient and expected improvement against a literal transcription."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.surrogates import (
    THETAS,
    WEIGHTS,
    case,
    differences,
    duplicates,
    near_duplicates,
    queries,
    scale_of,
    spread_out,
)
from reference import surrogate as literal
from stoic.optimize.acquisition import Acquisition
from stoic.optimize.improvement import log_improvement, log_improvement_slopes, mean_slopes
from stoic.optimize.search import Search
from stoic.optimize.tactics import Tactics
from stoic.spaces import Space
from stoic.surrogate.evidence import JITTER

Array = NDArray[np.float64]


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
