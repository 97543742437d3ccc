"""A study on a server does what a study in a store does, to the last bit."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.service import Service
from stoic.errors import (
    ConflictingValue,
    InvalidInput,
    InvalidParams,
    InvalidPayoff,
    StoicError,
    StudyMismatch,
    UnknownStudy,
    UnknownTrial,
)

SPACE = {
    "x": (0.0, 1.0),
    "rate": (1e-5, 1e-1, "log"),
    "depth": (2, 12),
    "opt": ["adam", "sgd"],
    "momentum": stoic.Float(0.0, 0.99, when={"opt": "sgd"}),
}
LINE = {"x": (0.0, 1.0)}


def value(params: dict[str, Any], number: int) -> float:
    """A bowl with noise, and an absurd value now and then."""
    noise = np.random.default_rng(number).standard_normal()
    if number % 7 == 3:
        return 1e6 * float(noise)
    bowl = (params["x"] - 0.3) ** 2 + (np.log10(params["rate"]) + 3.0) ** 2
    return float(bowl + 0.1 * params["depth"] + (params["opt"] == "sgd") + 0.1 * noise)


def play(study: Any, n: int) -> list[dict[str, Any]]:
    """Ask and tell in turn; a failure and a second measurement now and then."""
    asked = []
    for _ in range(n):
        trial = study.ask()
        asked.append(trial.params)
        if trial.number % 9 == 5:
            study.fail(trial, "out of memory")
            continue
        study.tell(trial, value(trial.params, trial.number))
        if trial.number % 5 == 0:
            study.tell(trial, value(trial.params, trial.number + 1000), measurement=1)
    return asked


@pytest.mark.parametrize("method", ["auto", "random"])
def test_suggestions_and_answers_are_the_same(
    service: Service, name: str, tmp_path: Path, method: str
) -> None:
    made: dict[str, Any] = {"space": SPACE, "direction": "minimize", "seed": 5, "method": method}
    made |= {"bounds": (None, 2e7), "target": "mean", "objective": "loss (ms)"}
    with (
        stoic.Study(tmp_path / "s.db", name, **made) as local,
        stoic.connect(service.url, name, **made) as far,
    ):
        far.add({"x": 0.5, "rate": 1e-3, "depth": 3, "opt": "adam"}, -0.0)
        local.add({"x": 0.5, "rate": 1e-3, "depth": 3, "opt": "adam"}, -0.0)
        expected = play(local, 24)
        assert repr(play(far, 24)) == repr(expected)
        assert far.result().to_dict() == local.result().to_dict()
        assert str(far.result()) == str(local.result())
        assert far.suspects() == local.suspects()
        assert far.luckiest == local.luckiest
        assert (far.space, far.bounds, far.target) == (local.space, local.bounds, local.target)
        assert (far.seed, far.objective, far.method) == (5, "loss (ms)", method)
        assert far.trials == tuple(
            record.__class__(**{**vars(mine), **_own(record)})
            for mine, record in zip(local.trials, far.trials, strict=True)
        )
        with stoic.connect(service.url, name) as again:  # as another process would
            assert again.recommend().params == far.recommend().params


def _own(record: Any) -> dict[str, Any]:
    """What differs from study to study: times and names."""
    return {each: getattr(record, each) for each in ("asked", "told", "lease_until", "worker")}


def test_pending_trials_count(service: Service, name: str, tmp_path: Path) -> None:
    made: dict[str, Any] = {"space": LINE, "direction": "maximize"}
    with (
        stoic.Study(tmp_path / "s.db", name, **made) as local,
        stoic.connect(service.url, name, **made) as far,
    ):
        for study in (local, far):
            for _ in range(6):
                study.tell(study.ask(), 1.0)
        assert [far.ask().params for _ in range(4)] == [local.ask().params for _ in range(4)]


# -- leases ----------------------------------------------------------------------------------------


def test_leases(service: Service, name: str) -> None:
    with stoic.connect(service.url, name, space=LINE, direction="maximize", lease=300.0) as study:
        trial = study.ask()
        assert study.renew(trial)
        assert study.renew(trial.number, 60.0)
        assert study.release(trial)
        assert not study.release(trial)
        again = study.ask(lease=60.0)
        assert (again.number, again.params, again.attempt) == (trial.number, trial.params, 2)
        assert not study.renew(trial)
        with stoic.connect(service.url, name) as other:
            assert not other.renew(again.number), "a bare number is no lease"
            assert other.renew(again)
        assert study.ask_within(1) is None
        assert study.ask_within(2) is not None
        assert (study.asked, study.finished) == (2, 0)
        assert study.reclaim() == 0


def test_enqueue_add_and_note(service: Service, name: str) -> None:
    with stoic.connect(service.url, name, space=LINE, direction="maximize") as study:
        study.enqueue({"x": 0.25})
        study.enqueue({"x": 0.75})
        assert [study.ask().params["x"] for _ in range(2)] == [0.25, 0.75]
        added = study.add({"x": 0.5}, 3.0)
        study.note(added, "measured by hand")
        study.note(added, "measured by hand")
        assert study.trials[added.number].values == (3.0,)
        assert study.trials[added.number].notes == ("measured by hand",)
        assert len(study.trials) == 3
        frame = study.to_frame()
        assert list(frame["value"].dropna()) == [3.0]


def test_trials_are_those_that_were_acknowledged(service: Service, name: str) -> None:
    made: dict[str, Any] = {"space": LINE, "direction": "maximize", "method": "random"}
    with stoic.connect(service.url, name, **made) as study:
        for count in range(1, 6):
            study.tell(study.ask(), float(count))
            assert [record.state for record in study.trials] == ["told"] * count
            assert study.finished == count
            assert len(study.informed().trials) == count


# -- definitions -----------------------------------------------------------------------------------


def test_definitions(service: Service, name: str) -> None:
    url = service.url
    with pytest.raises(UnknownStudy):
        stoic.connect(url, name)
    with pytest.raises(InvalidInput, match="direction"):
        stoic.connect(url, name, space=LINE)
    baseline = {"x": 0.5}
    made = stoic.connect(url, name, space=LINE, direction="minimize", baseline=baseline)
    assert stoic.connect(url, name).uid == made.uid
    assert stoic.connect(url, name).baseline == baseline
    with pytest.raises(StudyMismatch, match="direction"):
        stoic.connect(url, name, direction="maximize")
    with pytest.raises(StudyMismatch, match="seed"):
        stoic.connect(url, name, space=LINE, direction="minimize", seed=4)
    with pytest.raises(StudyMismatch, match="space"):
        stoic.connect(url, name, space={"x": (0.2, 0.5)}, direction="minimize")
    asked = stoic.connect(url, name, target="mean", bounds=(0.0, None))
    assert (asked.target, asked.bounds) == ("mean", (0.0, None))
    assert stoic.connect(url, name).target == "median"


def test_a_study_gets_wider(service: Service, name: str) -> None:
    with stoic.connect(service.url, name, space=LINE, direction="minimize") as before:
        trial = before.ask()
        wide = {"x": (0.0, 2.0)}
        with stoic.connect(service.url, name, space=wide, direction="minimize") as study:
            assert study.widened
            assert study.space == stoic.Space(wide)
            study.tell(study.ask(), 1.0)
        assert stoic.connect(service.url, name, space=wide).widened == ()
        before.tell(trial, 2.0)
        before.enqueue({"x": 1.9})  # which the first space did not contain
        assert before.ask().params == {"x": 1.9}
        assert before.recommend().params


# -- exclusions ------------------------------------------------------------------------------------


def test_exclusions(service: Service, name: str, tmp_path: Path) -> None:
    made: dict[str, Any] = {"space": LINE, "direction": "minimize"}
    with (
        stoic.Study(tmp_path / "s.db", name, worker="local/w", **made) as local,
        stoic.connect(service.url, name, worker="w", **made) as far,
    ):
        said = []
        for study in (local, far):
            for _ in range(8):
                trial = study.ask()
                study.tell(trial, trial.params["x"] if trial.number else -50.0)
            answers = [study.recommend()]
            assert study.exclude(0)
            assert not study.exclude(0)
            answers.append(study.recommend())
            assert study.exclude(1, 0)
            assert study.include(0)
            assert [(each.trial, each.measurement) for each in study.excluded] == [(1, 0)]
            answers.append(study.recommend())
            after = study.ask().params
            assert study.exclude_worker("local/")
            assert study.result().best is None
            assert next(each.worker for each in study.excluded) == "local/"
            assert study.include_worker("local/")
            assert study.recommend() == answers[-1]
            said.append((answers, after, [record.excluded for record in study.trials]))
        assert said[0] == said[1]
        assert said[0][0][1] != said[0][0][2], "the model did not follow"
        with pytest.raises(InvalidInput, match="token"):
            far.exclude_worker("w")


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("do", "error"),
    [
        (lambda s: s.tell(0, 2.0), ConflictingValue),
        (lambda s: s.fail(0), ConflictingValue),
        (lambda s: s.tell(99, 2.0), UnknownTrial),
        (lambda s: s.note(99, "x"), UnknownTrial),
        (lambda s: s.tell(0, "x"), InvalidPayoff),
        (lambda s: s.tell(0, float("nan")), InvalidPayoff),
        (lambda s: s.tell(0, 1.0, measurement=-1), InvalidInput),
        (lambda s: s.enqueue({"x": 3.0}), InvalidParams),
        (lambda s: s.enqueue({"y": 0.5}), InvalidParams),
        (lambda s: s.add({"x": 0.5}, None), InvalidPayoff),
        (lambda s: s.note(0, ""), InvalidInput),
        (lambda s: s.fail(0, 5), InvalidInput),
        (lambda s: s.ask(lease=-1.0), InvalidInput),
        (lambda s: s.ask_within(-1), InvalidInput),
        (lambda s: s.start_finals(0), InvalidInput),
        (lambda s: s.tell(stoic.study.StudyTrial(0, {}, 1, 0.0, "other"), 1.0), UnknownTrial),
    ],
)
def test_errors_are_those_of_a_store(
    service: Service, name: str, tmp_path: Path, do: Any, error: type[StoicError]
) -> None:
    made: dict[str, Any] = {"space": LINE, "direction": "minimize"}
    with (
        stoic.Study(tmp_path / "s.db", name, **made) as local,
        stoic.connect(service.url, name, **made) as far,
    ):
        messages = []
        for study in (local, far):
            study.tell(study.ask(), 1.5)
            with pytest.raises(error) as caught:
                do(study)
            assert type(caught.value) is error
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


def test_an_answer_needs_a_value(service: Service, name: str) -> None:
    with stoic.connect(service.url, name, space=LINE, direction="minimize") as study:
        with pytest.raises(InvalidInput, match="value"):
            study.recommend()
        assert study.result().best is None
        assert name in study._repr_html_()


# -- processes -------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_holds_no_leases(service: Service, name: str) -> None:
    with stoic.connect(service.url, name, space=LINE, direction="minimize") as study:
        trial, parent = study.ask(), study.worker
        child = os.fork()
        if not child:
            code = 1
            try:
                kept = study.renew(trial.number)
                theirs = study.ask()
                study.tell(theirs, 0.5)
                code = int(kept or theirs.number == trial.number or study.worker == parent)
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert study.renew(trial.number)
        assert study.finished == 1
        workers = [record.worker for record in study.trials]
        assert workers[0].endswith(f"/{parent}")
        assert workers[1] != workers[0]


def test_it_is_no_more_pickled_than_a_study(service: Service, name: str) -> None:
    secret = "stoic_ab12_0123456789abcdef"
    study = stoic.connect(service.url, name, token=secret, space=LINE, direction="minimize")
    with study, pytest.raises(TypeError, match="pickle"):
        pickle.dumps(study)
    assert secret not in repr(study)
    assert secret not in study.url
