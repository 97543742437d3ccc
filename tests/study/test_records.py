"""Records that follow a study are what a read of the whole study gives."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

import stoic
from stoic.errors import ConflictingValue, InvalidInput
from stoic.study import StudyTrial

SPACE = {"x": (0.0, 1.0)}


def same(follower: stoic.Study) -> None:
    records = follower.records()
    assert tuple(records.trials) == follower.trials
    assert records.rules == follower.excluded
    told = [record for record in records.trials if record.told is not None]
    assert len(records.outcomes) == sum(len(r.values) or 1 for r in told)


@pytest.mark.parametrize("seed", range(3))
def test_they_follow_whatever_happens(store: str, seed: int) -> None:
    draws = random.Random(seed)
    with (
        stoic.Study(store, space=SPACE, direction="maximize", method="random") as study,
        stoic.Study(store) as follower,
    ):
        asked: list[StudyTrial] = []
        for step in range(60):
            what = draws.choice(
                ["ask", "ask", "tell", "tell", "more", "fail", "mark", "add", "other"]
            )
            trial = draws.choice(asked) if asked else None
            with suppress(ConflictingValue, InvalidInput):
                if what == "ask" or trial is None:
                    asked.append(study.ask(lease=draws.choice([0.01, 600.0])))
                elif what == "tell":
                    study.tell(trial, draws.random(), worker=draws.choice([None, "bad/w"]))
                elif what == "more":
                    study.tell(trial, draws.random(), measurement=step)
                elif what == "fail":
                    study.fail(trial, "crash")
                elif what == "add":
                    study.add({"x": draws.random()}, 1.0)
                elif what == "mark":
                    draws.choice([study.exclude, study.include])(trial)
                else:
                    study.note(trial, f"step {step}")
                    study.release(trial)
                    study.enqueue({"x": draws.random()})
                    study.exclude_worker("bad/")
            if draws.random() < 0.5:
                same(follower)
        same(follower)
        same(study)


def test_a_group_that_was_not_written_is_forgotten(store: str) -> None:
    with stoic.Study(store, space=SPACE, direction="maximize", method="random") as study:
        study.tell(study.ask(), 1.0)
        with pytest.raises(KeyboardInterrupt), study.group():
            study.tell(study.ask(), 2.0)
            assert len(study.records().trials) == 2
            raise KeyboardInterrupt
        study.tell(study.ask(), 3.0)
        same(study)


def test_a_measurement_has_the_number_of_its_report(store: str) -> None:
    with stoic.Study(store, space=SPACE, direction="maximize", method="random") as study:
        trial = study.ask()
        study.tell(trial, 1.0)
        study.tell(trial, 2.0, measurement=7)
        records = study.records()
        assert records.outcomes == [(0, 0), (0, 1)]
        assert [records.measurement(0, which) for which in (0, 1, 2)] == [0, 7, 0]
