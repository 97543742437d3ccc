"""Replicates inform the noise prior: exactly equal ones, many that agree, and never a few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stoic.surrogate import fit
from stoic.surrogate.covariance import ROUGH, SMOOTH, Covariance
from stoic.surrogate.fitting import Start
from stoic.surrogate.hyper import Prior
from stoic.surrogate.replicates import informed, replicate_errors

Array = NDArray[np.float64]
PRIOR = Prior()


def measured(counts: list[int], noise: float, seed: int = 0) -> tuple[Array, Array]:
    """Points measured so many times each, and values with noise."""
    rng = np.random.default_rng(seed)
    points = rng.random((len(counts), 2))
    X = np.repeat(points, counts, axis=0)
    f = np.repeat(rng.standard_normal(len(counts)), counts)
    return X, f + noise * rng.standard_normal(len(X))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.integers(0, 99))
def test_errors_are_differences_of_replicates(counts: list[int], seed: int) -> None:
    X, z = measured(counts, 0.3, seed)
    order = np.random.default_rng(seed).permutation(len(z))
    errors = replicate_errors(X[order], z[order])
    assert len(errors) == sum(count - 1 for count in counts)
    points = [z[order][(X[order] == x).all(1)] for x in dict.fromkeys(map(tuple, X[order]))]
    expected = np.concatenate([np.diff(own) for own in points]) / np.sqrt(2.0)
    np.testing.assert_allclose(errors, expected, atol=1e-12)


def test_without_replicates_the_prior_stays() -> None:
    assert informed(PRIOR, *measured([1] * 9, 0.1)) is PRIOR


def test_few_replicates_that_differ_say_nothing() -> None:
    assert informed(PRIOR, *measured([1, 2, 2, 1, 2], 1e-3)) is PRIOR


def test_one_pair_of_equal_values_shows_a_deterministic_system() -> None:
    told = informed(PRIOR, *measured([1, 1, 2, 1, 1, 1], 0.0))
    assert told.noise < PRIOR.noise - 5.0
    assert told.micro > PRIOR.micro


def test_equal_values_of_a_coarse_scale_show_nothing() -> None:
    X, z = measured([1, 1, 2, 1, 1, 1], 0.0)
    assert informed(PRIOR, X, np.sign(z)) is PRIOR


def test_one_outlier_among_equal_replicates_changes_nothing() -> None:
    X, z = measured([2, 2, 2, 1, 1], 0.0)
    z[0] = 40.0
    assert informed(PRIOR, X, z).noise < PRIOR.noise - 5.0


@pytest.mark.parametrize("noise", [1e-3, 0.03, 0.5])
def test_many_replicates_show_the_noise(noise: float) -> None:
    told = informed(PRIOR, *measured([3] * 20, noise))
    assert told.noise == pytest.approx(2.0 * np.log(noise), abs=1.5)
    assert told.noise_spread == PRIOR.noise_spread


@pytest.mark.parametrize("form", [SMOOTH, ROUGH], ids=["smooth", "rough"])
def test_a_rugged_function_without_noise_is_interpolated(form: Covariance) -> None:
    rng = np.random.default_rng(3)
    X = rng.random((30, 2))
    z = np.sin(3.0 * X[:, 0]) + 0.5 * rng.standard_normal(30)  # the second part is of the point
    X, z = np.vstack([X, X[:2]]), np.append(z, z[:2])
    gp = fit(X, z, np.array([0, 1]), start=Start(clip=8.0, covariance=form)).gp
    near = np.abs(gp.mean(X) - z) < 0.1
    assert near.mean() > 0.9
    assert gp.hyper.noise < 1e-4
