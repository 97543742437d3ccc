"""Policies choose, and the optimiser answers, as they did when this was recorded.

``python tests/test_recorded.py`` records anew, after a change that is meant. Tolerances leave room
for another processor: rounding that differs has moved answers by up to 1e-5.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import recorded_optimizer, recorded_policies

FOLDER = Path(__file__).parent / "recorded"
ROUNDS = 120
WORLDS = ("line", "plane", "matrix")
HISTORIES = (2, 3, 5, 8, 11, 13, 16, 20)
TIE = 1e-6  # of the bounds' scale: arms this close may be exchanged
NEAR = 1e-3  # of the spread of the means, or of an interval


def labels() -> list[str]:
    """World, policy and schedule of each run."""
    return ["/".join(label) for label in recorded_policies.labels() if label[0] in WORLDS]


def run(label: str) -> dict[str, Any]:
    """What is kept of a run: arms, the gap to the second best bound, means at the end."""
    where, name, schedule = label.split("/")
    whole = recorded_policies.record(where, name, schedule, ROUNDS)
    return {
        "arms": whole["arms"].astype(np.int16),
        "gaps": whole["figures"][:, 3].astype(np.float32),
        "means": whole[f"mean@{ROUNDS}"].astype(np.float32),
    }


def answers(number: int) -> Any:
    """The answers of a history, without what hangs on the search for the next suggestion."""
    return json.loads(json.dumps(recorded_optimizer.record(number)[:3]))


@pytest.mark.parametrize("where", WORLDS)
def test_policies_play_the_same_arms(where: str) -> None:
    with np.load(FOLDER / "policies.npz") as held:
        for label in labels():
            if not label.startswith(where):
                continue
            old = {key: held[f"{label}|{key}"] for key in ("arms", "gaps", "means")}
            new = run(label)
            differ = np.flatnonzero(old["arms"] != new["arms"])
            spread = float(np.ptp(old["means"])) + 1e-12
            if len(differ):
                assert old["gaps"][differ[0]] <= TIE * spread, f"{label}, round {differ[0]}"
            else:
                room = NEAR * spread + 1e-6 * float(np.abs(old["means"]).max())
                assert np.abs(old["means"] - new["means"]).max() <= room, label


@pytest.mark.parametrize("number", HISTORIES)
def test_the_optimiser_gives_the_same_answers(number: int) -> None:
    with gzip.open(FOLDER / "optimizer.json.gz") as file:
        held = json.loads(file.read())[str(number)]
    for old, new in zip(held, answers(number), strict=True):
        low, high = old["interval"]
        room = NEAR * (high - low)
        assert new["value"] == pytest.approx(old["value"], abs=room)
        assert new["interval"] == pytest.approx(old["interval"], abs=room)
        assert [s["trial"] for s in new["suspects"]] == [s["trial"] for s in old["suspects"]]
        for key, value in old["params"].items():
            same = value if isinstance(value, str) else pytest.approx(value, rel=NEAR)
            assert new["params"][key] == same


def main() -> None:
    """Record anew."""
    FOLDER.mkdir(exist_ok=True)
    kept = {f"{label}|{key}": part for label in labels() for key, part in run(label).items()}
    np.savez_compressed(FOLDER / "policies.npz", **kept)
    text = json.dumps({str(number): answers(number) for number in HISTORIES}, ensure_ascii=False)
    with gzip.GzipFile(FOLDER / "optimizer.json.gz", "wb", mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    main()
