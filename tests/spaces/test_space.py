"""Named search spaces: nothing is lost on the way to the unit cube, and nonsense is refused."""

from __future__ import annotations

import json
import math
import pickle
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.soak import sized
from stoic.errors import InvalidInput, InvalidParams, InvalidState
from stoic.spaces import Box, Categorical, Float, Grid, Int, Parameter, Space
from stoic.spaces.columns import read_columns
from stoic.spaces.parameters import fill_evenly

words = st.text(max_size=3)
plain = st.one_of(words, st.integers(-5, 5), st.floats(-9, 9), st.booleans(), st.none())
reals = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def floats(draw: st.DrawFn, /, **extra: Any) -> Float:
    scale = draw(st.sampled_from(["linear", "log"]))
    bound = reals if scale == "linear" else st.floats(1e-300, 1e300)
    low, high = sorted([draw(bound), draw(bound)])
    try:
        return Float(low, high, scale, **extra)  # type: ignore[arg-type]
    except InvalidInput:
        assume(False)
        raise


@st.composite
def finites(draw: st.DrawFn, /, largest: int = 2**62, **extra: Any) -> Parameter:
    kind = draw(st.sampled_from(["int", "log", "grid", "choice"]))
    if kind == "int":
        low = draw(st.integers(-largest, largest - 1))
        high = low + draw(st.integers(1, min(2**53, largest)))
        return Int(low, high, **extra)
    if kind == "log":
        low = draw(st.integers(1, min(2**40, largest) - 1))
        return Int(low, draw(st.integers(low + 1, min(2**40, largest))), "log", **extra)
    if kind == "grid":
        ranks = st.one_of(words, st.integers(-5, 5), st.floats(-9, 9))
        return Grid(draw(st.lists(ranks, min_size=1, max_size=5, unique=True)), **extra)
    return Categorical(draw(st.lists(plain, min_size=1, max_size=5, unique=True)), **extra)


@st.composite
def spaces(draw: st.DrawFn, finite: bool = False, largest: int = 2**62) -> Space:
    """Any space of a few parameters, some of them conditional on earlier ones."""
    parameters: dict[str, Parameter] = {}
    for name in "abcdef"[: draw(st.integers(1, 6))]:
        when = {}
        parents = [p for p in parameters if not isinstance(parameters[p], Float)]
        for parent in draw(st.lists(st.sampled_from(parents), max_size=2)) if parents else []:
            owner = parameters[parent]
            levels = st.integers(0, min((owner.size or 1) - 1, 6))
            when[parent] = [owner.value(k) for k in draw(st.sets(levels, min_size=1, max_size=4))]
        kinds = [finites(largest, when=when or None)]
        parameters[name] = draw(st.one_of(kinds if finite else [*kinds, floats(when=when or None)]))
    try:
        return Space(parameters)
    except InvalidInput as error:  # conditions that contradict each other, or nothing to choose
        assert "can be met" in str(error) or "only constants" in str(error)
        assume(False)
        raise


def some_points(space: Space, data: st.DataObject) -> np.ndarray[Any, Any]:
    seed = data.draw(st.integers(0, 2**32))
    return np.random.default_rng(seed).uniform(-0.1, 1.1, (8, space.dimension))


def resolution(parameter: Parameter) -> float:
    """How finely the floats between the bounds tell points of the unit interval apart."""
    if not isinstance(parameter, Float):
        return 0.0
    eps = float(np.finfo(float).eps)
    if parameter.scale == "log":
        span = math.log(parameter.high) - math.log(parameter.low)
        return 1e-12 + 4 * eps / max(span, eps)
    scale = max(-parameter.low, parameter.high)
    return 1e-12 + 4 * max(eps, 5e-324 / scale) / (parameter.high / scale - parameter.low / scale)


@settings(max_examples=sized(75, 300), deadline=None)
@given(space=spaces(), data=st.data())
def test_round_trips(space: Space, data: st.DataObject) -> None:
    U = some_points(space, data)
    snapped = space.snap(U)
    assert ((snapped >= 0) & (snapped <= 1)).all()
    assert (space.snap(snapped) == snapped).all()
    finest = max(resolution(p) for p in space.parameters.values())
    for u, s in zip(U, snapped, strict=True):
        params = space.decode(u)
        assert params == space.decode(s)
        again = space.encode(params)
        assert (again[~space.continuous] == s[~space.continuous]).all()
        assert np.allclose(again, s, rtol=0, atol=finest)
        assert json.loads(json.dumps(params)) == params


@settings(max_examples=60, deadline=None)
@given(space=spaces(), data=st.data())
def test_many_are_read_as_each_one(space: Space, data: st.DataObject) -> None:
    rows: list[dict[str, Any]] = [space.decode(u) for u in some_points(space, data)]
    absent = {name: None for name in space.names if name not in rows[0]}
    rows[0] = dict(reversed([*rows[0].items(), *absent.items()]))
    columns = read_columns(space.parameters, space._needs, rows)
    assert columns is not None
    whole, values = space.read(rows)
    for row, u, plain in zip(rows, whole, values, strict=True):
        alone, by_itself = space.read([row])
        assert u.tobytes() == alone[0].tobytes()
        assert repr(plain) == repr(by_itself[0])
    name = data.draw(st.sampled_from(list(rows[3])))
    for wrong in (math.nan, [1], "no such value", 10**400, b"1"):
        spoilt = [*rows[:3], {**rows[3], name: wrong}, *rows[4:]]
        with pytest.raises(InvalidParams, match=re.escape(repr(name))):
            space.read(spoilt)
    missing = {k: v for k, v in rows[3].items() if k != name}
    bad: list[Any] = [missing, {**rows[3], "unknown": 1}, [*rows[3]]]
    for row in bad:
        with pytest.raises(InvalidParams):
            space.read([*rows[:3], row, *rows[4:]])


def test_unusual_numbers_among_many() -> None:
    space = Space({"x": (0.0, 1.0), "n": (1, 9), "c": [1, "a", None]})
    rows: list[dict[str, Any]] = [{"x": 0.25, "n": 3, "c": 1.0}] * 8
    odd = {"x": np.float32(0.25), "n": np.int8(3), "c": np.int64(1)}
    assert space.read(rows)[1][0] == space.read([*rows, odd])[1][-1] == {"x": 0.25, "n": 3, "c": 1}
    assert space.read([*rows, {"x": 1, "n": 3, "c": None}])[1][-1] == {"x": 1.0, "n": 3, "c": None}
    for bad in ({"x": True, "n": 3, "c": 1}, {"x": 0.5, "n": True, "c": 1}):
        with pytest.raises(InvalidParams):
            space.read([*rows, bad])
    conditional = Space({"c": ["a", "b"], "m": Float(0.0, 1.0, when={"c": "a"})})
    with pytest.raises(InvalidParams, match="only when"):
        conditional.read([*[{"c": "b"}] * 8, {"c": "b", "m": 0.5}])


@settings(max_examples=sized(75, 300), deadline=None)
@given(space=spaces(), data=st.data())
def test_decoded_values_are_plain_and_inside(space: Space, data: st.DataObject) -> None:
    for u in some_points(space, data):
        for name, value in space.decode(u).items():
            parameter = space.parameters[name]
            if isinstance(parameter, Float):
                assert type(value) is float
                assert parameter.low <= value <= parameter.high
            elif isinstance(parameter, Int):
                assert type(value) is int
                assert parameter.low <= value <= parameter.high
            else:
                assert any(
                    value is v for v in (parameter.value(k) for k in range(5)[: parameter.size])
                )


@settings(max_examples=sized(75, 300), deadline=None)
@given(parameter=floats(), q=st.floats(0, 1))
def test_floats_come_back(parameter: Float, q: float) -> None:
    low, high = parameter.low, parameter.high
    assert parameter.value(parameter.coordinate(low, "x")) == low
    assert parameter.value(parameter.coordinate(high, "x")) == high
    v = parameter.value(q)
    w = parameter.value(parameter.coordinate(v, "x"))
    if parameter.scale == "log":  # a few units in the last place of log v
        assert abs(w - v) <= v * 1e-15 * (4 + math.log(high) - math.log(low))
    else:
        assert abs(w / 2 - v / 2) <= 1e-14 * (high / 2 - low / 2) + math.ulp(v)


@settings(max_examples=sized(125, 500), deadline=None)
@given(parameter=finites(), data=st.data())
def test_levels_come_back_exactly(parameter: Parameter, data: st.DataObject) -> None:
    space = Space({"x": parameter, "y": (0.0, 1.0)})
    size = parameter.size
    assert size is not None
    ends = st.integers(max(0, size - 50), size - 1)
    value = parameter.value(data.draw(st.one_of(st.integers(0, size - 1), ends)))
    found = space.decode(space.encode({"x": value, "y": 0.3}))
    assert found == {"x": value, "y": 0.3}
    assert type(found["x"]) is type(value)


@pytest.mark.parametrize("top", [2**53, 2**53 - 1, 2**53 - 111, 2**52 + 1, 2**51 + 7, 2**50, 10])
def test_widest_integers_at_the_ends(top: int) -> None:
    space = Space({"n": Int(-7, top - 7)})
    for k in [*range(6), *range(top // 2 - 3, top // 2 + 3), *range(top - 5, top + 1)]:
        u = space.encode({"n": k - 7})
        assert space.decode(u) == {"n": k - 7}
        assert (space.snap(u[None])[0] == u).all()


def test_log_integers_are_told_apart_up_to_the_last() -> None:
    for low in (1, 2**39, 2**40 - 3000):
        space = Space({"n": Int(low, 2**40, "log")})
        values = [*range(low, low + 300), *range(2**40 - 2000, 2**40 + 1)]
        U = np.array([space.encode({"n": v}) for v in values])
        assert (np.diff(U[:, 0]) > 0).all()
        assert [space.decode(u)["n"] for u in U] == values
        assert (space.snap(U) == U).all()


@settings(max_examples=sized(50, 200), deadline=None)
@given(space=spaces(finite=True, largest=12))
def test_enumeration_is_complete_and_without_repeats(space: Space) -> None:
    number = space.cardinality
    assert number is not None
    if number > 3000:
        with pytest.raises(InvalidInput, match="expected a space of at most 3000"):
            space.enumerate(3000)
        return
    U = space.enumerate(number)
    assert len(U) == number == len(np.unique(U, axis=0))
    assert (space.snap(U) == U).all()
    assert len({json.dumps(space.decode(u)) for u in U}) == number
    if math.prod(p.size or 0 for p in space.parameters.values()) <= 3000:
        assert number == count_literally(space)


def count_literally(space: Space) -> int:
    """Of all combinations of values, those that differ in the parameters that exist."""
    seen = set()
    for levels in product(*(range(p.size or 0) for p in space.parameters.values())):
        found: dict[str, Any] = {}
        for (name, parameter), k in zip(space.parameters.items(), levels, strict=True):
            missing = object()
            if all(
                any(found.get(parent, missing) is v or found.get(parent, missing) == v for v in vs)
                for parent, vs in parameter.when.items()
            ):
                found[name] = parameter.value(k)
        seen.add(repr(found))
    return len(seen)


@settings(max_examples=100, deadline=None)
@given(space=spaces(), seed=st.integers(0, 2**64), n=st.integers(0, 40), skip=st.integers(0, 20))
def test_samples(space: Space, seed: int, n: int, skip: int) -> None:
    U = space.sample(n, seed, skip)
    assert U.shape == (n, space.dimension)
    assert (space.snap(U) == U).all()
    assert (space.sample(n + skip, seed)[skip:] == U).all()


def test_samples_use_levels_evenly() -> None:
    space = Space({"c": list("abcd"), "n": (1, 8), "g": Grid([1, 2]), "b": [True, False, None]})
    found = [space.decode(u) for u in space.sample(256, seed=3)]
    for name, times in {"c": 64, "n": 32, "g": 128}.items():
        counts = np.unique([str(p[name]) for p in found], return_counts=True)[1]
        assert (counts == times).all()
    counts = np.unique([str(p["b"]) for p in found], return_counts=True)[1]
    assert (abs(counts - 256 / 3) < 2).all()
    assert not np.array_equal(space.sample(8, 0), space.sample(8, 1))


def test_log_integers_fill_in_proportion() -> None:
    q = (np.arange(100_000) + 0.5) / 100_000
    levels = Int(1, 1000, "log").fill(q)
    assert levels.min() == 0
    assert levels.max() == 999
    share = np.mean(levels + 1 <= 31)  # log(31.5 / 0.5) / log(1000.5 / 0.5)
    assert share == pytest.approx(math.log(63) / math.log(2001), abs=1e-4)
    assert (np.unique(fill_evenly(q, 9), return_counts=True)[1] == 10_000).all()


@settings(max_examples=sized(50, 200), deadline=None)
@given(space=spaces(), data=st.data())
def test_neighbours(space: Space, data: st.DataObject) -> None:
    u = some_points(space, data)[0]
    U = space.neighbours(u)
    here = space.decode(u)
    assert (space.snap(U) == U).all()
    assert len(np.unique(U, axis=0)) == len(U)
    assert not (space.snap(u[None]) == U).all(axis=1).any()
    changed = []
    for v in U:
        there = space.decode(v)
        shared = [n for n in here if n in there and repr(here[n]) != repr(there[n])]
        assert len(shared) == 1
        changed += shared
        assert all(not isinstance(space.parameters[n], Float) for n in shared)
    for name in here:  # everything that can move does
        parameter = space.parameters[name]
        if parameter.size is not None and parameter.size > 1:
            assert name in changed
        if isinstance(parameter, Categorical):
            assert changed.count(name) == len(parameter.choices) - 1


def test_neighbours_of_a_continuum() -> None:
    assert Space({"x": (0.0, 1.0), "y": (0, 1.5)}).neighbours([0.1, 0.2]).shape == (0, 2)


def test_neighbours_step_and_jump() -> None:
    space = Space({"n": (0, 100), "m": Int(1, 4096, "log")})
    found = [space.decode(v) for v in space.neighbours(space.encode({"n": 50, "m": 64}))]
    assert {p["n"] for p in found} == {50, 49, 51, 47, 53, 40, 60, 18, 82}
    assert {p["m"] for p in found} == {64, 63, 65, 38, 108, 23, 181, 8, 512}


@settings(max_examples=sized(40, 150), deadline=None)
@given(space=spaces())
def test_descriptions(space: Space) -> None:
    text = json.dumps(space.describe(), allow_nan=False, sort_keys=True)
    again = Space.from_description(json.loads(text))
    assert again == space
    assert hash(again) == hash(space)
    assert again.names == space.names
    assert pickle.loads(pickle.dumps(space)) == space  # workers get it that way


@settings(max_examples=sized(75, 300), deadline=None)
@given(data=st.data())
def test_damaged_descriptions(data: st.DataObject) -> None:
    space = Space({"a": ["x", "y"], "b": Int(1, 3, when={"a": "x"}), "c": (1.0, 2.0, "log")})
    description: Any = json.loads(json.dumps(space.describe()))
    junk = st.one_of(plain, st.lists(plain, max_size=2), st.dictionaries(words, plain, max_size=2))
    places = [description, *description["parameters"]]
    place = data.draw(st.sampled_from(places))
    key = data.draw(st.sampled_from([*place, "more"]))
    if data.draw(st.booleans()):
        place.pop(key, None)
    else:
        place[key] = data.draw(junk)
    try:
        Space.from_description(description)
    except InvalidState as error:
        assert "expected" in str(error)
    with pytest.raises(InvalidState, match="expected"):
        Space.from_description(data.draw(junk))


def test_a_space_seen_from_outside() -> None:
    space = Space(
        {
            "lr": (1e-5, 1e-1, "log"),
            "depth": (2, 12),
            "opt": ["adam", "sgd", "lion"],
            "only": ["here"],
            "flag": [False, True],
            "batch": Grid([16, 64, 32]),
            "momentum": Float(0.0, 0.99, when={"opt": ["sgd", "lion"], "flag": True}),
        }
    )
    assert len(space) == 7
    assert space.dimension == 8
    assert space.groups.tolist() == [0, 1, 2, 2, 2, 3, 4, 5]
    assert space.continuous.tolist() == [True, *[False] * 6, True]
    assert space.cardinality is None
    u = space.encode(
        {"lr": 1e-5, "depth": 12, "opt": "lion", "only": "here", "flag": False, "batch": 64}
    )
    assert u.tolist() == [0, 1, 0, 0, 1, 0, 0.5, 0.5]
    assert repr(space.parameters["momentum"]) == (
        "Float(0.0, 0.99, when={'flag': True, 'opt': ['sgd', 'lion']})"
    )
    assert isinstance(space.parameters["depth"], Int)
    assert Space.of(space) is space
    assert Space.of({"x": (0, 1)}) == Space({"x": Int(0, 1)})
    assert Space({"x": (0, 1)}) != Space({"x": (0.0, 1)})
    assert Space({"x": [1, 2]}) != Space({"x": [1.0, 2]})
    assert Space.of(Box([0.0, -1.0], [1.0, 1.0])).names == ("x0", "x1")
    with pytest.raises(ValueError, match="read-only"):
        space.groups[0] = 3


def test_chains_of_conditions() -> None:
    space = Space(
        {
            "a": ["x", "y", "z"],
            "b": Int(1, 3, when={"a": ["x", "y"]}),
            "c": Categorical(["p", "q", "r"], when={"b": [1, 2]}),
            "d": Grid([10, 20], when={"c": "r", "a": "x"}),
        }
    )
    assert space.decode(space.encode({"a": "z"})) == {"a": "z"}
    third = 1 / 3
    assert space.encode({"a": "z"}).tolist() == [0, 0, 1, 0.5, third, third, third, 0.5]
    assert space.decode([1, 0, 0, 0, 0, 0, 1, 1]) == {"a": "x", "b": 1, "c": "r", "d": 20}
    assert space.decode([0, 1, 0, 0, 0, 0, 1, 1]) == {"a": "y", "b": 1, "c": "r"}
    # z; for y: 3 of b, of which two with 3 of c; for x: besides, r has 2 of d
    assert space.cardinality == 1 + (1 + 2 * 3) + (1 + 2 * 4)


def test_many_conditions_are_counted_quickly() -> None:
    pairs: dict[str, object] = {f"p{i}": [0, 1] for i in range(60)}
    pairs |= {f"c{i}": Int(1, 9, when={f"p{i}": 1}) for i in range(60)}
    assert Space(pairs).cardinality == 10**60
    star: dict[str, object] = {f"p{i}": [0, 1] for i in range(40)} | {"mode": ["on", "off"]}
    star |= {f"c{i}": Int(1, 9, when={f"p{i}": 1, "mode": "on"}) for i in range(40)}
    assert Space(star).cardinality == 2**40 + 10**40


def test_interlocked_conditions_are_refused_not_endless() -> None:
    tangled: dict[str, object] = {f"p{i}": [0, 1] for i in range(40)}
    for i, j in product(range(40), repeat=2):
        if i < j:
            tangled[f"c{i}_{j}"] = Int(1, 2, when={f"p{i}": 1, f"p{j}": 1})
    with pytest.raises(InvalidInput, match="interlock"):
        _ = Space(tangled).cardinality


def test_extreme_ranges() -> None:
    wide = Space({"x": (-1.7e308, 1.7e308), "y": Float(1e-300, 1e300, "log"), "z": (0.0, 1e-300)})
    ends = [wide.decode([u] * 3) for u in (0.0, 1.0)]
    assert ends[0] == {"x": -1.7e308, "y": 1e-300, "z": 0.0}
    assert ends[1] == {"x": 1.7e308, "y": 1e300, "z": 1e-300}
    middle = wide.decode([0.5] * 3)
    assert middle["x"] == 0.0
    assert middle["y"] == pytest.approx(1.0, rel=1e-12)
    assert wide.encode(ends[1]).tolist() == [1.0, 1.0, 1.0]
    most = np.finfo(float).max
    assert Float(-most, most).value(1 - 1e-16) == math.nextafter(math.nextafter(most, 0), 0)
    assert Float(np.finfo(float).tiny, most, "log").value(1 - 1e-16) <= most
    offset = Float(1e9, 1e9 + 1)
    assert offset.value(offset.coordinate(1e9 + 0.25, "x")) == 1e9 + 0.25


@pytest.mark.parametrize("v", [0.001, 0.0003, 0.05, 2e-5, 0.0123])
def test_what_a_person_writes_comes_back(v: float) -> None:
    for parameter in (Float(1e-5, 1e-1, "log"), Float(1e-5, 1e-1), Float(-3.0, 7.0)):
        assert parameter.value(parameter.coordinate(v, "x")) == pytest.approx(v, rel=1e-12)
    assert Float(1e-5, 1e-1, "log").value(Float(1e-5, 1e-1, "log").coordinate(v, "x")) == v


def test_numpy_scalars_are_taken() -> None:
    space = Space(
        {"x": (np.float64(0), np.float64(1)), "n": (np.int64(1), np.int64(9)), "c": [1, "a"]}
    )
    assert isinstance(space.parameters["n"], Int)
    u = space.encode({"x": np.float32(0.5), "n": np.int8(5), "c": np.str_("a")})
    assert space.decode(u) == {"x": 0.5, "n": 5, "c": "a"}
    assert space.decode(space.encode({"x": 1, "n": np.array(5), "c": 1.0})) == {
        "x": 1,
        "n": 5,
        "c": 1,
    }
    listed = Categorical(np.array([1, 2]))  # type: ignore[arg-type]
    assert listed.choices == (1, 2)
    assert type(listed.choices[0]) is int
    assert repr(Space({np.str_("x"): (0, 1)})) == "Space({'x': Int(0, 1)})"


BAD_PARAMETERS: list[tuple[Any, str]] = [
    (lambda: Float(1.0, 1.0), "low below high.*leave the parameter out"),
    (lambda: Int(3, 3), "low below high.*leave the parameter out"),
    (lambda: Float(2.0, 1.0), "low below high"),
    (lambda: Float(math.nan, 1.0), "finite"),
    (lambda: Float(0.0, math.inf), "finite"),
    (lambda: Float(0, 10**400), "finite"),
    (lambda: Float("0", 1.0), "real number"),  # type: ignore[arg-type]
    (lambda: Float(False, True), "real number"),
    (lambda: Float(0.0, 1.0, "log"), "on a log scale.*linear"),
    (lambda: Float(-1.0, 1.0, "log"), "on a log scale"),
    (lambda: Float(5e-324, 1.0, "log"), "on a log scale"),
    (lambda: Float(1.0, 2.0, "ln"), "scale to be one of"),  # type: ignore[arg-type]
    (lambda: Float(1.0, 1.0 + 1e-14), "at least 1000 floats"),
    (lambda: Float(0.0, 5e-324), "at least 1000 floats"),
    (lambda: Int(0, 1.0), "integer"),  # type: ignore[arg-type]
    (lambda: Int(False, 4), "integer"),
    (lambda: Int(0, 2**53 + 1), r"at most 2\*\*53.*Float"),
    (lambda: Int(0, 2**63), "at most"),
    (lambda: Int(0, 8, "log"), "from 1 to at most"),
    (lambda: Int(1, 2**40 + 1, "log"), "from 1 to at most"),
    (lambda: Categorical([]), "at least one"),
    (lambda: Categorical("adam"), "as a list"),
    (lambda: Categorical({"a", "b"}), "as a list.*sorted"),  # type: ignore[arg-type]
    (lambda: Categorical({"a": 1}), "as a list"),  # type: ignore[arg-type]
    (lambda: Categorical(3), "as a list"),  # type: ignore[arg-type]
    (lambda: Categorical(["a", "a"]), "distinct"),
    (lambda: Categorical([1, True]), "distinct choices, got 1 and True"),
    (lambda: Categorical([1, 1.0]), "distinct choices, got 1 and 1.0"),
    (lambda: Categorical([0.0, -0.0]), "distinct"),
    (lambda: Categorical([["a"], ["b"]]), "to be a string"),  # type: ignore[list-item]
    (lambda: Categorical([math.nan, 1.0]), "finite number"),
    (lambda: Categorical([b"a"]), "to be a string"),  # type: ignore[list-item]
    (lambda: Categorical([float]), "to be a string"),  # type: ignore[list-item]
    (lambda: Grid([1, None]), "numbers or strings"),  # type: ignore[list-item]
    (lambda: Grid([True, False]), "numbers or strings"),
    (lambda: Grid([2, 2]), "distinct"),
    (lambda: Grid([]), "at least one"),
    (lambda: Float(0.0, 1.0, when={}), "when as a mapping"),
    (lambda: Float(0.0, 1.0, when="opt"), "when as a mapping"),  # type: ignore[arg-type]
    (lambda: Float(0.0, 1.0, when={3: "a"}), "by strings"),  # type: ignore[dict-item]
    (lambda: Float(0.0, 1.0, when={"opt": []}), "at least one value"),
    (lambda: Float(0.0, 1.0, when={"opt": {"a"}}), "to be a string"),  # type: ignore[dict-item]
]


@pytest.mark.parametrize(("make", "message"), BAD_PARAMETERS)
def test_bad_parameters(make: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"expected .*{message}"):
        make()


BAD_SPACES: list[tuple[Any, str]] = [
    ({}, "name at least one"),
    (None, "a mapping"),
    ([("x", (0, 1))], "a mapping"),
    ({"": (0, 1)}, "non-empty strings"),
    ({3: (0, 1)}, "non-empty strings"),
    ({"x": 3}, r"\(low, high\)"),
    ({"x": (1,)}, r"\(low, high\)"),
    ({"x": (1, 2, "log", 4)}, r"\(low, high\)"),
    ({"x": "adam"}, r"\(low, high\)"),
    ({"x": {"a", "b"}}, "as a list"),
    ({"x": range(3)}, "as a list"),
    ({"x": ("adam", "sgd")}, "real number"),
    ({"x": (False, True)}, "an integer"),
    ({"x": (0, 1, "log")}, "from 1 to"),
    ({"x": (0, 1, 0.5)}, "scale"),
    ({"x": (0.0, None)}, "real number"),
    ({"x": []}, "at least one"),
    ({"x": [1, 2, 1]}, "distinct"),
    ({"x": ["only"]}, "at least two values"),
    ({"x": Float}, r"\(low, high\)"),
    ({"x": Int(1, 2, when={"y": 1})}, "a parameter of the space"),
    ({"x": Int(1, 2, when={"x": 1})}, "another parameter"),
    ({"x": Int(1, 2, when={"y": 1}), "y": (1, 2)}, "before it.*move 'y' up"),
    ({"x": Int(1, 2, when={"y": 1}), "y": Int(1, 2, when={"x": 1})}, "before it"),
    ({"y": (0.0, 1.0), "x": Int(1, 2, when={"y": 0.5})}, "the Float 'y'"),
    ({"y": (1, 3), "x": Int(1, 2, when={"y": 4})}, "at most 3"),
    ({"y": (1, 3), "x": Int(1, 2, when={"y": 1.0})}, "an integer"),
    ({"y": ["a", "b"], "x": Int(1, 2, when={"y": ["a", "c"]})}, "one of 'a', 'b'"),
    ({"y": [1, 2], "x": Int(1, 2, when={"y": True})}, "one of 1, 2"),
    (
        {
            "a": ["p", "q"],
            "b": Int(1, 2, when={"a": "p"}),
            "c": Int(1, 2, when={"a": "q", "b": 1}),
        },
        "can be met",
    ),
    (dict.fromkeys(map(str, range(21_202)), (0, 1)), "at most 21201 parameters"),
]


@pytest.mark.parametrize(("parameters", "message"), BAD_SPACES)
def test_bad_spaces(parameters: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"expected .*{message}"):
        Space(parameters)
    with pytest.raises(InvalidInput, match="expected"):
        Space.of(parameters)


GOOD: dict[str, Any] = {"x": 0.5, "n": 3, "opt": "sgd", "g": 16, "b": True, "momentum": 0.9}
BAD_PARAMS: list[tuple[Any, str]] = [
    (None, "as a mapping"),
    ([0.5], "as a mapping"),
    ({**GOOD, "y": 1}, "names among 'x'.*'y'"),
    ({**GOOD, 7: 1}, "names among"),
    ({k: v for k, v in GOOD.items() if k != "n"}, "a value of 'n'"),
    ({k: v for k, v in GOOD.items() if k != "momentum"}, "a value of 'momentum'"),
    ({**GOOD, "momentum": None}, "'momentum' to be a real number"),
    ({**GOOD, "opt": "adam"}, "no value of 'momentum'.*only when 'opt' is 'sgd' or 'lion'"),
    ({**GOOD, "x": 1.5}, "'x' at least 0 and at most 1"),
    ({**GOOD, "x": math.nan}, "'x' to be finite"),
    ({**GOOD, "x": True}, "'x' to be a real number"),
    ({**GOOD, "x": "0.5"}, "'x' to be a real number"),
    ({**GOOD, "x": None}, "'x' to be a real number"),
    ({**GOOD, "x": np.zeros(1)}, "'x' to be a real number"),
    ({**GOOD, "n": 0}, "'n' of at least 1"),
    ({**GOOD, "n": 10**30}, "'n' of at most 4"),
    ({**GOOD, "n": 3.0}, "'n' to be an integer"),
    ({**GOOD, "n": True}, "'n' to be an integer"),
    ({**GOOD, "opt": "SGD"}, "'opt' to be one of 'adam'"),
    ({**GOOD, "opt": ["sgd"]}, "'opt' to be a string"),
    ({**GOOD, "opt": None}, "'opt' to be one of"),
    ({**GOOD, "g": 17}, "'g' to be one of 8, 16"),
    ({**GOOD, "g": math.nan}, "'g' to be a string"),
    ({**GOOD, "b": 1}, "'b' to be one of True, False"),
]


@pytest.mark.parametrize(("params", "message"), BAD_PARAMS)
def test_bad_configurations(params: Any, message: str) -> None:
    space = Space(
        {
            "x": (0.0, 1.0),
            "n": (1, 4),
            "opt": ["adam", "sgd", "lion"],
            "g": Grid([8, 16]),
            "b": [True, False],
            "momentum": Float(0.0, 0.99, when={"opt": ["sgd", "lion"]}),
        }
    )
    assert space.decode(space.encode(GOOD)) == GOOD
    without = {**GOOD, "opt": "adam", "momentum": None}
    assert "momentum" not in space.decode(space.encode(without))
    with pytest.raises(InvalidParams, match=f"expected .*{message}"):
        space.encode(params)


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.decode([0.5]),
        lambda s: s.decode([[0.5, 0.5]]),
        lambda s: s.decode([0.5, math.nan]),
        lambda s: s.decode("ab"),
        lambda s: s.snap([0.5, 0.5]),
        lambda s: s.snap([[0.5, 0.5, 0.5]]),
        lambda s: s.snap([[math.inf, 0.5]]),
        lambda s: s.neighbours([0.5, 0.5, 0.5]),
        lambda s: s.sample(-1, 0),
        lambda s: s.sample(2.0, 0),
        lambda s: s.sample(2, -1),
        lambda s: s.sample(2, 0, skip=-1),
        lambda s: s.sample(2**31, 0),
        lambda s: s.enumerate(10),
        lambda s: s.enumerate(0),
        lambda s: s.of(3),
        lambda s: s.of([0, 1]),
    ],
)
def test_bad_calls(call: Any) -> None:
    with pytest.raises(InvalidInput, match="expected"):
        call(Space({"x": (0.0, 1.0), "n": (1, 4)}))
