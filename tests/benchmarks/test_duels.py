"""A small version of the simulated duels: wrong winners are rare, and decisions come early."""

from __future__ import annotations

import numpy as np
import pytest

from core.duels import NOISES, margin_rates, null_rate, row


@pytest.mark.parametrize("noise", NOISES)
def test_wrong_winners_are_rare(noise: str) -> None:
    rng = np.random.default_rng(11)
    assert null_rate(noise, rng, 400, 200) <= 0.075  # 5 % and 2.3 standard errors
    wrong, equal, _ = margin_rates(noise, rng, 200)
    assert wrong <= 0.085
    assert equal >= 0.9


def test_decisions_come_early() -> None:
    rng = np.random.default_rng(12)
    clean = row("Gaussian", 0.5, rng, 400)
    spoilt = row("10 % outliers", 0.5, rng, 400)
    for found in (clean, spoilt):
        assert found.wrong <= 0.03
        assert found.median <= 1.5 * found.wilcoxon
    assert spoilt.median <= 2.0 * clean.median
