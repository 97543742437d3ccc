"""Saved states that somebody has tampered with: made, loaded and played on in child processes.

``examples`` are sound states of every policy; ``mutated`` spoils one of them; ``verdicts`` says
of each spoiled file what loading it and playing on did. Used by ``test_hostile_states.py`` and by
``benchmarks/core/hostile_states.py``.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import stoic
from stoic import state as states
from stoic.errors import InvalidState, StoicError
from stoic.policies import by_name, from_state, names
from stoic.policies.parts.registry import register

ROUNDS = 20
_SECONDS = 60  # after which a child counts as hung; a round takes milliseconds
_BYTES = 4 * 2**30  # of address space that a child may use beyond what it has

REFUSED, PLAYED = "refused", "played"

_THEORY: dict[str, Any] = {
    "schedule": "theory",
    "horizon": 200,
    "assumptions": stoic.Assumptions(
        raw_moment=3.0, central_moment=2.0, noise_std=1.0, budget=2.0, moment_order=0.8
    ),
}
_ROUGH, _SMOOTH = stoic.Matern(1.5, 0.1), stoic.SquaredExponential(0.5)


class ManyArms(stoic.policies.TGPUCB):
    """A policy that takes few arms for many."""

    name = "tgp-ucb-many-arms"
    many_arms = 30


def examples(every: int = 1) -> Iterator[tuple[str, states.State]]:
    """Names and sound states: every policy, schedule, domain and kind of posterior, or some."""
    for name, arguments in list(_examples())[::every]:
        yield name, _played(*arguments)


def _examples() -> Iterator[tuple[str, tuple[str, Any, Any, dict[str, Any], int]]]:
    """Names, and how to come by the states."""
    rng = np.random.default_rng(0)
    few, many = stoic.Arms(rng.random((12, 2))), stoic.Arms(rng.random((40, 1)))
    box, matrix = stoic.Box([0.0, -1.0], [1.0, 1.0]), stoic.Arms.matrix(np.eye(6) + 0.5)
    worlds: list[tuple[str, Any, Any, dict[str, Any]]] = [
        ("rough", few, _ROUGH, {}),
        ("smooth", many, _SMOOTH, {}),
        ("theory", many, _SMOOTH, _THEORY),
        ("small-ridge", few, 1.5 * _ROUGH + stoic.Linear(), {"lam": 0.01}),
        ("box", box, _SMOOTH, {}),
        ("matrix", matrix, None, {}),
    ]
    for name in names():
        for world, domain, kernel, own in worlds:
            if own.get("schedule", "practical") not in by_name(name).schedules:
                continue
            yield f"{name}-{world}", (name, domain, kernel, own, 6 if world == "box" else 37)
    yield "ata-gp-ucb-qff", ("ata-gp-ucb", many, _SMOOTH, {"features": "qff"}, 33)
    own = {"features": "qff", **_THEORY}
    yield "ata-gp-ucb-qff-theory", ("ata-gp-ucb", many, _SMOOTH, own, 21)
    own = {"features": "rff", "frequencies": 9}
    yield "ata-gp-ucb-rff", ("ata-gp-ucb", few, _ROUGH, own, 33)
    own = {"features": "linear", **_THEORY}
    yield "ata-gp-ucb-linear", ("ata-gp-ucb", few, stoic.Linear(0.5), own, 27)
    yield "rgp-pe-median", ("rgp-pe", few, _ROUGH, {"replicate": "median"}, 31)
    yield "mom-gp-ucb-warming", ("mom-gp-ucb", few, _ROUGH, {}, 7)
    register(ManyArms)  # here alone: other tests go through all policies that are known
    yield "tgp-ucb-many-arms", (ManyArms.name, many, _ROUGH, {}, 45)


def _played(name: str, domain: Any, kernel: Any, own: dict[str, Any], rounds: int) -> states.State:
    make: Any = by_name(name)
    policy = make(domain, kernel, seed=5, **own)
    play(policy, rounds)
    return dict(policy.state())


def play(policy: Any, rounds: int) -> None:
    """Play on with heavy-tailed payoffs; ask for all that a user may."""
    rng = np.random.default_rng(policy.t)
    for _ in range(rounds):
        arm = policy.ask()
        policy.tell(arm, float(np.sum(arm) % 3 + rng.standard_t(1.5)))
    policy.ask(3)


# -- tampering ----------------------------------------------------------------------------------


def mutated(state: states.State, rng: np.random.Generator) -> tuple[str, states.State]:
    """A copy of a state with one to three things wrong, and what they are."""
    spoiled = dict(state)
    done = []
    for _ in range(int(rng.integers(1, 4))):
        change = _CHANGES[int(rng.integers(len(_CHANGES)))]
        key = str(rng.choice(sorted(spoiled)))
        change(spoiled, key, rng)
        done.append(f"{change.__name__.strip('_')} {key}")
    return ", ".join(done), spoiled


def _as_array(value: Any) -> np.ndarray[Any, Any]:
    return np.array(value)


def _put(state: states.State, key: str, array: np.ndarray[Any, Any]) -> None:
    state[key] = array.item() if array.ndim == 0 else array


def _drop(state: states.State, key: str, rng: np.random.Generator) -> None:
    del rng, state[key]


def _nest(state: states.State, key: str, rng: np.random.Generator) -> None:
    state[f"{key}/{'b' * int(rng.integers(1, 3))}"] = 1.0


def _cut(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = _as_array(state[key])
    if array.ndim:
        axis = int(rng.integers(array.ndim))
        length = int(rng.integers(array.shape[axis] + 1))
        _put(state, key, np.take(array, range(length), axis))


def _extend(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = _as_array(state[key])
    if array.ndim and array.size:
        axis = int(rng.integers(array.ndim))
        _put(state, key, np.concatenate([array, array[:1]] if axis == 0 else [array, array], axis))


def _transpose(state: states.State, key: str, rng: np.random.Generator) -> None:
    del rng
    _put(state, key, _as_array(state[key]).T.copy())


def _shift(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = _as_array(state[key])
    if array.dtype.kind in "iuf":
        by = int(rng.choice([1, -1, 3, -3, 40, -40, 10**6, -(10**6), 2**40, -(2**40)]))
        _put(state, key, array + np.array(by).astype(array.dtype))


def _flip(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = np.ascontiguousarray(_as_array(state[key]))
    if array.size and array.dtype.kind in "iuf":
        raw = bytearray(array.tobytes())
        for _ in range(int(rng.integers(1, 4))):
            raw[int(rng.integers(len(raw)))] ^= 1 << int(rng.integers(8))
        _put(state, key, np.frombuffer(bytes(raw), array.dtype).reshape(array.shape).copy())


def _retype(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = _as_array(state[key])
    kind = str(rng.choice(["f4", "i4", "i1", "?", "c16", "U4", "u8", "f2", "i8", "f8"]))
    if array.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            _put(state, key, array.astype(kind))


def _poison(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = _as_array(state[key])
    if array.size and array.dtype.kind == "f":
        value = float(rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e300, 5e-324, -1.0, 0.0]))
        array = array.copy()
        array.flat[int(rng.integers(array.size))] = value
        _put(state, key, array)


def _scale(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = _as_array(state[key])
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            _put(state, key, array * float(rng.choice([1e-300, 1e-9, -1.0, 1e6, 1e150, 1e300])))


def _shuffle(state: states.State, key: str, rng: np.random.Generator) -> None:
    array = _as_array(state[key])
    if array.ndim:
        _put(state, key, rng.permutation(array))


def _swap(state: states.State, key: str, rng: np.random.Generator) -> None:
    other = str(rng.choice(sorted(state)))
    state[key], state[other] = state[other], state[key]


_CHANGES: list[Callable[[states.State, str, np.random.Generator], None]] = [
    _drop,
    _nest,
    _cut,
    _extend,
    _transpose,
    _shift,
    _shift,
    _flip,
    _flip,
    _retype,
    _poison,
    _scale,
    _shuffle,
    _swap,
]


def spoiled_file(state: states.State, path: Path, rng: np.random.Generator) -> str:
    """Write a tampered state, or a sound one whose file is then tampered with; what was done."""
    if rng.random() < 0.75:
        what, spoiled = mutated(state, rng)
        _write(path, spoiled)
        return what
    _write(path, state)
    raw = bytearray(path.read_bytes())
    if rng.random() < 0.3:
        del raw[int(rng.integers(len(raw))) :]
        what = "file cut"
    else:
        for _ in range(int(rng.integers(1, 9))):
            raw[int(rng.integers(len(raw)))] = int(rng.integers(256))
        what = "file bytes changed"
    path.write_bytes(bytes(raw))
    return what


def _write(path: Path, state: states.State) -> None:
    if path.suffix == ".json":
        plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in state.items()}
        path.write_text(json.dumps(plain, default=str), encoding="utf-8")
    else:
        arrays: dict[str, Any] = {k: np.asarray(v) for k, v in state.items()}
        np.savez(path, **arrays)


# -- children -----------------------------------------------------------------------------------


def examine(path: Path) -> str:
    """Load a state and play on: refused, played, or what went wrong."""
    try:
        policy = from_state(states.load(path))
    except InvalidState:
        return REFUSED
    except StoicError as error:  # a typed error, but of the wrong kind
        return f"refused as {type(error).__name__}"
    except Exception:
        return "untyped error while loading: " + traceback.format_exc()
    try:
        play(policy, ROUNDS)
        policy.recommend()
    except Exception:
        return "error while playing: " + traceback.format_exc()
    shown: list[Any] = [policy.mean, policy.std, [policy.width], *policy.recommend()[1:]]
    flat = np.concatenate([np.ravel(figures) for figures in shown])
    return PLAYED if np.isfinite(flat).all() else f"not finite: {flat[~np.isfinite(flat)][:3]}"


def verdict(path: Path) -> str:
    """:func:`examine` in a forked child, whose death is a verdict too."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_SECONDS)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _BYTES, used + _BYTES))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        np.seterr(all="ignore")
        os.write(writer, examine(path).encode()[-4000:])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return "hung" if name == "SIGALRM" else f"killed by {name}"
    return said or f"ended with status {status}"


def verdicts(
    count: int, first: int, folder: Path, every: int = 1
) -> Iterator[tuple[int, str, str]]:
    """Seed, what was done, and the verdict of so many tampered files."""
    sound = list(examples(every))
    for name, state in sound:  # compile everything before the first fork
        path = folder / f"sound{('.json', '.npz')[len(name) % 2]}"
        _write(path, state)
        assert examine(path) == PLAYED, (name, examine(path))
    for seed in range(first, first + count):
        rng = np.random.default_rng([7, seed])
        name, state = sound[seed % len(sound)]
        path = folder / f"{seed}{('.json', '.npz')[int(rng.integers(2))]}"
        what = spoiled_file(state, path, rng)
        yield seed, f"{name} {path.suffix}: {what}", verdict(path)
        path.unlink()


if __name__ == "__main__":  # hostile.py COUNT FIRST FOLDER [EVERY]: one line of JSON each
    count, first, every = (int(text) for text in (*sys.argv[1:3], *sys.argv[4:], "1")[:3])
    for row in verdicts(count, first, Path(sys.argv[3]), every):
        print(json.dumps(row), flush=True)
