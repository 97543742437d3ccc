"""Finals of an optimiser: who takes part, in which order, and what the verdict is about."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from stoic.errors import InvalidInput, InvalidParams
from stoic.optimize import Optimizer
from stoic.optimize.finals.size import finals_size
from stoic.optimize.finals.verdict import compared

SPACE: dict[str, Any] = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
FAR, NEAR = {"x": 0.9, "y": 0.1}, {"x": 0.3, "y": 0.6}


def bowl(params: Any) -> float:
    return float(20.0 + 20.0 * ((params["x"] - 0.3) ** 2 + (params["y"] - 0.6) ** 2))


def searched(n: int = 24, *, baseline: Any = FAR, noise: float = 0.5, seed: int = 0) -> Optimizer:
    """An optimiser after a search."""
    optimizer = Optimizer(SPACE, direction="minimize", seed=seed, baseline=baseline)
    go_on(optimizer, n, noise)
    return optimizer


def go_on(optimizer: Optimizer, n: int, noise: float = 0.5) -> list[dict[str, Any]]:
    asked = []
    for _ in range(n):
        params = optimizer.ask()
        asked.append(params)
        rng = np.random.default_rng((len(optimizer.trials), optimizer.seed))
        optimizer.tell(params, bowl(params) + noise * rng.standard_normal())
    return asked


# -- the baseline ---------------------------------------------------------------------------------


def test_the_baseline_is_first_and_measured_again_now_and_then() -> None:
    optimizer = Optimizer(SPACE, direction="minimize", baseline=FAR)
    asked = go_on(optimizer, 40)
    assert [i for i, params in enumerate(asked) if params == FAR] == [0, 16, 32]
    assert optimizer.baseline == FAR
    assert Optimizer(SPACE, direction="minimize").baseline is None


def test_the_baseline_is_asked_once_while_it_is_pending() -> None:
    optimizer = Optimizer(SPACE, direction="minimize", baseline=FAR)
    assert [params == FAR for params in optimizer.ask(4)] == [True, False, False, False]


def test_a_baseline_outside_of_the_space_is_refused() -> None:
    for wrong in ({"x": 2.0, "y": 0.1}, {"x": 0.5}, {"x": 0.5, "y": 0.1, "z": 1}):
        with pytest.raises(InvalidParams):
            Optimizer(SPACE, direction="minimize", baseline=wrong)


def test_how_many_measurements_show_the_gain() -> None:
    assert searched(baseline=FAR).measurements_needed(4, 12) == 4  # 24 spreads of the noise apart
    needed = [searched(baseline=FAR, noise=noise).measurements_needed(4, 12) for noise in (5, 8)]
    assert 4 < needed[0] < needed[1] <= 12
    assert searched(baseline=NEAR).measurements_needed(4, 12) == 6  # there is nothing to show
    assert searched(baseline=None).measurements_needed(4, 12) == 12
    empty = Optimizer(SPACE, direction="minimize", baseline=FAR)
    assert empty.measurements_needed(4, 12) == 12


def spoilt(target: str, size: float) -> Optimizer:
    """A search after which some measurements are outliers of some size, or none are."""
    optimizer = Optimizer(SPACE, direction="minimize", baseline=FAR, target=target)
    go_on(optimizer, 40, noise=0.2)
    for i in range(16):
        params = {"x": i / 15, "y": 0.4}
        optimizer.tell(params, bowl(params) + size * (-1) ** (i // 2) * (i % 2))
    return optimizer


def test_outliers_need_more_measurements_unless_they_are_left_out() -> None:
    assert spoilt("median", 0.0).measurements_needed(4, 12) == 4
    assert spoilt("median", 500.0).measurements_needed(4, 12) > 4
    assert spoilt("mean", 0.0).measurements_needed(4, 12) == 4
    rounds = math.ceil(4 / (1.0 - len(spoilt("mean", 500.0).suspects()) / 56) ** 2)
    assert spoilt("mean", 500.0).measurements_needed(4, 12) == rounds  # those without a suspect


# -- the race -------------------------------------------------------------------------------------


def test_blocks_measure_both_equally_often_in_an_order_that_varies() -> None:
    optimizer = searched()
    finals = optimizer.start_finals(40)
    assert finals.contenders[-1] == FAR
    assert finals.has_baseline
    only = optimizer.start_finals(40, finals.contenders[:1])
    assert len(only.contenders) == 2
    asked = [params == FAR for params in go_on(optimizer, 40)]
    blocks = [asked[i : i + 8] for i in range(0, 40, 8)]
    assert all(sum(block) == 4 for block in blocks)
    assert len({tuple(block) for block in blocks}) == 5
    assert len(asked) > 40 or go_on(optimizer, 1)  # beyond the plan, the race goes on


def test_all_orders_of_a_block_are_equally_likely() -> None:
    counts: Counter[tuple[bool, ...]] = Counter()
    for seed in range(600):
        optimizer = Optimizer(SPACE, direction="minimize", baseline=FAR, seed=seed)
        optimizer.start_finals(4, [NEAR])
        counts[tuple(params == FAR for params in optimizer.ask(4))] += 1
    assert len(counts) == 6
    assert all(70 <= count <= 130 for count in counts.values())  # 100, and three spreads of it


def test_rounds_before_the_choice_measure_each_challenger_once() -> None:
    optimizer = searched(30, noise=3.0)
    others = [NEAR, {"x": 0.32, "y": 0.6}, {"x": 0.3, "y": 0.58}]
    optimizer.start_finals(48, others)
    asked = go_on(optimizer, 4, noise=3.0)
    assert {str(params) for params in asked} == {str(params) for params in [*others, FAR]}


def test_what_is_pending_at_the_start_is_no_part_of_the_blocks() -> None:
    """Three of eleven evaluations are of the search: the blocks are those of the other eight."""
    for seed in range(6):
        optimizer = searched(seed=seed)
        pending = optimizer.ask(3)
        optimizer.start_finals(11, [NEAR])
        asked = []
        for i in range(8):
            asked.append(optimizer.ask(pending=pending))
            optimizer.tell(asked[-1], bowl(asked[-1]))
            if i in (0, 3, 4):
                params = pending.pop()
                optimizer.tell(params, bowl(params))
        assert sum(params == FAR for params in asked) == 4
        verdict = optimizer.verdict()
        assert verdict is not None
        assert verdict.measurements == 4
        assert verdict.word == "better"  # of 4 in one block


def test_of_an_incomplete_block_only_the_balanced_part_counts() -> None:
    """Which measurement came last must not depend on the contender that is left out."""
    for seed in range(12):
        optimizer = searched(seed=seed)
        optimizer.start_finals(8, [NEAR])
        asked = [params == FAR for params in go_on(optimizer, 5)]
        expected = max(n for n in range(3) if sum(asked[: 2 * n]) == n)
        verdict = optimizer.verdict()
        assert verdict is not None
        assert verdict.measurements == expected


def test_asking_changes_nothing_in_finals() -> None:
    optimizer = searched()
    optimizer.start_finals(12)
    go_on(optimizer, 3)
    first = optimizer.ask()
    optimizer.ask(5)
    optimizer.verdict()
    optimizer.recommend()
    optimizer.contenders(20)
    assert optimizer.ask() == first


def test_pending_contenders_are_counted() -> None:
    optimizer = searched()
    finals = optimizer.start_finals(12)
    counts = Counter(str(params) for params in optimizer.ask(6))
    assert set(counts) == {str(params) for params in finals.contenders}
    assert set(counts.values()) == {3}
    batch = optimizer.ask(3)
    assert optimizer.ask(pending=batch[:2]) == batch[2]


def test_bad_challengers_are_dropped_and_one_is_left() -> None:
    optimizer = searched(30)
    others = [NEAR, {"x": 0.5, "y": 0.3}, {"x": 0.0, "y": 1.0}]
    optimizer.start_finals(24, others)
    asked = go_on(optimizer, 24)
    counts = Counter(str(params) for params in asked)
    assert counts[str(NEAR)] == counts[str(FAR)] or abs(counts[str(NEAR)] - counts[str(FAR)]) == 1
    assert counts[str(others[2])] < 4
    assert counts[str(NEAR)] > counts[str(others[1])]
    verdict = optimizer.verdict()
    assert verdict is not None
    assert verdict.params == NEAR
    assert 5 <= verdict.measurements < counts[str(NEAR)]  # without the blocks that chose it
    assert optimizer.recommend().params == NEAR


def test_before_the_choice_there_is_no_verdict() -> None:
    optimizer = searched(30, noise=5.0)
    optimizer.start_finals(60, [NEAR, {"x": 0.31, "y": 0.6}])
    go_on(optimizer, 2, noise=5.0)
    verdict = optimizer.verdict()
    assert verdict is not None
    assert verdict.measurements == 0
    assert verdict.word == "not shown to be better"
    assert "not measured together" in str(verdict)


def test_the_same_history_gives_the_same_finals() -> None:
    first = searched(30)
    first.start_finals(20)
    asked = go_on(first, 20)
    second = searched(30)
    assert second.start_finals(20) == first.finals
    assert go_on(second, 20) == asked
    assert str(first.verdict()) == str(second.verdict())


def test_a_contender_is_named_once() -> None:
    optimizer = searched(baseline=NEAR)
    finals = optimizer.start_finals(6, [FAR, NEAR, dict(FAR)])
    assert finals.contenders == (FAR, NEAR)


def test_finals_end_and_the_search_goes_on() -> None:
    optimizer = searched()
    optimizer.start_finals(6)
    go_on(optimizer, 6)
    optimizer.end_finals()
    assert optimizer.finals is None
    assert optimizer.verdict() is None
    asked = go_on(optimizer, 4)
    assert len({str(params) for params in asked}) > 2


def test_named_contenders_are_checked() -> None:
    optimizer = searched(baseline=None)
    for wrong in ([], [NEAR], [{"x": 3.0, "y": 0.0}, NEAR]):
        with pytest.raises((InvalidInput, InvalidParams)):
            optimizer.start_finals(6, wrong)
    assert optimizer.finals is None
    with pytest.raises(InvalidInput, match="at least two contenders"):
        Optimizer(SPACE, direction="minimize").start_finals(6)


# -- the verdict ----------------------------------------------------------------------------------


def finals_of(optimizer: Optimizer, n: int, noise: float = 0.5) -> Any:
    optimizer.start_finals(n)
    go_on(optimizer, n, noise)
    return optimizer.verdict()


def test_a_gain_is_shown() -> None:
    optimizer = searched()
    verdict = finals_of(optimizer, 8)
    assert verdict.word == "better"
    assert verdict.better
    true = bowl(verdict.params) - bowl(FAR)
    assert verdict.interval[0] < true < verdict.interval[1] < 0.0
    assert verdict.ratio_interval[0] < 1.0 + true / bowl(FAR) < verdict.ratio_interval[1] < 1.0
    assert verdict.measurements == 4
    assert verdict.probability > 0.95
    assert "lower" in str(verdict)
    assert "4 measurements of each" in str(verdict)
    assert optimizer.recommend().params == verdict.params
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_the_verdict_knows_the_finals_alone() -> None:
    """Lucky measurements before the finals change nothing."""
    plain, lucky = searched(), searched()
    for optimizer in (plain, lucky):
        value = 20.0 if optimizer is plain else -1e6
        optimizer.tell(NEAR, value)
        optimizer.start_finals(12, [NEAR])
        go_on(optimizer, 12)
    assert plain.verdict().pairs == lucky.verdict().pairs  # type: ignore[union-attr]
    assert plain.verdict().interval == lucky.verdict().interval  # type: ignore[union-attr]


def test_a_baseline_at_the_optimum_is_kept() -> None:
    optimizer = searched(baseline=NEAR)
    verdict = finals_of(optimizer, 14, noise=2.0)
    assert verdict.word != "better"
    assert verdict.kept
    assert optimizer.recommend().params == NEAR
    if verdict.word == "not shown to be better":
        assert "the baseline is the best found" in str(verdict)


def test_a_worse_challenger_is_called_worse() -> None:
    optimizer = searched(baseline=NEAR)
    optimizer.start_finals(14, [FAR])
    go_on(optimizer, 14)
    verdict = optimizer.verdict()
    assert verdict is not None
    assert verdict.word == "worse"
    assert verdict.kept
    assert optimizer.recommend().params == NEAR


@pytest.mark.parametrize("n", [4, 8])
def test_a_baseline_that_always_fails_loses(n: int) -> None:
    optimizer = Optimizer(SPACE, direction="minimize", baseline=FAR)

    def play(count: int) -> None:
        for _ in range(count):
            params = optimizer.ask()
            if params == FAR:
                optimizer.fail(params, "crash")
            else:
                optimizer.tell(params, bowl(params))

    play(20)
    optimizer.start_finals(n)
    play(n)
    verdict = optimizer.verdict()
    assert verdict is not None
    assert optimizer.recommend().params != FAR
    assert verdict.word == ("better" if n == 8 else "not shown to be better")
    assert f"{n // 2} of the baseline's failed" in str(verdict)
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_a_challenger_that_fails_is_not_better() -> None:
    optimizer = searched()
    optimizer.start_finals(14)
    for i in range(14):
        params = optimizer.ask()
        if params != FAR and i > 4:
            optimizer.fail(params, "crash")
        else:
            optimizer.tell(params, bowl(params))
    verdict = optimizer.verdict()
    assert verdict is not None
    assert verdict.word != "better"
    assert optimizer.recommend().params == FAR or "failed" in str(verdict)


def test_nothing_but_the_baseline_has_a_value() -> None:
    optimizer = Optimizer({"x": ["a", "b"]}, direction="maximize", baseline={"x": "a"})
    for _ in range(4):
        optimizer.tell({"x": "a"}, 2.0)
        optimizer.fail({"x": "b"}, "crash")
    assert len(optimizer.contenders(6)) == 1
    with pytest.raises(InvalidInput, match="at least two contenders"):
        optimizer.start_finals(6)


def test_without_a_baseline_the_runner_up_is_compared() -> None:
    optimizer = searched(baseline=None)
    optimizer.start_finals(12, [NEAR, FAR])
    go_on(optimizer, 12)
    verdict = optimizer.verdict()
    assert verdict is not None
    assert verdict.params == NEAR
    assert verdict.reference == FAR
    assert not verdict.has_baseline
    assert str(verdict).startswith("no baseline was given; the answer against the runner-up")
    assert optimizer.recommend().params == NEAR


# -- in words -------------------------------------------------------------------------------------


def test_words() -> None:
    few = compared([(10.0, 8.0), (10.5, 8.2)], "minimize")
    assert str(few) == (
        "not shown to be better than the baseline: 20.9 % lower (interval unknown), "
        "2 measurements of each"
    ) or "interval unknown" in str(few)
    signs = compared([(-1.0, 3.0), (1.0, 5.2), (0.5, 4.0), (-0.3, 4.1), (0.1, 4.4)], "maximize")
    assert signs.word == "better"
    assert signs.ratio is None
    assert "higher" in str(signs)
    assert "%" not in str(signs).replace("90%", "")
    none = compared([], "maximize")
    assert "not measured together" in str(none)
    assert math.isnan(none.difference)
    assert none.to_dict()["difference"] is None


def test_sizes() -> None:
    for each in (4, 9, 30, None):
        sizes = [finals_size("auto", n, has_baseline=True, each=each) for n in range(2000)]
        assert all(b >= a for a, b in pairwise(sizes))
        assert all(size <= 0.35 * n for n, size in enumerate(sizes))
    assert not any(finals_size("auto", n, has_baseline=False) for n in range(2000))
    assert finals_size(8, 60, has_baseline=False) == 8
    assert finals_size(25, 10, has_baseline=True) == 10
    assert finals_size(0, 100, has_baseline=True) == 0
