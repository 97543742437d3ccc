"""Ask, tell, fail, leases and answers of a persistent study."""

from __future__ import annotations

from pathlib import Path

import stoic


def test_a_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with stoic.Study(path, space={"x": (0.0, 1.0)}, direction="minimize") as study:
        for _ in range(3):
            trial = study.ask()
            study.tell(trial, (trial.params["x"] - 0.3) ** 2)
        expected = study.ask()
    with stoic.Study(path) as study:
        assert study.finished == 3
        assert study.trials[3].params == expected.params
        assert [t.number for t in study.result().trials] == [0, 1, 2]
