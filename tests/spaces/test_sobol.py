"""Sobol points: those of SciPy, whatever part of the sequence is drawn."""

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


def test_points_stay_as_they_were() -> None:
    """Studies draw them again when they are opened, perhaps with another SciPy."""
    first = [
        [0.6504268515855074, 0.9173101615160704, 0.10045647248625755],
        [0.1471061259508133, 0.25034659542143345, 0.6244625495746732],
    ]
    later = [[0.08010983373969793, 0.8093880908563733], [0.6956779547035694, 0.3301373394206166]]
    np.testing.assert_array_equal(sobol(3, 2, seed=7), first)
    np.testing.assert_array_equal(sobol(2, 2, seed=5, skip=100), later)
