"""Sobol points: the very ones of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from stoic.spaces.sobol import sobol


@pytest.mark.parametrize("dimension", [1, 2, 3, 7, 40, 300])
@pytest.mark.parametrize(("n", "skip"), [(1, 0), (2, 0), (64, 0), (5, 1), (33, 700)])
def test_the_same_points_as_scipy(dimension: int, n: int, skip: int) -> None:
    for seed in (0, 2**62):
        engine = qmc.Sobol(dimension, scramble=True, rng=np.random.default_rng(seed))
        expected = (engine.fast_forward(skip) if skip else engine).random(n)
        np.testing.assert_array_equal(sobol(dimension, n, seed, skip), expected)


def test_none() -> None:
    assert sobol(3, 0, seed=1).shape == (0, 3)
