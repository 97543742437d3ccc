"""The Kolmogorov–Smirnov tests of chowdhury2019's data sets."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from stoic.errors import InvalidInput
from stoic.lab.datasets import kolmogorov_smirnov, tail_table


def literal(values: list[float]) -> float:
    """The supremum of |F_n − Φ|, with Φ of the values' mean and deviation."""
    n = len(values)
    mean = sum(values) / n
    std = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    worst = 0.0
    for i, v in enumerate(sorted(values)):
        phi = 0.5 * (1.0 + math.erf((v - mean) / std / math.sqrt(2.0)))
        worst = max(worst, (i + 1) / n - phi, phi - i / n)
    return worst


@pytest.mark.parametrize("seed", range(4))
def test_the_statistic(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for values in (rng.standard_normal(80), rng.standard_t(2, 81), rng.random(7)):
        distance, p = kolmogorov_smirnov(1e3 + 5.0 * values)
        assert distance == pytest.approx(literal((1e3 + 5.0 * values).tolist()), abs=1e-9)
        assert 0.0 <= p <= 1.0


def test_it_tells_gaussian_from_heavy_values() -> None:
    rng = np.random.default_rng(1)
    assert kolmogorov_smirnov(rng.standard_normal(2000))[1] > 0.05
    assert kolmogorov_smirnov(rng.standard_t(2, 2000))[1] < 1e-6
    for constant in (np.ones(5), np.ones(1)):
        with pytest.raises(InvalidInput, match="different"):
            kolmogorov_smirnov(constant)


def test_the_papers_data(data_folder: Path) -> None:
    """The Gaussian is rejected, as printed; yet the tails of prices and test levels are light."""
    prices, returns, train, test = tail_table(data_folder, data_folder)
    assert [row.columns for row in (prices, returns, train, test)] == [29, 29, 41, 41]
    assert [row.rejected for row in (prices, returns, train, test)] == [29, 29, 41, 39]
    assert [row.heavy for row in (prices, returns, train, test)] == [4, 29, 27, 8]
    assert prices.kurtosis[1] == pytest.approx(-0.99, abs=0.01)
    assert returns.kurtosis == pytest.approx((2.4, 4.7, 18.5), abs=0.05)
    assert train.kurtosis[1] == pytest.approx(1.14, abs=0.01)
    assert test.kurtosis[1] == pytest.approx(-1.43, abs=0.01)
    assert prices.p == pytest.approx(0.022, abs=0.001)
