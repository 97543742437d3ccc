"""The comparisons inside other libraries: a short run, and the page made from its lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("optuna")

import optuna

from hosts import optuna_hosts
from hosts.report import page
from hosts.runs import Host, Job, Measured, jobs, main, read_rows


def test_a_short_series_and_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    short = 3
    played: list[Job] = []

    def play(job: Job) -> list[Measured]:
        played.append(job)
        return optuna_hosts.play(job._replace(trials=short))

    host = Host("optuna", "Optuna 0.0", ("default", "stoic"), play)
    path = tmp_path / "optuna.jsonl"
    words = ["", "--seeds", "1", "--trials", "60", "--out", str(path)]
    monkeypatch.setattr(sys, "argv", words)
    main(host, "")
    assert played == jobs(host, 1, 60)
    whole = path.read_text()
    assert whole.count("\n") == 4 * 2 * 3  # problems, noises, methods
    path.write_text(whole[: whole.rindex("{") + 9])  # killed while it wrote the last line
    main(host, "")
    assert played[len(jobs(host, 1, 60)) :] == jobs(host, 1, 60)[-1:]
    rows = list(read_rows(path))
    assert [row["regret"] for row in rows] == [
        json.loads(line)["regret"] for line in whole.splitlines()
    ]
    text = page(rows)
    assert "## Optuna 0.0, 60 trials" in text
    assert "| 10% outliers | all | 4 |" in text
    assert "| clean | bowl6 | 1 |" in text


def test_the_cost_beside_the_optimiser_is_shown() -> None:
    row = {"host": "optuna", "version": "Optuna 0.0", "problem": "bowl6", "stored": 5000}
    text = page([row | {"trials": 10, "optimizer": 2.0, "beside": 0.1}])
    assert "| bowl6 | 5000 | 10 | 200.00 | 10.00 | 5.0% |" in text
