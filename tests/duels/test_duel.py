"""Duels of functions: blocks, orders, decisions, results and refusals."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import stoic
from stoic.comparison import Margin
from stoic.duels.contenders import ContenderFailed, FunctionContender, Run
from stoic.duels.engine import Duel, Rules
from stoic.errors import InvalidInput, InvalidPayoff, MissingDirection

Function = Callable[[], object]


def noisy(mean: float, seed: int, spread: float = 1.0) -> Function:
    rng = random.Random(seed)
    return lambda: rng.gauss(mean, spread)


def rules(**given: object) -> Rules:
    return Rules(**{"direction": "minimize", "margin": Margin(0.02), "budget": 50, **given})  # type: ignore[arg-type]


def test_the_better_one_is_found_and_named() -> None:
    sides = {"old": noisy(10.0, 1), "new": noisy(8.0, 2), "bad": noisy(13.0, 3)}
    result = stoic.duel(sides, direction="minimize")
    assert result.decisions == {"new": "better", "bad": "worse"}
    assert (result.best, result.exit_code, result.ended_by) == ("new", 1, "decided")
    assert re.search(r"^new is better than old: value 2?1?\d % lower", result.verdict)
    assert "best: new, the only one that is better" in result.verdict
    swapped = stoic.duel(sides, direction="maximize")
    assert swapped.decisions == {"new": "worse", "bad": "better"}
    found = json.loads(result.to_json())
    assert found["comparisons"]["new"]["decision"] == "better"
    assert len(found["values"]["old"]) == result.blocks
    assert len(found["values"]["bad"]) <= result.blocks, "what is decided is not run again"


def test_alike_contenders_are_equal_or_undecided() -> None:
    equal = stoic.duel({"a": lambda: 3.0, "b": lambda: 3.0}, direction="minimize")
    assert (equal.decisions["b"], equal.exit_code) == ("equal", 0)
    assert "b equals a within 2 %" in equal.verdict
    unknown = stoic.duel({"a": noisy(9, 1), "b": noisy(9, 2)}, direction="minimize", budget=9)
    assert (unknown.decisions["b"], unknown.exit_code, unknown.ended_by) == (
        "undecided", 3, "budget",
    )  # fmt: skip
    assert unknown.best == "a"


def test_orders_vary_and_repeat() -> None:
    def order(seed: int) -> str:
        said: list[str] = []

        def saying(name: str) -> Function:
            def say() -> float:
                said.append(name)
                return 1.0

            return say

        sides = {name: saying(name) for name in "abc"}
        stoic.duel(sides, direction="minimize", margin=0.0, budget=30, seed=seed)
        return "".join(said)

    assert order(1) == order(1) != order(2)
    blocks = [order(1)[i : i + 3] for i in range(0, 90, 3)]
    assert {"".join(sorted(block)) for block in blocks} == {"abc"}
    assert len(set(blocks)) == 6, "every order occurs"


def test_all_contenders_of_a_block_have_the_same_seed() -> None:
    seen: dict[str, list[int]] = {"a": [], "b": []}

    class Spy:
        def __init__(self, name: str) -> None:
            self.name = name

        def run(self, block: int, seed: int) -> Run:
            seen[self.name].append(seed)
            return Run(1.0)

    Duel([Spy("a"), Spy("b")], rules(margin=Margin(), budget=8, warmup=2)).run()
    assert seen["a"] == seen["b"]
    assert len(set(seen["a"])) == 10


def test_time_and_warm_up_are_limits() -> None:
    now = iter(range(1000))
    slow = FunctionContender("a", lambda: float(next(now)))
    duel = Duel([slow, FunctionContender("b", noisy(5.0, 1))], rules(seconds=1e-9, warmup=3))
    duel.run()
    assert duel.ended_by == "time"
    assert duel.blocks == 0
    duel = Duel([slow, FunctionContender("b", noisy(5.0, 1))], rules(budget=2, warmup=3))
    duel.run()
    assert (duel.ended_by, duel.blocks, next(now)) == ("budget", 2, 5)


def test_failures_count_as_lost_and_are_named() -> None:
    rng = random.Random(0)

    def shaky() -> float:
        if rng.random() < 0.9:
            raise RuntimeError("no room")
        return 1.0

    runs = iter(range(1000))

    def late() -> float:
        return 1.0 if next(runs) < 2 else shaky()

    result = stoic.duel({"a": lambda: 5.0, "b": late}, direction="minimize")
    assert result.decisions == {"b": "worse"}
    assert list(result.failures["b"]) == ["RuntimeError: no room"]


@pytest.mark.parametrize("fn", [lambda: 1 / 0, lambda: float("nan"), lambda: None])
def test_a_contender_that_always_fails_ends_the_duel(fn: Function) -> None:
    for sides in ({"a": lambda: 5.0, "b": fn}, {"b": fn, "a": lambda: 5.0}):
        with pytest.raises(ContenderFailed, match="expected a value of b, got none in its first 3"):
            stoic.duel(sides, direction="minimize")


def test_ctrl_c_keeps_what_is_known() -> None:
    count = iter(range(100))

    def tired() -> float:
        if next(count) == 20:
            raise KeyboardInterrupt
        return random.Random(1).random()

    result = stoic.duel({"a": tired, "b": noisy(0.5, 1)}, direction="minimize", margin=0.0)
    assert (result.ended_by, result.blocks) == ("interrupted", 20)
    assert len(result.values["b"]) == 20


def test_functions_and_commands_can_be_timed() -> None:
    def busy(times: int) -> Function:
        return lambda: sum(range(times))

    for measure in ("wall", "cpu"):
        sides = {"short": busy(20_000), "long": busy(400_000)}
        result = stoic.duel(sides, measure=measure, budget=60)
        assert result.decisions == {"long": "worse"}
        assert result.unit == "s"
    result = stoic.duel({"a": "true", "b": "sleep 0.2"}, measure="wall", budget=12)
    assert result.decisions == {"b": "worse"}
    result = stoic.duel({"a": "echo 7", "b": ["echo", "5"]}, direction="minimize")
    assert (result.decisions, result.values["b"][0]) == ({"b": "better"}, 5.0)


def test_refusals() -> None:
    both: dict[str, Function] = {"a": lambda: 1.0, "b": lambda: 1.0}
    with pytest.raises(MissingDirection):
        stoic.duel(both)
    with pytest.raises(InvalidInput, match="two or more contenders"):
        stoic.duel({"a": lambda: 1.0}, direction="minimize")
    with pytest.raises(InvalidInput, match="functions or commands"):
        stoic.duel({"a": lambda: 1.0, "b": "true"}, measure="wall")
    with pytest.raises(InvalidInput, match="'wall' or 'cpu' for a function"):
        stoic.duel(both, measure="rss")
    with pytest.raises(InvalidInput, match="measure"):
        stoic.duel(both, measure="energy")
    with pytest.raises(InvalidPayoff):
        stoic.duel({"a": lambda: "7", "b": lambda: 1.0}, direction="minimize")
    with pytest.raises(InvalidInput, match="sh -c"):
        stoic.duel({"a": "echo 7 | cat", "b": "true"}, measure="wall")


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf"])
def test_the_figure_is_drawn_also_with_failures_and_odd_names(tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    count = iter(range(1000))
    sides: dict[str, Function] = {
        "$old_{1}": noisy(10.0, 1),
        "new <b>": lambda: 1 / 0 if next(count) % 4 == 3 else random.Random(3).gauss(50.0, 1.0),
        "zero": noisy(0.0, 4),
    }
    result = stoic.duel(sides, direction="minimize", budget=15)
    result.plot(tmp_path / name)
    again = (tmp_path / name).read_bytes()
    result.plot(tmp_path / name)
    assert (tmp_path / name).read_bytes() == again
    with pytest.raises(InvalidInput, match="at least one block"):
        stoic.duel(sides, direction="minimize", time=1e-9).plot()


def test_the_last_comparison_has_all_blocks_and_an_interval() -> None:
    """Meanwhile intervals may be left out, as calls here take no time at all."""
    sides = {"a": noisy(9.0, 1), "b": noisy(9.0, 2)}
    result = stoic.duel(sides, direction="minimize", margin=0.0, budget=300)
    found = result.comparisons["b"]
    assert (found.decision, found.blocks) == ("undecided", 300)
    assert -0.1 < found.interval[0] < found.change < found.interval[1] < 0.1
