"""Compiled loops against their NumPy forms, and policies without Numba."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stoic import loops
from stoic.estimators.spread import RunningSpread, room
from stoic.features.parts import NO_PARTS, Parts
from stoic.loops.compiling import COMPILES, NUMPY_FORMS
from stoic.loops.streams import MAD_OF_NORMAL

pytestmark = pytest.mark.skipif(not COMPILES, reason="needs Numba: stoic[fast]")

Array = NDArray[np.float64]
SIZES = st.integers(1, 40)
SEEDS = st.integers(0, 10_000)
SCALES = st.sampled_from([1e-100, 1.0, 1e100])


def forms(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The NumPy form and the compiled form of a loop."""
    return NUMPY_FORMS[name], getattr(loops, name)


def both(name: str, call: Callable[..., object], *arrays: NDArray[Any]) -> list[tuple[object, ...]]:
    """What each form returns, and what it makes of its arrays."""
    results = []
    for form in forms(name):
        copies = [array.copy(order="K") for array in arrays]
        results.append((call(form, *copies), *copies))
    return results


def agree(results: list[tuple[object, ...]], scale: float = 1.0) -> None:
    for ours, theirs in zip(*results, strict=True):
        if ours is not None:
            np.testing.assert_allclose(
                np.asarray(theirs), np.asarray(ours), rtol=1e-12, atol=1e-12 * scale
            )


def _parts(rng: np.random.Generator, A: int, r: int) -> Parts:
    n, p = int(rng.integers(1, A + 1)), int(rng.integers(1, 9))
    order = np.resize(rng.permutation(A), -(-A // n) * n)
    B = len(order) // n
    return Parts(rng.standard_normal((B * p, r)), rng.standard_normal((B, p, n)), order)


def test_every_loop_has_two_forms() -> None:
    found = {name for name, loop in vars(loops).items() if callable(loop)}
    assert found == set(NUMPY_FORMS)
    for name in found:
        numpy_form, compiled_form = forms(name)
        assert numpy_form.__name__ == f"{name}_numpy"
        assert compiled_form.py_func.__name__ == name  # type: ignore[attr-defined]


@given(A=SIZES, r=st.integers(0, 12), seed=SEEDS, lam=st.floats(0.01, 100.0))
@settings(max_examples=80, deadline=None)
def test_play(A: int, r: int, seed: int, lam: float) -> None:
    rng = np.random.default_rng(seed)
    psi = rng.standard_normal((A, r))
    root = rng.standard_normal((r, r))
    inverse = root @ root.T / max(r, 1) + np.eye(r)
    arm = int(rng.integers(A))
    var = 50.0 * rng.random(A)
    direction = inverse @ psi[arm]
    agree(
        both(
            "play",
            lambda f, inverse, var, *rest: f(psi[arm], inverse, var, 0.5, lam, *rest),
            *(inverse, var, direction, psi @ direction),
        ),
        scale=1e3 * (1.0 + lam),
    )


@given(A=SIZES, r=st.integers(0, 12), seed=SEEDS, in_parts=st.booleans())
@settings(max_examples=60, deadline=None)
def test_correlate(A: int, r: int, seed: int, in_parts: bool) -> None:
    rng = np.random.default_rng(seed)
    psi, inverse = rng.standard_normal((A, r)), rng.standard_normal((r, r))
    parts, arm = tuple(_parts(rng, A, r) if in_parts else NO_PARTS), int(rng.integers(A))
    results = both(
        "correlate",
        lambda f, direction, column: f(psi, parts, inverse, arm, direction, column),
        *(np.empty(r), np.empty(A)),
    )
    agree(results, scale=1e3)


@given(A=SIZES, r=st.integers(0, 12), n=st.integers(0, 30), seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_smooth_about(A: int, r: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    psi, root = rng.standard_normal((A, r)), rng.standard_normal((r, r))
    tail, arms, centre = rng.standard_t(1.5, n), rng.integers(0, A, n), rng.standard_normal(A)
    count, old = rng.integers(0, 3, A), int(rng.integers(0, n + 1))
    settled, counts = count * rng.standard_normal(A), count + np.bincount(arms, minlength=A)
    inverse, var = root @ root.T, rng.random(A)
    limits = (0.3, 0.2, 2.0, 0.1)  # residual, function, factor, growth
    hot = np.zeros(n, dtype=np.int64)
    agree(
        both(
            "smooth_about",
            lambda f, settled, many, theta, hot, far: f(
                (tail, arms, hot, far),
                old,
                (counts, var, centre, settled, many),
                *(0.3, limits, psi, inverse, theta),
            ),
            *(settled, count.astype(float), np.empty(r), hot, np.zeros((2, n))),
        ),
        scale=100.0 * (1 + r) * (1.0 + np.abs(tail).sum()),
    )


@given(m=SIZES, r=st.integers(1, 12), n=st.integers(0, 8), seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_payoffs_in_directions(m: int, r: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    r = min(r, m)
    values, vectors = np.linalg.eigh(np.cov(rng.standard_normal((r, r + 5))).reshape(r, r))
    values, vectors = values + 1.0, np.ascontiguousarray(vectors)
    basis = np.asfortranarray(np.linalg.qr(rng.standard_normal((m, r)))[0])
    psi, arms = rng.standard_normal((9, r)), rng.integers(0, 9, n)
    payoffs, limit = rng.standard_t(1.5, n), rng.random(n)
    given = (values, vectors, basis, psi, arms, payoffs)
    scale, theta = 10.0 * (1.0 + np.abs(payoffs).sum()), rng.standard_normal(r)
    agree(both("clip_directions", lambda f, theta: f(*given, limit, theta), theta), scale)
    agree(both("cut_directions", lambda f, theta: f(*given, 0.7, theta), theta), scale)


@given(A=st.integers(0, 40), r=st.integers(0, 12), seed=SEEDS, in_parts=st.booleans())
@settings(max_examples=40, deadline=None)
def test_spread(A: int, r: int, seed: int, in_parts: bool) -> None:
    rng = np.random.default_rng(seed)
    psi, theta = rng.standard_normal((A, r)), rng.standard_normal(r)
    parts = tuple(_parts(rng, A, r) if in_parts and A else NO_PARTS)
    agree(both("spread", lambda f, out: f(psi, parts, theta, out), np.empty(A)), scale=100.0)


VALUES = st.lists(st.sampled_from([0.0, 1.0, -2.5, 3.25]) | st.floats(-1e3, 1e3), min_size=1)


def _thinned(values: list[float]) -> list[float]:
    """What a stream keeps: all until there are too many, then every second, and so on."""
    kept: list[float] = []
    stride = 1
    for i, value in enumerate(values):
        if i % stride == 0 and len(kept) == 1024:
            kept, stride = kept[::2], 2 * stride
        if i % stride == 0:
            kept.append(value)
    return kept


@given(values=VALUES, times=st.sampled_from([1, 1, 400]), scale=SCALES)
@settings(max_examples=60, deadline=None)
def test_spread_of_a_stream(values: list[float], times: int, scale: float) -> None:
    values = [scale * value for value in values * times]
    stream, (kept, counters) = RunningSpread(), room(1)
    for value in values:
        stream.add(value)
        NUMPY_FORMS["take_in"](kept[0], counters[0], value)
    sample = np.array(_thinned(values))
    known = stream.state()
    np.testing.assert_array_equal(known["sample"], sample)
    np.testing.assert_array_equal(stream._values[1, : len(sample)], np.sort(sample))
    np.testing.assert_array_equal(counters[0], stream._counters)
    if known["next"] == known["count"] + 1 and len(values) < 20:  # worked out at each value
        centre = np.median(sample)
        off = np.abs(sample - centre)
        expected = np.median(off) or (np.median(off[off > 0]) if off.any() else 0.0)
        assert stream.location == pytest.approx(centre, rel=1e-12, abs=1e-12 * scale)
        assert stream.scale * MAD_OF_NORMAL == pytest.approx(expected, rel=1e-9, abs=1e-12 * scale)


@given(columns=st.integers(1, 5), seed=SEEDS, scale=SCALES)
@settings(max_examples=60, deadline=None)
def test_clip_payoffs(columns: int, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    streak = int(rng.integers(-3, 4))
    values, counters = room(2)
    counters = np.vstack([counters, [scale, 1.0, 0.0, 0.0, 0.0, 0.0]])
    for y in scale * rng.standard_t(1.5, 30):
        loops.take_in(values[0], counters[0], y)
        loops.take_in(values[1], counters[1], 0.5 * y)
    payoffs = scale * rng.standard_t(1.5, columns)

    def call(f: Any, values: Array, counters: Array, payoffs: Array) -> Any:
        return f(values, counters, payoffs, streak, 0.2 * scale, 0.3, 0.4 * scale, 2.1)

    agree(both("clip_payoffs", call, values, counters, payoffs), scale)
    by_hand = [payoffs.copy(), payoffs.copy()]
    streaks = {
        call(form, values.copy(), counters.copy(), clipped)
        for form, clipped in zip(forms("clip_payoffs"), by_hand, strict=True)
    }
    assert len(streaks) == 1
    np.testing.assert_allclose(by_hand[1], by_hand[0], rtol=1e-14)


@given(A=SIZES, late=st.integers(0, 31), seed=SEEDS)
@settings(max_examples=80, deadline=None)
def test_late_play(A: int, late: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((A, A))
    covariance = np.asfortranarray(np.tril(root @ root.T / A + np.eye(A)))  # one half is enough
    recent = np.zeros((A, 32), order="F")
    recent[:, :late] = 0.05 * rng.standard_normal((A, late))
    arm = int(rng.integers(A))
    agree(
        both(
            "late_play",
            lambda f, C, G, var, gain: f(C, G, late, var, arm, 0.7, gain),
            covariance,
            recent,
            1.0 + rng.random(A),
            np.empty(A),
        )
    )


@given(A=SIZES, columns=st.integers(1, 5), seed=SEEDS, scale=SCALES)
@settings(max_examples=60, deadline=None)
def test_pull(A: int, columns: int, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    arm = int(rng.integers(A))
    agree(
        both(
            "pull",
            lambda f, rows, sums, gain, payoffs, out: f(rows, sums, gain, arm, payoffs, 0.3, out),
            scale * rng.standard_normal((columns + 1, A)),
            scale * rng.standard_normal((A, columns)),
            rng.random(A),
            scale * rng.standard_normal(columns),
            np.empty(A),
        ),
        scale,
    )


@given(A=st.integers(0, 150), columns=st.integers(1, 30), seed=SEEDS, scale=SCALES)
@settings(max_examples=80, deadline=None)
def test_deviate(A: int, columns: int, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    rows = scale * rng.integers(-3, 4, (columns + 1, A)).astype(float)  # with ties
    results = both("deviate", lambda f, rows, out: f(rows, 0.3, out), rows, np.empty(A))
    agree(results, scale)
    if A:
        expected = np.median(rows[:-1], axis=0) - 0.3 * rows[-1]
        np.testing.assert_allclose(np.asarray(results[1][2]), expected, atol=1e-12 * scale)


@given(A=SIZES, p=st.sampled_from([1.01, 1.5, 2.0]), seed=SEEDS, scale=SCALES)
@settings(max_examples=60, deadline=None)
def test_norm(A: int, p: float, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    gain, counts = scale * rng.standard_normal(A), rng.integers(0, 3, A)
    got = [form(gain, counts, p) for form in forms("norm")]
    assert got[1] == pytest.approx(got[0], rel=1e-12)
    plays = np.repeat(np.abs(gain) / scale, counts)
    assert got[1] == pytest.approx(scale * float((plays**p).sum() ** (1.0 / p)), rel=1e-9)


@given(blocks=st.integers(1, 5), n=st.integers(1, 9), p=st.integers(1, 6), seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_interpolate(blocks: int, n: int, p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (blocks, n)
    weights = rng.standard_normal((*shape, p)).astype(np.float32)
    stamp, since = rng.integers(0, 7, shape), rng.random(7)
    anchors, offset = rng.standard_normal((blocks, p)), rng.standard_normal((2, *shape))
    agree(
        both(
            "interpolate",
            lambda f, values: f(weights, anchors, offset, 0.7, values),
            np.empty(shape),
        )
    )
    rho, slack = rng.random(shape), rng.random(blocks)
    agree(
        both(
            "interpolation_error",
            lambda f, out: f(since, stamp, rho, slack, out),
            np.empty(shape),
        )
    )


@given(A=SIZES, seed=SEEDS, q=st.floats(0.1, 4.0))
@settings(max_examples=60, deadline=None)
def test_outlive(A: int, seed: int, q: float) -> None:
    rng = np.random.default_rng(seed)
    variates = np.where(rng.random(A) < 0.5, rng.random(A), 2.0)
    limits, held = rng.random(A), np.flatnonzero(rng.random(A) < 0.3)
    results = both("outlive", lambda f, v: f(v, limits, q, 2.0, held), variates)
    agree(results)
    inside = (variates < 2.0) & (variates <= q * limits)
    assert results[1][0] == (inside.sum(), inside[held].sum())


@given(
    r=st.integers(1, 30),
    seed=SEEDS,
    steps=st.integers(1, 70),
    decay=st.sampled_from([0.0, 0.3, 2.0]),
    lam=st.sampled_from([1e-3, 1.0, 1e3]),
)
@settings(max_examples=60, deadline=None)
def test_turn(r: int, seed: int, steps: int, decay: float, lam: float) -> None:
    """Equal eigenvalues at first, then rows that come again, and ones that hardly count."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((8, r)) * np.exp(-decay * np.arange(r))
    for form in forms("turn"):
        V, values, vectors = lam * np.eye(r), np.full(r, lam), np.eye(r)
        for row in rows[rng.integers(0, 8, steps)]:
            V += np.outer(row, row)
            form(values, vectors, row)
        assert (np.diff(values) >= 0.0).all()
        assert vectors.T @ vectors == pytest.approx(np.eye(r), abs=1e-12)
        largest = float(np.abs(V).max())
        assert (vectors * values) @ vectors.T == pytest.approx(V, abs=1e-12 * largest)


@given(A=SIZES, seed=SEEDS, width=st.sampled_from([0.0, 0.5, 1e6]))
@settings(max_examples=60, deadline=None)
def test_highest(A: int, seed: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    deviation, var = rng.integers(-2, 3, A).astype(float), rng.integers(0, 3, A).astype(float)
    got = [form(deviation, var, width) for form in forms("highest")]
    assert got[0] == got[1] == int(np.argmax(deviation + width * np.sqrt(var)))


def test_policies_without_numba_choose_the_same_arms() -> None:
    program = """
import sys
if sys.argv[1] == "without":
    sys.modules["numba"] = None
import numpy as np, stoic
from stoic import loops
from stoic.policies import by_name
print(loops.play.__name__, file=sys.stderr)
points = np.random.default_rng(0).random((60, 2))
by_name("tgp-ucb").many_arms = 1
for name in ("gp-ucb", "tgp-ucb", "ca-tgp-ucb", "mom-gp-ucb", "bkb", "ata-gp-ucb"):
    for kernel in (stoic.SquaredExponential(0.5), stoic.Matern(1.5, 0.2)):
        policy = by_name(name)(stoic.Arms(points), kernel)
        rng = np.random.default_rng(1)
        for _ in range(150):
            arm = policy.ask()
            print(arm, end=" ")
            policy.tell(arm, float(np.sin(5 * points[arm]).sum() + 0.3 * rng.standard_t(2)))
"""
    ran = [
        subprocess.run(
            [sys.executable, "-c", program, how], capture_output=True, text=True, check=True
        )
        for how in ("with", "without")
    ]
    assert [r.stderr.strip() for r in ran] == ["play", "play_numpy"]
    assert ran[0].stdout == ran[1].stdout


def test_without_a_folder_for_compiled_code() -> None:
    """As where the package belongs to root and the user has no home."""
    program = """
from numba.core import caching
caching.CacheImpl._locator_classes = []
import numpy as np
from stoic import loops
print(loops.highest.__name__, loops.highest(np.array([0.0, 1.0]), np.ones(2), 1.0))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["highest", "1"]


def test_compiled_code_is_kept_where_numba_is_asked_to(tmp_path: Path) -> None:
    program = """
import numpy as np
from stoic import loops
loops.highest(np.array([0.0, 1.0]), np.ones(2), 1.0)
print(sum(loops.highest.stats.cache_hits.values()))
"""
    hits = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        ).stdout.strip()
        for _ in range(2)
    ]
    assert hits == ["0", "1"]
    assert list(tmp_path.rglob("*highest*.nbc"))
