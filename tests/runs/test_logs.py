"""Runs and studies write to the logger ``stoic``: silent by default, without secrets."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

import stoic
from stoic.study.running import StudySource

LINE = {"x": (0.0, 1.0)}


def noisy(x: float) -> float:
    if x > 0.5:
        raise OSError("no route to postgresql://ann:hush@db/tuning \x1b[31m")
    return x


def test_it_is_silent_unless_the_user_wants_it() -> None:
    code = (
        "import stoic, logging\n"
        "assert logging.getLogger('stoic').handlers\n"
        "def f(x):\n"
        "    if x > 0.5: raise OSError('no')\n"
        "    return x\n"
        "stoic.maximize(f, {'x': (0.0, 1.0)}, budget=4)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


def test_a_run_says_what_happens(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="stoic"):
        stoic.maximize(noisy, LINE, budget=6)
    said = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert said[0] == ("INFO", "run begins: 6 evaluations to go, 1 at a time")
    assert said[-1] == ("INFO", "run is finished, 0 evaluations left")
    failed = [words for level, words in said if level == "WARNING"]
    assert failed
    assert all("hush" not in words and "\x1b" not in words for words in failed)
    assert "failed: OSError: no route to" in failed[0]
    assert sum(words.startswith("trial") and level == "DEBUG" for level, words in said) == 6
    assert len({record.name for record in caplog.records} - {"stoic.runs"}) == 0


def test_a_study_says_that_it_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = tmp_path / "s.db"
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        study.optimize(lambda x: x, budget=3)
    with (
        caplog.at_level(logging.INFO, logger="stoic"),
        stoic.Study(store, space={"x": (0.0, 2.0)}) as study,
    ):
        study.optimize(lambda x: x, budget=5)
    text = caplog.text
    assert "goes on in another way: x is now Float(0.0, 2.0), was Float(0.0, 1.0)" in text
    assert "is open with 4 entries in its log" in text
    assert "run goes on: 2 evaluations to go" in text


def test_lost_leases_are_warnings(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = tmp_path / "s.db"
    with (
        caplog.at_level(logging.WARNING, logger="stoic"),
        stoic.Study(store, space=LINE, direction="maximize", lease=0.3) as study,
        StudySource(study, 2) as source,
    ):
        trial = source.ask([])
        assert trial is not None
        with stoic.Study(store) as other:
            other.renew(trial, 1e-6)  # the worker is late
            again = other.ask()
            assert again.number == trial.number
            while "is lost" not in caplog.text:  # at the next renewal
                time.sleep(0.01)
    assert f"trial {trial.number} lost its lease, and is asked again" in caplog.text
    assert f"the lease of trial {trial.number} is lost" in caplog.text
