"""Where evaluations fail is learned: constraints are found, and random failures are not one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stoic
from helpers.soak import sized
from stoic.optimize.failing import CalibratedForest, KernelAverage
from stoic.optimize.failing.failures import Failures
from stoic.optimize.failing.features import Features, mostly_discrete
from stoic.optimize.failing.forest import Forest
from stoic.randomness import generator
from stoic.spaces import Float, Grid, Int, Space

KERNEL = Space(
    {
        "bx": Grid([16, 32, 48, 64, 96, 128, 192, 256]),
        "by": Grid([1, 2, 4, 8, 16]),
        "tile": Grid([1, 2, 3, 4, 6, 8]),
        "unroll": (1, 8),
        "shared": Grid([0, 1]),
        "pad": ["no", "yes"],
    }
)


def fits(p: Any) -> bool:
    """As real kernels: limits on threads and on shared memory, and a forbidden combination."""
    threads = p["bx"] * p["by"]
    small = not p["shared"] or threads * p["tile"] <= 1024
    return bool(32 <= threads <= 512 and small and (p["pad"] == "no" or p["bx"] % 32 != 0))


def outcomes(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = KERNEL.fill(rng.random((n, len(KERNEL))))
    return X, np.array([fits(KERNEL.decode(u)) for u in X])


def forest_of(X: Any, good: Any, space: Space = KERNEL) -> CalibratedForest:
    return CalibratedForest(X[~good], X[good], space)


def log_loss(chance: Any, good: Any) -> float:
    p = np.clip(chance, 1e-3, 1 - 1e-3)
    return float(-np.log(np.where(good, p, 1 - p)).mean())


# -- features ----------------------------------------------------------------------------------


def test_a_limit_on_a_product_is_a_threshold() -> None:
    X, _ = outcomes(300, 0)
    F = Features(KERNEL)(X)
    params: list[Any] = [KERNEL.decode(u) for u in X]
    product = np.array([p["bx"] * p["by"] for p in params])
    order = np.argsort(product, kind="stable")
    sums = F[order][:, KERNEL.dimension]  # of the first two columns
    assert (np.diff(sums)[np.diff(product[order]) > 0] > 0).all()
    assert np.allclose(np.diff(sums)[np.diff(product[order]) == 0], 0.0)


def test_a_pair_of_categories_is_a_threshold() -> None:
    space = Space({"p": list("abc"), "q": list("abcd"), "x": (0.0, 1.0)})
    X = space.sample(200, 0)
    both = np.array([p["p"] == "b" and p["q"] == "d" for p in map(space.decode, X)])
    F = Features(space)(X)
    assert any((F[both, k].min() > F[~both, k].max()) for k in range(F.shape[1]))


def test_wide_spaces_have_a_bounded_number_of_features() -> None:
    space = Space({f"x{i}": (0.0, 1.0) for i in range(40)})
    assert Features(space)(space.sample(3, 0)).shape == (3, 40 + 128)


@pytest.mark.parametrize(
    ("parameters", "discrete"),
    [
        ({"a": (1, 32), "b": Grid([1, 2, 4])}, True),
        ({"a": (1, 33), "b": (0.0, 1.0)}, False),
        ({"a": (1, 4), "b": (0.0, 1.0)}, False),
        ({"a": (1, 4), "b": (0.0, 1.0), "c": ["u", "v"]}, True),
        ({"a": (1, 4), "b": list("uvw"), "c": ["constant"]}, False),
    ],
)
def test_which_spaces_are_mostly_discrete(parameters: Any, discrete: bool) -> None:
    assert mostly_discrete(Space(parameters)) == discrete


def test_values_without_a_logarithm_keep_their_place() -> None:
    space = Space({"a": (0, 9), "b": Grid(["s", "m", "l"]), "c": Grid([3, 1, 2]), "d": (-1.0, 1.0)})
    X = space.sample(20, 0)
    assert (Features(space)(X)[:, : space.dimension] == X).all()
    down = Space({"a": Grid([8, 4, 2, 1]), "b": Float(1.0, 100.0), "c": Int(1, 9, "log")})
    F = Features(down)(down.sample(50, 0))
    assert ((F[:, :3] >= 0.0) & (F[:, :3] <= 1.0)).all()


# -- the forest --------------------------------------------------------------------------------


def literal(forest: Forest, tree: int, row: Any) -> tuple[int, float]:
    """The leaf of a row, followed node by node."""
    size = len(forest._feature) // 32
    place = 1
    while (feature := forest._feature[tree * size + place]) >= 0:
        place = 2 * place + int(row[feature] > forest._threshold[tree * size + place])
    return place, float(forest._chance[tree * size + place])


def test_leaves_hold_what_fell_into_them() -> None:
    """Against a literal walk: the chance of a leaf is the smoothed share of its own rows."""
    X, good = outcomes(50, 1)
    F = Features(KERNEL)(X)
    forest = Forest(F, ~good)
    everyone = forest._by_tree(F)
    tested = np.zeros(50)
    count = np.zeros(50)
    part = round(0.63 * 50)
    order = generator(0, 50, stream=32).random((32, 50)).argsort(axis=1)
    share = ((~good).sum() + 0.5) / 51.0
    for tree in range(32):
        walked = [literal(forest, tree, row) for row in F]
        assert np.array_equal([chance for _, chance in walked], everyone[tree])
        grown = order[tree, :part]
        for place in {walked[i][0] for i in grown}:
            own = [i for i in grown if walked[i][0] == place]
            failures = sum(not good[i] for i in own)
            expected = (failures + 0.5 * share) / (len(own) + 0.5)
            assert walked[own[0]][1] == pytest.approx(expected, rel=1e-12)
        for i in order[tree, part:]:
            tested[i] += walked[i][1]
            count[i] += 1
    assert np.allclose(forest.left_out, tested / count, rtol=1e-12)


def test_a_constraint_is_found() -> None:
    X, good = outcomes(60, 2)
    T, truth = outcomes(600, 3)
    chance = forest_of(X, good).chance_of_success(T)
    assert log_loss(chance, truth) < 0.75 * log_loss(np.full(600, good.mean()), truth)
    assert (chance[truth][:, None] > chance[~truth]).mean() > 0.88


def test_on_discrete_spaces_a_forest_predicts_better_than_the_average() -> None:
    losses = []
    for seed in range(6):
        X, good = outcomes(60, 10 + seed)
        T, truth = outcomes(400, 50 + seed)
        average = KernelAverage(X[~good], X[good], KERNEL.groups)
        models = (forest_of(X, good), average)
        losses.append([log_loss(m.chance_of_success(T), truth) for m in models])
    forest, average_loss = np.mean(losses, axis=0)
    assert forest < average_loss


def test_random_failures_are_no_region() -> None:
    confidences, spreads = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, _ = outcomes(120, seed)
        model = forest_of(X, rng.random(120) > 0.2)
        confidences.append(model.confidence)
        spreads.append(float(np.std(model.chance_of_success(outcomes(300, 9)[0]))))
    X, good = outcomes(120, 0)
    assert np.mean(confidences) < 0.5 < forest_of(X, good).confidence
    assert np.mean(spreads) < 0.1 < np.std(forest_of(X, good).chance_of_success(X))


@settings(max_examples=sized(60, 600), deadline=None)
@given(
    levels=st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=2, max_size=40),
    noise=st.integers(0, 2**32),
)
def test_any_outcomes_give_a_chance(levels: list[tuple[int, bool]], noise: int) -> None:
    """Few, equal, or contradictory points as well."""
    points = KERNEL.sample(8, noise)
    X, good = points[[k for k, _ in levels]], np.array([works for _, works in levels])
    good[:2] = True, False
    model = forest_of(X, good)
    chance = model.chance_of_success(points)
    assert np.isfinite(chance).all()
    assert ((chance > 0.0) & (chance < 1.0)).all()
    assert np.array_equal(forest_of(X, good).chance_of_success(points), chance)
    one_by_one = [float(model.chance_of_success(u[None])[0]) for u in points]
    assert np.allclose(one_by_one, chance, rtol=1e-12)


# -- in the optimiser --------------------------------------------------------------------------


def run(seed: int, budget: int = 50) -> stoic.Optimizer:
    optimizer = stoic.Optimizer(KERNEL, direction="minimize", seed=seed)
    rng = np.random.default_rng([seed, 1])
    for _ in range(budget):
        p = optimizer.ask()
        if fits(p):
            time = 4.0 / np.log2(p["bx"]) + 8.0 / p["by"] + abs(p["tile"] - 3) - p["shared"]
            optimizer.tell(p, float(time * rng.lognormal(0.0, 0.05)))
        else:
            optimizer.fail(p, "invalid")
    return optimizer


def test_few_evaluations_are_spent_on_invalid_configurations() -> None:
    """At most half of random search's share, those of the design included."""
    by_chance = 1.0 - outcomes(4000, 5)[1].mean()
    failed = np.array([[trial.failed for trial in run(seed).trials] for seed in range(8)])
    assert by_chance > 0.5
    assert failed.mean() < 0.5 * by_chance
    assert failed[:, 20:].mean() < 0.4 * by_chance  # good ones are beside invalid ones


def test_failures_are_a_function_of_the_history() -> None:
    X = KERNEL.sample(40, 3)
    for optimizer in (run(0, 30), run(1, 30)):
        first = Failures.of(optimizer.history).chance_of_success(X)
        again = stoic.Optimizer(KERNEL, direction="minimize", seed=7)
        again.tell_all([(t.params, t.value, t.reason) for t in optimizer.trials])
        assert np.array_equal(Failures.of(again.history).chance_of_success(X), first)


def test_many_failures_are_learned_among_real_numbers_too() -> None:
    space = Space({f"x{i}": (0.0, 1.0) for i in range(4)})
    optimizer = stoic.Optimizer(space, direction="maximize")
    rng = np.random.default_rng(0)
    for u in rng.random((60, 4)):
        inside = ((u - 0.5) ** 2).sum() < 0.25
        params = space.decode(u)
        optimizer.tell(params, 1.0) if inside else optimizer.fail(params, "outside")
    T = rng.random((500, 4))
    truth = ((T - 0.5) ** 2).sum(1) < 0.25
    chance = Failures.of(optimizer.history).chance_of_success(T)
    assert (chance[truth][:, None] > chance[~truth]).mean() > 0.8


def test_nothing_is_expected_to_fail_before_something_has() -> None:
    optimizer = stoic.Optimizer(KERNEL, direction="minimize")
    X = KERNEL.sample(5, 0)
    assert (Failures.of(optimizer.history).chance_of_success(X) == 1.0).all()
    optimizer.fail(KERNEL.decode(X[0]), "invalid")  # and no success yet
    chance = Failures.of(optimizer.history).chance_of_success(X)
    assert ((chance >= 0.0) & (chance < 1.0)).all()
    assert chance[0] == chance.min()
