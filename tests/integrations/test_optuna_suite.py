"""Optuna's own tests of samplers, with Stoic's sampler.

Left out is `MultiObjectiveSamplerTestCase` alone: its only test,
``test_multi_objective_sample_independent``, samples for a study of two objectives, which
`StoicSampler` refuses. `SingleOnlySamplerTestCase` tests that refusal.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("optuna")

import optuna
from optuna.samplers import BaseSampler
from optuna.testing import pytest_samplers as suites

from stoic.integrations.optuna import StoicSampler

LEFT_OUT = {"MultiObjectiveSamplerTestCase"}

optuna.logging.set_verbosity(optuna.logging.ERROR)


class TestStoicSampler(
    suites.BasicSamplerTestCase,
    suites.RelativeSamplerTestCase,
    suites.SingleOnlySamplerTestCase,
):
    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return StoicSampler


def test_all_other_suites_are_run() -> None:
    there = {name for name in vars(suites) if name.endswith("TestCase") and name[0] != "_"}
    assert there - {base.__name__ for base in TestStoicSampler.__mro__} == LEFT_OUT
