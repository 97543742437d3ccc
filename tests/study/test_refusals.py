"""What a study refuses: a typed error each time, and the trial stays open."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput, InvalidParams, InvalidPayoff, StoicError, UnknownTrial

SPACE = {"x": (0.0, 1.0), "n": (1, 8), "gc": ["g1", "zgc"]}


@pytest.fixture
def study(store: str) -> Iterator[stoic.Study]:
    with stoic.Study(store, space=SPACE, direction="maximize") as made:
        yield made


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        None,
        "1.0",
        b"1.0",
        True,
        np.True_,
        10**400,
        -(10**400),
        1j,
        Decimal("1"),
        [1.0],
        (1.0, 2.0),
        [1.0, 2.0],
        np.array([1.0, 2.0]),
        np.array([1.0]),
        np.float64(math.nan),
        np.array(math.inf),
        np.timedelta64(1),
        {},
        object,
    ],
    ids=repr,
)
def test_values_that_are_none(study: stoic.Study, value: Any) -> None:
    trial = study.ask()
    with pytest.raises(InvalidPayoff, match="expected value"):
        study.tell(trial, value)
    with pytest.raises(InvalidPayoff, match="expected value"):
        study.add(trial.params, value)
    assert [t.state for t in study.trials] == ["open"]
    study.tell(trial, 1.0)
    assert study.finished == 1


@pytest.mark.parametrize(
    "value",
    [np.float32(1), np.int64(1), np.float64(1), np.array(1.0), Fraction(1), 1],
    ids=lambda v: type(v).__name__,
)
def test_numbers_of_every_kind(study: stoic.Study, value: Any) -> None:
    study.tell(study.ask(), value)
    assert study.trials[0].values == (1.0,)


def test_the_trial_of_another_study(study: stoic.Study, store: str) -> None:
    with stoic.Study(store, "other", space=SPACE, direction="maximize") as other:
        mine, theirs = study.ask(), other.ask()
        assert mine.number == theirs.number
        for use in (
            lambda: study.tell(theirs, 1.0),
            lambda: study.fail(theirs),
            lambda: study.renew(theirs),
            lambda: study.release(theirs),
        ):
            with pytest.raises(UnknownTrial, match="another study"):
                use()
        assert [t.state for t in (*study.trials, *other.trials)] == ["open", "open"]


@pytest.mark.parametrize("number", [1, -1, 10**18, np.int64(7)])
def test_trials_that_were_never_asked(study: stoic.Study, number: int) -> None:
    study.ask()
    for use in (
        lambda: study.tell(number, 1.0),
        lambda: study.fail(number),
        lambda: study.renew(number),
        lambda: study.release(number),
    ):
        with pytest.raises(UnknownTrial):
            use()
    assert [t.state for t in study.trials] == ["open"]


@pytest.mark.parametrize("trial", [None, "0", 0.0, True, [0], {"x": 0.5}, 10**30], ids=repr)
def test_what_is_no_trial(study: stoic.Study, trial: Any) -> None:
    study.ask()
    with pytest.raises(InvalidInput, match="trial"):
        study.tell(trial, 1.0)
    assert [t.state for t in study.trials] == ["open"]


@pytest.mark.parametrize(
    "params",
    [
        {"x": 2.0, "n": 1, "gc": "g1"},
        {"x": math.nan, "n": 1, "gc": "g1"},
        {"x": 0.5, "n": 9, "gc": "g1"},
        {"x": 0.5, "n": 1.5, "gc": "g1"},
        {"x": 0.5, "n": 1, "gc": "cms"},
        {"x": 0.5, "n": 1},
        {"x": 0.5, "n": 1, "gc": "g1", "more": 1},
        {"x": "0.5", "n": 1, "gc": "g1"},
        [0.5, 1, "g1"],
        None,
    ],
    ids=repr,
)
def test_parameters_that_the_space_does_not_contain(study: stoic.Study, params: Any) -> None:
    for use in (lambda: study.add(params, 1.0), lambda: study.enqueue(params)):
        with pytest.raises(InvalidParams):
            use()
    assert study.trials == ()


def test_other_arguments(study: stoic.Study) -> None:
    trial = study.ask()
    wrong: list[Any] = [
        lambda: study.tell(trial, 1.0, measurement=-1),
        lambda: study.tell(trial, 1.0, measurement=0.5),  # type: ignore[arg-type]
        lambda: study.tell(trial, 1.0, measurement=2**40),
        lambda: study.fail(trial, 3),  # type: ignore[arg-type]
        lambda: study.ask(lease=-1.0),
        lambda: study.ask(lease=math.inf),
        lambda: study.renew(trial, 0.0),
        lambda: study.optimize(lambda x, n, gc: x, 0),  # noqa: ARG005
        lambda: study.optimize(lambda x, n, gc: x, 5, jobs=0),  # noqa: ARG005
        lambda: study.optimize(lambda x, n, gc: x, 5, engine="ray"),  # noqa: ARG005
        lambda: study.optimize(lambda x, n, gc: x, 5, engine="dask"),  # noqa: ARG005
        lambda: study.optimize(lambda x, n, gc: x, 5, scheduler="tcp://here:1"),  # noqa: ARG005
        lambda: study.optimize(lambda y, z: y + z, 5),
        lambda: study.recommend(),
    ]
    for use in wrong:
        with pytest.raises(StoicError):
            use()
    assert [t.state for t in study.trials] == ["open"]


def test_a_path_that_no_system_knows() -> None:
    with pytest.raises(InvalidInput, match="expected store as a path"):
        stoic.Study("a\0b.db", space=SPACE, direction="maximize")


def test_a_path_with_a_backslash(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "a\\0b.db", space=SPACE, direction="maximize") as study:
        assert study.finished == 0
