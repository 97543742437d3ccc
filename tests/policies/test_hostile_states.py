"""Saved states from outside: whatever is wrong with them is found before anything is built."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.hostile import PLAYED, REFUSED, play
from helpers.soak import SOAK, sized
from stoic import state as states
from stoic.errors import InvalidState
from stoic.policies import ATAGPUCB, TGPUCB, from_state

SCRIPT = Path(__file__).parents[1] / "helpers" / "hostile.py"
ARMS = stoic.Arms(np.random.default_rng(0).random((30, 2)))
KERNEL = stoic.SquaredExponential(0.5)
SAMPLE = sized(120, 300)  # of the files that benchmarks/core/hostile_states.py makes thousands of


@pytest.mark.parametrize("bounds", [False, True], ids=["plain", "bounds-checked"])
def test_tampered_files_are_refused_or_harmless(bounds: bool, tmp_path: Path) -> None:
    """An index that compiled code can't use is an IndexError where bounds are checked.

    By Numba in a soak, after half a minute of compiling; else by NumPy, in loops that are not
    compiled and therefore take few of the examples.
    """
    environment = dict(os.environ)
    count, first, every = SAMPLE, 0, 1
    if bounds and SOAK:
        cache = str(tmp_path / "cache")  # not to mix with the other code
        environment |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache}
        count, first = SAMPLE // 5, 5000
    elif bounds:
        environment |= {"NUMBA_DISABLE_JIT": "1"}
        count, first, every = SAMPLE // 2, 5000, 7
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(count), str(first), str(tmp_path), str(every)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == count
    wrong = [row for row in rows if row[2] not in (REFUSED, PLAYED)]
    assert not wrong, wrong[0]
    counted = Counter(row[2] for row in rows)
    assert min(counted[REFUSED], counted[PLAYED]) >= count // 20, counted  # it does both


# -- indices and figures --------------------------------------------------------------------------


def played(policy: Any, rounds: int = 60) -> states.State:
    play(policy, rounds)
    return dict(policy.state())


@pytest.mark.parametrize("shift", [3, -3, 40, -40, 10**6])
def test_the_arms_of_a_tail_must_be_arms_that_were_played(shift: int) -> None:
    theory = {"horizon": 500, "assumptions": stoic.Assumptions(raw_moment=3.0)}
    state = played(ATAGPUCB(ARMS, KERNEL, schedule="theory", **theory))
    assert len(state["memory/estimator/tail_arm"])
    state["memory/estimator/tail_arm"] = state["memory/estimator/tail_arm"] + shift
    with pytest.raises(InvalidState, match="expected"):
        from_state(state)


def test_a_study_refuses_what_a_policy_refuses(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "a.db", policy=ATAGPUCB(ARMS, KERNEL)) as study:
        for _ in range(12):
            trial = study.ask()
            study.tell(trial, 1.0)
    command = [sys.executable, "-m", "stoic"]
    exported, evil = tmp_path / "good.json", tmp_path / "evil.json"
    run = [*command, "study", "export", str(exported), "--store", str(tmp_path / "a.db")]
    assert subprocess.run(run, check=False).returncode == 0
    text = json.loads(exported.read_text())
    state = next(part["policy"] for part in nested(text) if "policy" in part)
    tail = "memory/estimator/tail_arm"
    assert tail in state, sorted(state)
    state[tail] = [40, 41]
    state["memory/estimator/tail"] = [1.0, 2.0]
    evil.write_text(json.dumps(text))
    run = [*command, "study", "import", str(evil), "--store", str(tmp_path / "b.db")]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode not in (0, -11), done
    assert "Traceback" not in done.stderr
    assert "tail_arm" in done.stderr


def nested(value: Any) -> list[dict[str, Any]]:
    """All objects in a JSON value."""
    if isinstance(value, dict):
        return [value] + [part for each in value.values() for part in nested(each)]
    return [part for each in value for part in nested(each)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("memory/estimator/location", math.nan),
        ("memory/calibration/origin", math.nan),
        ("memory/calibration/origin", 1.5),
        ("memory/t", math.inf),
        ("memory/t", 61.0),
        ("memory/posterior/logdet", -1.0),
        ("memory/calibration/streak_arms", np.array([31])),
        ("shared/horizon", 10**400),
        ("assumptions/delta", 5e-324),
        ("memory/calibration/streaks", [True]),
        ("surplus", 1.0),
    ],
)
def test_one_wrong_value_is_refused(name: str, value: Any) -> None:
    state = played(TGPUCB(ARMS, KERNEL))
    from_state(state)
    with pytest.raises(InvalidState, match=r"expected|damaged"):
        from_state({**state, name: value})


def test_a_name_can_not_be_a_value_and_a_part() -> None:
    for flat in ({"a": 1, "a/b": 2}, {"a/b": 2, "a": 1}, {"a": {"b": 1}}):
        with pytest.raises(InvalidState, match="expected"):
            states.unflatten(flat)
    with pytest.raises(InvalidState, match="parts"):
        states.unflatten({"/".join("a" * 1000): 1})


# -- files ----------------------------------------------------------------------------------------


def npz(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array))
    return buffer.getvalue()


def eight_terabytes() -> bytes:
    header = io.BytesIO()
    head = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(header, head)
    return npz({"format.npy": header.getvalue()})


ZEROS = npy(np.zeros(2**19))  # 4 MB
FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "not an array": (".npz", lambda: npz({"format.txt": b"1"})),
    "not an array, but called so": (".npz", lambda: npz({"format.npy": b"1"})),
    "a header of 8 TB": (".npz", eight_terabytes),
    "deep JSON": (".json", lambda: b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "a name twice": (".json", lambda: b'{"format": 1, "format": 2}'),
    "not UTF-8": (".json", lambda: b'{"format": "\xff"}'),
    "an empty archive": (".npz", lambda: npz({})),
    "an empty file": (".npz", lambda: b""),
    "an array called an archive": (".npz", lambda: npy(np.zeros(3))),
    "pickled objects": (".npz", lambda: npz({"format.npy": npy(np.array([{}]))})),
    "a bomb of 755 MB": (".npz", lambda: npz({f"{i}.npy": ZEROS for i in range(180)})),
    "a bomb of one array": (".npz", lambda: npz({"a.npy": npy(np.zeros(2**24))})),
}
LOAD = """
import resource, sys
from stoic import state
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    state.load(sys.argv[1])
except state.InvalidState as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, str(error)[:200])
"""


@pytest.mark.parametrize("what", FILES)
def test_hostile_files_are_refused_in_little_memory(what: str, tmp_path: Path) -> None:
    suffix, make = FILES[what]
    path = tmp_path / f"state{suffix}"
    path.write_bytes(make())
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    kilobytes, message = done.stdout.split(maxsplit=1)
    assert int(kilobytes) < 100 * 1024
    assert "is not a whole state file" in message


def test_what_compresses_well_is_stored_so_that_it_can_be_read(tmp_path: Path) -> None:
    state: states.State = {"a": np.zeros(2**24), "b": 3}
    states.save(tmp_path / "a.npz", state)
    assert np.array_equal(states.load(tmp_path / "a.npz")["a"], state["a"])
    with pytest.raises(InvalidState, match="npz"):
        states.save(tmp_path / "a.json", {"a": np.zeros(2**24)})
    assert not (tmp_path / "a.json").exists()


def test_room_is_made_only_for_what_the_state_holds() -> None:
    state = played(stoic.policies.MoMGPUCB(ARMS, KERNEL, plays=5))
    with pytest.raises(InvalidState, match="room for 5 plays"):
        from_state({**state, "options/plays": 2**25})


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.npz").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe.json", tmp_path / "zero.npz", "x\0y.json"):
        with pytest.raises(InvalidState, match="expected"):
            TGPUCB.load(path)


def test_the_longest_horizon_is_saved_and_loaded(tmp_path: Path) -> None:
    policy = TGPUCB(ARMS, KERNEL, horizon=2**53 - 1)
    policy.save(tmp_path / "a.json")
    assert TGPUCB.load(tmp_path / "a.json").horizon == 2**53 - 1


def test_messages_are_short() -> None:
    state = played(TGPUCB(ARMS, KERNEL), 3)
    for wrong in ({"policy": "x" * 10**6}, {"y" * 10**6: 1.0}, {"shared/schedule": "z" * 10**6}):
        with pytest.raises(InvalidState) as refused:
            from_state({**state, **wrong})
        assert len(str(refused.value)) < 2000
