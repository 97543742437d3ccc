"""Sketches against literal ones on the same dictionary, where it is a part of what was played."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stoic
from helpers.worlds import WORLDS, Array, World
from reference import ALL, Constants
from reference.sketch import literal_sketch, squared_exponential
from stoic import state as states
from stoic.features import GrowingMap, NystromMap, SpannedGrowingMap, SpanningMap
from stoic.kernels import Kernel, Matern, SquaredExponential
from stoic.policies import BBKB, by_name, from_state
from stoic.posterior import FeaturePosterior
from stoic.posterior.features import Map

LINE = np.linspace(0.0, 1.0, 40)[:, None]
SMOOTH = SquaredExponential(0.2)
EXACT = squared_exponential(LINE, 0.2)
SPREAD = np.random.default_rng(4).permutation(40)[
    :16
]  # a dictionary that double precision can tell apart
COUNTS = np.random.default_rng(6).integers(0, 600, 40)  # 10⁴ plays and more
SUMS = COUNTS * np.sin(7.0 * LINE[:, 0]) + 20.0 * np.random.default_rng(7).standard_normal(40)
NOTHING = np.zeros(0, dtype=np.int64)


def span() -> SpanningMap:
    found = SpanningMap.of(SMOOTH, LINE, 40)
    assert found is not None
    return found


def coordinates() -> Array:
    return span().features(LINE).psi


EMPTY: dict[str, Any] = {
    "nystrom": lambda entries: NystromMap(SMOOTH, LINE, entries),
    "nystrom through a span": lambda entries: NystromMap(SMOOTH, LINE, entries, span=coordinates()),
    "nystrom growing through a span": lambda entries: NystromMap(
        SMOOTH, LINE, entries, span=coordinates(), grows=True
    ),
    "growing": lambda entries: GrowingMap(SMOOTH, LINE, entries),
    "growing in a span": lambda entries: SpannedGrowingMap(SMOOTH, LINE, entries, span=span()),
}
ORDERS = {"as drawn": SPREAD, "sorted": np.sort(SPREAD), "all": np.arange(40)[::-1]}


@cache
def literal(order: str, lam: float) -> tuple[Array, Array]:
    return literal_sketch(EXACT, ORDERS[order].tolist(), COUNTS.tolist(), SUMS, lam)


def posterior_on(map: Map, kernel: Kernel, points: Array, counts: Any, lam: float) -> Any:
    posterior = FeaturePosterior(kernel, points, lam, map)
    for arm, times in enumerate(counts.tolist()):
        if times:
            posterior.observe(arm, times)
    return posterior


@pytest.mark.parametrize("lam", [1.0, 0.1])
@pytest.mark.parametrize("order", list(ORDERS))
@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("kind", list(EMPTY))
def test_features_are_those_of_the_literal_sketch(
    kind: str, one_by_one: bool, order: str, lam: float
) -> None:
    entries = ORDERS[order]
    assert COUNTS.sum() > 10_000
    map: Any = EMPTY[kind](NOTHING if one_by_one else entries)
    for n in range(1, len(entries) + 1) if one_by_one else ():
        map = map.onto(LINE, entries[:n])
    posterior = posterior_on(map, SMOOTH, LINE, COUNTS, lam)
    mean, std = literal(order, lam)
    assert posterior.std == pytest.approx(std, abs=2e-7)
    assert posterior.smooth(SUMS) == pytest.approx(mean, abs=2e-7)
    there = posterior.predict(LINE[::3], SUMS)
    assert there[0] == pytest.approx(mean[::3], abs=2e-7)
    assert there[1] == pytest.approx(std[::3], abs=2e-7)


@given(
    kernel=st.sampled_from([SquaredExponential(0.2), SquaredExponential(1.0), Matern(2.5, 0.3)]),
    gap=st.sampled_from([0.0, 1e-9, 1e-8, 1e-7, 1e-5]),
    seed=st.integers(0, 10**6),
    size=st.integers(1, 40),
    clustered=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_features_at_the_edge_of_rounding_stay_below_the_prior(
    kernel: Kernel, gap: float, seed: int, size: int, clustered: bool
) -> None:
    rng = np.random.default_rng(seed)
    points = rng.random((30, 2)) * [1.0, 0.0 if clustered else 1.0]
    points = np.vstack([points, points[:10] + gap])
    entries = np.argsort(points[:, 0])[:size] if clustered else rng.permutation(40)[:size]
    spanning = SpanningMap.of(kernel, points, 40)
    maps: list[Any] = [NystromMap(kernel, points, entries), GrowingMap(kernel, points, entries)]
    maps.append(GrowingMap(kernel, points, entries, base=0))
    if spanning is not None:
        S = spanning.features(points).psi
        maps.append(NystromMap(kernel, points, entries, span=S, grows=True))
        maps.append(SpannedGrowingMap(kernel, points, entries, span=spanning))
    for map in maps:
        features = map.features(points)
        P = features.basis
        assert pytest.approx(np.eye(features.rank), abs=1e-9) == P.T @ P
        assert np.isfinite(features.psi).all()
        assert (np.einsum("ij,ij->i", features.psi, features.psi) <= 1.15).all()
        posterior = posterior_on(map, kernel, points, rng.integers(0, 9, 40), 0.5)
        assert np.isfinite(posterior.std).all()
        assert (posterior.std >= 0.0).all()
        assert (posterior.std <= 1.0 + 1e-7).all()


# -- policies, whose dictionary is drawn with probabilities below one -----------------------------

CONSTANTS = Constants(norm_bound=1.5, moment_order=0.7, raw_moment=2.5, noise_std=0.8, delta=0.1)
POLICIES = {"bkb": "bkb", "bbkb": "bbkb", "ata-gp-ucb": "atagpucb"}


def line(arms: int = 24) -> World:
    """Even points of [0, 1]; SE, l = 0.2."""
    X = np.linspace(0.0, 1.0, arms)[:, None]
    K = np.exp(-((X - X.T) ** 2) / (2 * 0.2**2))
    return World("line", stoic.Arms(X), SMOOTH, K, np.sin(7.0 * X[:, 0]))


def pair(name: str, world: World, horizon: int, **own: Any) -> tuple[Any, Any]:
    """A policy, and the reference that takes over the policy's dictionary."""
    policy = by_name(name)(
        world.domain,
        world.kernel,
        horizon=horizon,
        assumptions=stoic.Assumptions(**CONSTANTS.__dict__),
        seed=2,
        **own,
    )
    theirs = {key: value for key, value in own.items() if key != "schedule"}
    if name == "ata-gp-ucb":
        theirs |= {"features": "nystrom"}
    literal: Any = ALL[POLICIES[name]]
    reference = literal(
        world.K,
        include=lambda p: np.zeros(len(p), dtype=bool),
        lam=1.0,
        horizon=horizon,
        schedule=own["schedule"],
        constants=CONSTANTS,
        **theirs,
    )
    return policy, reference


def hand_over(policy: Any, reference: Any) -> None:
    """Let the reference have the dictionary of the policy, and its batch."""
    reference.dictionary = sorted(policy.posterior.map.dictionary.tolist())
    if isinstance(policy, BBKB):
        reference.start = policy.belief.start.t


def furthest(ours: Any, theirs: Any) -> float:
    """The largest difference, relative where values exceed one."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


@pytest.mark.parametrize("schedule", ["theory", "paper"])
@pytest.mark.parametrize("where", ["matern", "matrix", "line"])
@pytest.mark.parametrize("name", list(POLICIES))
def test_lockstep_on_drawn_dictionaries(name: str, where: str, schedule: str) -> None:
    world = line() if where == "line" else WORLDS[where]()
    policy, reference = pair(name, world, 200, schedule=schedule, q=3.0)
    noise = np.random.default_rng(3).standard_t(3, 200)
    parts = 0  # rounds in which the dictionary lacks arms that were played
    for t in range(200):
        arm = policy.ask()
        index = reference.index
        assert index[arm] >= index.max() - 1e-6 or t == 0
        policy.tell(arm, float(world.f[arm] + noise[t]))
        reference.plays.append(arm)
        reference.payoffs.append(float(world.f[arm] + noise[t]))
        hand_over(policy, reference)
        parts += len(reference.dictionary) < len(set(reference.plays))
        assert furthest(policy.mean, reference.mean) < 1e-7, t
        assert furthest(policy.std, reference.std) < 1e-7, t
        assert furthest(policy.width, reference.width) < 1e-7, t
    assert parts > 50


@pytest.mark.parametrize(("name", "q"), [("bkb", 1.0), ("bbkb", 1.0), ("ata-gp-ucb", 30.0)])
def test_after_many_rounds_a_sketch_is_still_the_literal_one(name: str, q: float) -> None:
    world, rounds = line(12), 10_000
    policy, reference = pair(name, world, rounds, schedule="paper", q=q)
    noise = np.random.default_rng(4).standard_t(3, rounds)
    played: set[int] = set()
    parts = 0  # rounds in which the dictionary lacks arms that were played
    for t in range(rounds):
        arm = policy.ask()
        payoff = float(world.f[arm] + noise[t])
        policy.tell(arm, payoff)
        reference.plays.append(arm)
        reference.payoffs.append(payoff)
        played.add(arm)
        parts += policy.posterior.size < len(played)
        if t % 2000 == 1999:
            hand_over(policy, reference)
            assert furthest(policy.mean, reference.mean) < 1e-6
            assert furthest(policy.std, reference.std) < 1e-6
            assert furthest(policy.width, reference.width) < 1e-6
    assert parts > 1000


@pytest.mark.parametrize("arms", [24, 100])  # of 100, the kernel has a span
@pytest.mark.parametrize("name", list(POLICIES))
def test_lasting_dictionaries_give_the_literal_sketch(name: str, arms: int) -> None:
    X = np.linspace(0.0, 1.0, arms)[:, None]
    policy: Any = by_name(name)(stoic.Arms(X), SMOOTH, seed=1)
    noise = np.random.default_rng(8).standard_t(3, 2000)
    for t in range(2000):
        arm = policy.ask()
        policy.tell(arm, float(np.sin(7.0 * X[arm, 0]) + noise[t]))
    entries, counts = policy.posterior.map.dictionary.tolist(), policy.posterior.counts
    sums = counts * np.cos(5.0 * X[:, 0])
    mean, std = literal_sketch(squared_exponential(X, 0.2), entries, counts.tolist(), sums, 1.0)
    assert policy.std == pytest.approx(std, abs=1e-6)
    assert policy.posterior.smooth(sums) == pytest.approx(mean, abs=1e-6)


def test_the_largest_variance_is_that_of_the_literal_sketch() -> None:
    world = line(100)
    policy, reference = pair("ata-gp-ucb", world, 2000, schedule="paper", q=100.0)
    noise, ratios = np.random.default_rng(9).standard_t(3, 2000), []
    for t in range(2000):
        arm = policy.ask()
        policy.tell(arm, float(world.f[arm] + noise[t]))
        reference.plays.append(arm)
        if t % 25 == 24:
            hand_over(policy, reference)
            ratios.append(float(policy.std.max() / reference.std.max()) ** 2)
    assert min(ratios) > 0.99
    assert max(ratios) < 1.01


# -- states of a release that cut eigenvalues at 1e-8 of the largest ------------------------------


@pytest.mark.parametrize("file", sorted((Path(__file__).parents[1] / "states").glob("*.json")))
def test_states_with_fewer_directions_go_on(file: Path) -> None:
    state = states.load(file)
    policy: Any = from_state(state)
    posterior = policy.posterior
    assert posterior.features.rank > math.isqrt(np.size(state["memory/posterior/inverse"]))
    counts, there = posterior.counts, policy.mean.copy()
    fresh = posterior_on(posterior.map, policy.kernel, posterior.points, counts, policy.lam)
    assert policy.std == pytest.approx(fresh.std, abs=1e-9)
    assert policy.predict(posterior.points)[0] == pytest.approx(there, abs=1e-6)
    again = from_state(policy.state())
    for p in (policy, again):
        for _ in range(20):
            p.tell(p.ask(), 1.0)
    assert np.array_equal(policy.std, again.std)
    assert np.array_equal(policy.mean, again.mean)


@pytest.mark.parametrize("kernel", [SMOOTH, SquaredExponential(1.0), Matern(1.5, 0.1)])
def test_a_growing_dictionary_is_restored_bit_by_bit(kernel: Kernel) -> None:
    map = GrowingMap(kernel, LINE, NOTHING)
    for n, entry in enumerate(np.arange(25)):
        map = map.onto(LINE, np.append(map.dictionary, entry))
        twin = map.restored(LINE, map.dictionary, map.base)
        assert np.array_equal(twin.dictionary, map.dictionary), n
        assert np.array_equal(twin.psi, map.psi), n
