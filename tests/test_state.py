"""Stop anywhere, restore in a new process, go on: bit for bit the run that never stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.resume import fingerprint, play_on
from helpers.soak import sized
from stoic import state as states
from stoic.errors import InvalidState
from stoic.policies import by_name, names

SCRIPT = Path(__file__).parent / "helpers" / "resume.py"

ROUNDS, STOPS = 300, sized(6, 50)
X = np.random.default_rng(0).random((30, 2))
THEORY: dict[str, Any] = {
    "schedule": "theory",
    "horizon": ROUNDS,
    "assumptions": stoic.Assumptions(
        raw_moment=3.0, central_moment=2.0, noise_std=1.0, budget=2.0, moment_order=0.8
    ),
}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in names()}
for srinivas in ("srinivas-thm1", "srinivas-thm3"):
    VARIANTS[f"gp-ucb-{srinivas}"] = ("gp-ucb", {**THEORY, "schedule": srinivas})
VARIANTS["rcgp-ucb-paper"] = ("rcgp-ucb", {"schedule": "paper"})  # it has no theory schedule
VARIANTS |= {
    f"{name}-theory": (name, THEORY) for name in names() if "theory" in by_name(name).schedules
}
VARIANTS["huber-gp-ucb-exact"] = ("huber-gp-ucb", {"features": "exact"})
VARIANTS["ata-gp-ucb-qff"] = ("ata-gp-ucb", {"features": "qff"})
VARIANTS["ata-gp-ucb-qff-theory"] = ("ata-gp-ucb", {"features": "qff", **THEORY})
VARIANTS["ata-gp-ucb-rff"] = ("ata-gp-ucb", {"features": "rff", "frequencies": 30})
VARIANTS["rgp-pe-median"] = ("rgp-pe", {"replicate": "median"})


Straight = tuple[list[Any], dict[str, int], str]  # arms, rounds at the stops, digest of the end


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Straight], Path]:
    """Runs of all variants that never stop, and a folder of states that they saved on the way."""
    folder = tmp_path_factory.mktemp("states")
    runs = {}
    for variant, (name, own) in VARIANTS.items():
        make: Any = by_name(name)
        policy = make(stoic.Arms(X), stoic.SquaredExponential(0.5), seed=3, **own)
        stops = np.random.default_rng(len(variant)).choice(ROUNDS, STOPS, replace=False)
        arms: list[Any] = []
        starts = {}
        for number, stop in enumerate(sorted(int(s) for s in stops)):
            arms += play_on(policy, stop)
            path = folder / f"{variant}@{stop:03d}{('.json', '.npz')[number % 2]}"
            policy.save(path)
            starts[path.name] = len(arms)
        arms += play_on(policy, ROUNDS)
        runs[variant] = arms, starts, fingerprint(policy)
    return runs, folder


@pytest.fixture(scope="module")
def resumed(straight: tuple[dict[str, Straight], Path]) -> dict[str, tuple[list[Any], str]]:
    """How the saved states go on in a new process."""
    command = [sys.executable, str(SCRIPT), str(straight[1]), str(ROUNDS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ends: dict[str, tuple[list[Any], str]] = json.loads(done.stdout)
    return ends


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_resumes_bit_by_bit(
    variant: str,
    straight: tuple[dict[str, Straight], Path],
    resumed: dict[str, tuple[list[Any], str]],
) -> None:
    arms, starts, end = straight[0][variant]
    assert len(starts) == STOPS
    for file, start in starts.items():
        played, digest = resumed[file]
        assert played == arms[start:], file
        assert digest == end, file


def test_box_states_resume(tmp_path: Path) -> None:
    for name in ("tgp-ucb", "mom-gp-ucb", "bbkb", "ata-gp-ucb", "huber-gp-ucb"):
        make: Any = by_name(name)
        policy = make(stoic.Box([0.0], [1.0]), stoic.SquaredExponential(0.2))
        play_on(policy, 13)
        policy.save(tmp_path / "state.npz")
        again = make.load(tmp_path / "state.npz")
        assert play_on(policy, 20) == play_on(again, 20)


def damaged(state: states.State) -> list[states.State]:
    no_memory = {k: v for k, v in state.items() if not k.startswith("memory/posterior")}
    return [
        {},
        {**state, "policy": "gp-ucb"},
        {**state, "format": 99},
        no_memory,
        {**state, "memory/posterior/var": ["a", "b"]},
        {**state, "kernel/type": "os.system"},
        {**state, "shared/lam": -1.0},
        {**state, "memory/posterior/covariance": np.zeros(3)},
    ]


def test_damaged_states_are_refused(tmp_path: Path) -> None:
    policy = stoic.policies.TGPUCB(stoic.Arms(X), stoic.Matern(2.5, 0.5))
    play_on(policy, 20)
    for state in damaged(policy.state()):
        with pytest.raises(stoic.StoicError):
            stoic.policies.TGPUCB.from_state(state)
    (tmp_path / "cut.json").write_text('{"format": 1, "pol')
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04 not a zip")
    (tmp_path / "list.json").write_text("[1, 2]")
    for name in ("cut.json", "cut.npz", "list.json"):
        with pytest.raises(InvalidState):
            stoic.policies.TGPUCB.load(tmp_path / name)
    with pytest.raises(InvalidState, match="ends in"):
        policy.save(tmp_path / "state.pkl")


def test_a_custom_schedule_must_be_given_again() -> None:
    class Constant:
        def width(self, now: stoic.schedules.Progress) -> float:
            return 2.0 + 0.0 * now.t

    policy = stoic.policies.GPUCB(stoic.Arms(X), stoic.Matern(2.5, 0.5), schedule=Constant())
    play_on(policy, 5)
    assert policy.width == 2.0
    with pytest.raises(InvalidState, match="custom schedule"):
        stoic.policies.GPUCB.from_state(policy.state())
    again = stoic.policies.GPUCB.from_state(policy.state(), schedule=Constant())
    assert again.ask() == policy.ask()
