"""When finals begin and runs end: by evaluations, by time, or because little is left to gain."""

from __future__ import annotations

import math
from typing import Any

import pytest

import stoic
from stoic.errors import InvalidInput
from stoic.runs.course import Course
from stoic.runs.limits import UNLIMITED, Limits, seconds


class Clock:
    """A clock that is advanced by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Steered:
    """Notes what it is asked to do."""

    def __init__(
        self, *, contest: bool = True, settles_at: float = math.inf, each: int = 4
    ) -> None:
        self.has_baseline, self._contest, self._settles_at = True, contest, settles_at
        self._each = each
        self.begun: list[tuple[int, int]] = []
        self.ended = 0
        self.finished = 0
        self._now: tuple[int, int] | None = None

    def measurements_needed(self, least: int, most: int) -> int:
        return min(max(self._each, least), most)

    def finals(self) -> tuple[int, int] | None:
        return self._now

    def begin(self, evaluations: int) -> bool:
        if self._contest:
            self._now = (self.finished, evaluations)
            self.begun.append(self._now)
        return self._contest

    def end(self) -> None:
        self._now = None
        self.ended += 1

    def settled(self) -> bool:
        return self.finished >= self._settles_at


def drive(
    course: Course, steered: Steered, clock: Clock, *, jobs: int = 1, lasts: float = 1.0
) -> int:
    """Run evaluations of ``lasts`` seconds, ``jobs`` at a time; return how many."""
    running: list[int] = []
    asked = steered.finished
    while True:
        while course.left(steered.finished) > len(running) and len(running) < jobs:
            course.steer(steered.finished, asked)
            course.asked(asked)
            running.append(asked)
            asked += 1
        if not running:
            return steered.finished
        clock.now += lasts / jobs
        course.recorded(running.pop(0))
        steered.finished += 1


def make(steered: Steered, **limits: Any) -> tuple[Course, Clock]:
    clock = Clock()
    given = {"budget": None} | limits
    return Course(Limits.of(given.pop("budget"), **given), steered, clock), clock


@pytest.mark.parametrize("jobs", [1, 4])
def test_finals_are_the_last_part_of_a_budget(jobs: int) -> None:
    steered = Steered()
    course, clock = make(steered, budget=60)
    assert drive(course, steered, clock, jobs=jobs) == 60
    ((begin, evaluations),) = steered.begun
    assert begin + evaluations == 60
    assert 52 - jobs < begin <= 52
    assert course.ended_by == "budget"


@pytest.mark.parametrize(
    ("budget", "confirm", "each", "evaluations"),
    [
        (60, "auto", 4, 8),
        (60, "auto", 7, 14),
        (60, "auto", 99, 20),
        (200, "auto", 4, 20),
        (200, "auto", 99, 40),
        (60, 14, 99, 14),
        (60, 14, 4, 14),
    ],
)
def test_finals_are_as_large_as_the_gain_needs(
    budget: int, confirm: str | int, each: int, evaluations: int
) -> None:
    steered = Steered(each=each)
    course, clock = make(steered, budget=budget, confirm=confirm)
    assert drive(course, steered, clock) == budget
    assert steered.begun == [(budget - evaluations, evaluations)]


def test_finals_of_a_settled_search_are_as_large_as_the_gain_needs() -> None:
    settled = Steered(settles_at=60, each=99)
    course, clock = make(settled, budget=200, stop="settled")
    assert drive(course, settled, clock) == 84
    assert settled.begun == [(60, 24)]


def test_a_number_and_none() -> None:
    for confirm, expected in ((25, [(35, 25)]), (False, []), (0, [])):
        steered = Steered()
        course, clock = make(steered, budget=60, confirm=confirm)
        assert drive(course, steered, clock) == 60
        assert steered.begun == expected


def test_nothing_to_compare_leaves_all_to_the_search() -> None:
    steered = Steered(contest=False)
    course, clock = make(steered, budget=30)
    assert drive(course, steered, clock) == 30


@pytest.mark.parametrize("lasts", [0.5, 2.0])
def test_finals_begin_when_the_rest_of_the_time_is_what_they_need(lasts: float) -> None:
    steered = Steered()
    course, clock = make(steered, time="2m")
    made = drive(course, steered, clock, lasts=lasts)
    assert made == pytest.approx(120 / lasts, abs=1)
    ((begin, evaluations),) = steered.begun
    assert begin + evaluations == pytest.approx(made, abs=2)
    assert evaluations == pytest.approx(max(made / 10, 8), abs=3)
    assert course.ended_by == "time"
    assert clock.now - 100.0 <= 120.0


def test_the_first_limit_counts() -> None:
    steered = Steered()
    course, clock = make(steered, budget=40, time=1000.0)
    assert drive(course, steered, clock) == 40
    assert course.ended_by == "budget"
    steered = Steered()
    course, clock = make(steered, budget=4000, time=100.0)
    assert drive(course, steered, clock) == 100
    assert len(steered.begun) == 1


def test_a_settled_search_holds_its_finals_early() -> None:
    steered = Steered(settles_at=24)
    course, clock = make(steered, budget=200, stop="settled")
    assert drive(course, steered, clock) == 32
    assert steered.begun == [(24, 8)]
    assert course.ended_by == "settled"


def test_a_settled_search_without_finals_ends_at_once() -> None:
    steered = Steered(settles_at=24)
    course, clock = make(steered, budget=200, stop="settled", confirm=False)
    assert drive(course, steered, clock) == 24
    assert course.ended_by == "settled"


def test_a_larger_budget_goes_on_with_the_search_and_holds_finals_again() -> None:
    steered = Steered()
    course, clock = make(steered, budget=60)
    drive(course, steered, clock)
    course, clock = make(steered, budget=60)
    assert drive(course, steered, clock) == 60
    assert len(steered.begun) == 1
    course, clock = make(steered, budget=100)
    assert drive(course, steered, clock) == 100
    assert steered.begun[1:] == [(90, 10)]
    assert steered.ended == 1


def test_times() -> None:
    assert [seconds(t, "time") for t in ("90s", "10m", "1h30m", "1h 5s", 2.5, "30")] == [
        90.0, 600.0, 5400.0, 3605.0, 2.5, 30.0,
    ]  # fmt: skip
    for wrong in ("", "m", "1h30", "5x", "-3s", "1e3", 0, -1.0, float("nan"), True, "10 minutes"):
        with pytest.raises(InvalidInput):
            seconds(wrong, "time")


def test_wrong_limits() -> None:
    wrong: list[dict[str, Any]] = [
        {"budget": None},
        {"budget": 0},
        {"budget": 10, "confirm": "always"},
        {"budget": 10, "confirm": -1},
        {"budget": 10, "confirm": 1.5},
        {"budget": 10, "stop": "now"},
    ]
    for each in wrong:
        with pytest.raises(InvalidInput):
            Limits.of(**each)
    assert Limits.of(None, time=5).budget == UNLIMITED
    assert Limits.of(5, confirm=True).confirm == "auto"
    with pytest.raises(TypeError, match="bugdet"):
        stoic.minimize(lambda x: x, {"x": (0.0, 1.0)}, 5, bugdet=3)  # type: ignore[call-arg]


# -- whole runs -----------------------------------------------------------------------------------

SPACE = {"x": (0.0, 1.0)}
BASELINE = {"x": 0.95}


def test_a_run_with_a_baseline_begins_with_the_verdict() -> None:
    result = stoic.minimize(lambda x: 5.0 + (x - 0.3) ** 2, SPACE, 30, baseline=BASELINE)
    assert result.verdict is not None
    assert result.verdict.word == "better"
    assert str(result).startswith("Verdict: better than the baseline: ")
    assert result.to_dict()["verdict"]["word"] == "better"
    assert result.trials[0].params == BASELINE
    assert result.best is not None
    assert result.best.params == result.verdict.params
    assert len(result.trials) == 30
    assert result.ended_by == "budget"


def test_without_finals_a_run_is_as_before() -> None:
    def fn(x: float) -> float:
        return (x - 0.3) ** 2

    plain = stoic.minimize(fn, SPACE, 20, confirm=False)
    optimizer = stoic.Optimizer(SPACE, direction="minimize")
    for _ in range(20):
        params = optimizer.ask()
        optimizer.tell(params, fn(**params))
    assert plain.trials == optimizer.trials
    assert plain.best == optimizer.recommend()
    assert plain.verdict is None


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_time_limit_ends_a_run(jobs: int) -> None:
    result = stoic.minimize(
        lambda x: (x - 0.3) ** 2, SPACE, 40, time="10m", jobs=jobs, baseline=BASELINE
    )
    assert len(result.trials) == 40
    short = stoic.minimize(lambda x: x, SPACE, time=1e-6)
    assert short.trials == ()
    assert short.ended_by == "time"
    assert short.best is None


def test_a_settled_run_says_so() -> None:
    result = stoic.maximize(lambda x: 1.0 - (x - 0.3) ** 2, SPACE, 80, stop="settled")
    assert len(result.trials) < 60
    assert result.ended_by == "settled"
    assert "would hardly improve the answer" in str(result)
