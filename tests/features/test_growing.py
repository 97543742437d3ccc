"""Dictionaries that grow point by point, against ones that are decomposed at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stoic
from stoic.features import GrowingMap, NystromMap, SpannedGrowingMap, SpanningMap
from stoic.kernels import Kernel, Matern, SquaredExponential
from stoic.policies import by_name
from stoic.posterior import FeaturePosterior

PLANE = np.random.default_rng(0).random((60, 2))
PLANE[30:40] = PLANE[:10] + 1e-5  # near-duplicates
PLANE[40:45] = PLANE[:5]  # and duplicates
KERNELS = [Matern(2.5, 0.3), SquaredExponential(0.4), SquaredExponential(2.0)]


def empty(kernel: Kernel) -> GrowingMap:
    return GrowingMap(kernel, PLANE, np.zeros(0, dtype=np.int64))


@given(
    kernel=st.sampled_from(KERNELS),
    lam=st.sampled_from([1.0, 0.1]),
    seed=st.integers(0, 500),
)
@settings(max_examples=40, deadline=None)
def test_a_growing_posterior_is_the_one_of_its_dictionary(
    kernel: Kernel, lam: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    posterior = FeaturePosterior(kernel, PLANE, lam, empty(kernel))
    inside: set[int] = set()
    sums = np.zeros(len(PLANE))
    for _ in range(60):
        arm = int(rng.integers(60))
        posterior.observe(arm)
        sums[arm] += rng.standard_normal()
        if rng.random() < 0.3:
            inside.add(arm)
        if rng.random() < 0.05 and inside:
            inside.remove(min(inside))
        map = posterior.map
        assert isinstance(map, GrowingMap)
        posterior.rebase(map.onto(PLANE, np.array(sorted(inside), dtype=np.int64)))
    assert posterior.size == len(inside)
    fresh = FeaturePosterior(
        kernel, PLANE, lam, NystromMap(kernel, PLANE, np.array(sorted(inside), dtype=int))
    )
    for arm, times in enumerate(posterior.counts.tolist()):
        if times:
            fresh.observe(arm, times)
    if isinstance(kernel, Matern):  # smoother kernels leave it open which columns are negligible
        assert posterior.var == pytest.approx(fresh.var, abs=1e-6)
        assert posterior.smooth(sums) == pytest.approx(fresh.smooth(sums), abs=1e-6)
    before = posterior.var.copy(), posterior.smooth(sums), posterior.logdet
    posterior.refresh()
    assert before[0] == pytest.approx(posterior.var, abs=1e-9)
    assert before[1] == pytest.approx(posterior.smooth(sums), abs=1e-8)
    assert before[2] == pytest.approx(posterior.logdet, abs=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_columns_one_by_one_are_those_made_together(kernel: Kernel) -> None:
    order = np.random.default_rng(3).permutation(60)[:20]
    together = GrowingMap(kernel, PLANE, order)
    single = GrowingMap(kernel, PLANE, order, base=0)
    assert len(together.kept) == len(single.kept)
    assert together.psi @ together.psi.T == pytest.approx(single.psi @ single.psi.T, abs=1e-6)
    X = np.random.default_rng(4).random((7, 2))
    assert together(X) @ together(X).T == pytest.approx(single(X) @ single(X).T, abs=1e-6)
    # near-duplicates have a δ² of about 1e-10, so their features have half of the digits
    assert together(PLANE) == pytest.approx(together.psi, abs=1e-5)


def test_a_span_gives_the_same_features() -> None:
    kernel, order = SquaredExponential(2.0), np.arange(0, 24, 3)
    span = SpanningMap.of(kernel, PLANE, 60)
    assert span is not None
    known = SpannedGrowingMap(kernel, PLANE, order, span=span)
    plain = GrowingMap(kernel, PLANE, order)
    assert known.psi @ known.psi.T == pytest.approx(plain.psi @ plain.psi.T, abs=1e-9)


@pytest.mark.parametrize("name", ["bkb", "bbkb", "ata-gp-ucb"])
@pytest.mark.parametrize("domain", [stoic.Box([0, 0], [1, 1]), stoic.Arms(PLANE)])
@pytest.mark.parametrize("kernel", KERNELS[:2])
def test_a_sketch_goes_on_bit_by_bit(
    name: str, domain: stoic.Box | stoic.Arms, kernel: Kernel
) -> None:
    policy: Any = by_name(name)(domain, kernel)
    rng = np.random.default_rng(1)
    for t in range(60):
        choice = policy.ask()
        x = choice if isinstance(domain, stoic.Box) else PLANE[choice]
        policy.tell(choice, float(np.sin(5 * x).sum() + 0.2 * rng.standard_normal()))
        if t % 5 == 0:
            twin: Any = by_name(name).from_state(policy.state())
            assert np.array_equal(twin.posterior.features.psi, policy.posterior.features.psi)
            assert np.array_equal(twin.std, policy.std)
            assert np.array_equal(twin.ask(), policy.ask())
