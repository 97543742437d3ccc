"""Constraints of a space: expressions mean what Python means, and nothing invalid is drawn."""

from __future__ import annotations

import json
import math
import operator
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.soak import sized
from stoic.errors import InvalidExpression, InvalidInput, InvalidParams, InvalidState
from stoic.spaces import Categorical, Float, Grid, Int, Space

KERNEL = {
    "bx": Grid([1, 2, 4, 8, 16, 32, 64]),
    "by": (1, 32),
    "gc": ["g1", "zgc"],
    "pad": [True, False],
    "rate": (1e-4, 1.0, "log"),
    "batch-size": (1, 4),
    "mix": [1, 2, "auto", None],
    "cut": Int(1, 9, when={"gc": "zgc"}),
}

# -- the language ------------------------------------------------------------------------------

numbers = st.one_of(
    st.sampled_from(["x", "y", "z"]), st.integers(0, 9).map(str), st.sampled_from(["0.5", "1e1"])
)
terms = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        inner.map(lambda t: f"(-{t})"),
        inner.map(lambda t: f"({t} ** 2)"),
        inner.map(lambda t: f"abs({t})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda ts: f"min({', '.join(ts)})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda ts: f"max({', '.join(ts)})"),
    ),
    max_leaves=5,
)
comparisons = st.one_of(
    st.tuples(terms, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), terms).map(" ".join),
    st.tuples(terms, terms, terms).map(lambda t: f"{t[0]} < {t[1]} <= {t[2]}"),
    st.tuples(terms, st.sampled_from(["in", "not in"]), terms, terms).map(
        lambda t: f"{t[0]} {t[1]} ({t[2]}, {t[3]})"
    ),
)
expressions = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
        inner.map(lambda t: f"not ({t})"),
    ),
    max_leaves=4,
)


@settings(max_examples=sized(200, 3000), deadline=None)
@given(text=expressions, values=st.lists(st.integers(-4, 9), min_size=3, max_size=3))
def test_an_expression_means_what_python_means(text: str, values: list[int]) -> None:
    ranges = dict.fromkeys("xyz", (-4, 9))
    try:
        space = Space(ranges, valid=text)
    except InvalidExpression as error:
        assert "parameter, got none" in str(error) or "1.8e308" in str(error)
        assume(False)
    params = dict(zip("xyz", values, strict=True))
    try:
        means = bool(eval(text, {"min": min, "max": max, "abs": abs}, params))
    except (ZeroDivisionError, OverflowError):
        return
    assert bool(space.allows(Space(ranges).encode(params)[None])[0]) == means
    assert accepted(space, params) == means


def accepted(space: Space, params: dict[str, Any]) -> bool:
    try:
        space.encode(params)
    except InvalidParams as error:
        assert "expected a valid configuration" in str(error)
        return False
    return True


@pytest.mark.parametrize(
    ("valid", "params", "means"),
    [
        ("bx * by <= 64", {"bx": 8, "by": 8}, True),
        ("bx * by <= 64", {"bx": 16, "by": 8}, False),
        ("gc == 'g1'", {"gc": "zgc", "cut": 1}, False),
        ("gc in ('g1', 'zgc') and gc != 'g1'", {"gc": "zgc", "cut": 1}, True),
        ("pad or bx > 4", {"pad": False, "bx": 4}, False),
        ("not pad", {"pad": False}, True),
        ("pad == False", {"pad": True}, False),
        ("mix == 'auto'", {"mix": "auto"}, True),
        ("mix == None or mix == 2", {"mix": None}, True),
        ("mix > 1", {"mix": 2}, True),
        ("mix > 1", {"mix": "auto"}, False),  # can't be computed
        ("not mix > 1", {"mix": "auto"}, False),  # neither can this
        ("bx / (by - 1) > 0", {"by": 1}, False),  # a division by zero
        ("by == 1 or bx / (by - 1) > 0", {"by": 1}, True),
        ("bx / (by - 1) > 0 or by == 1", {"by": 1}, True),
        ("param('batch-size') >= 2", {"batch-size": 1}, False),
        ("cut < 5", {"gc": "zgc", "cut": 7}, False),
        ("cut < 5", {"gc": "g1"}, True),  # it does not exist there
        ("not cut < 5", {"gc": "g1"}, True),
        ("cut < 5 and by < 3", {"gc": "g1", "by": 4}, False),
        ("cut < 5 or by < 3", {"gc": "g1", "by": 4}, True),
        ("2 ** bx < 1e300 and 2 ** (bx * by) > 0", {"bx": 64, "by": 32}, False),  # an overflow
        (["bx <= 8", "by <= 8"], {"bx": 8, "by": 9}, False),
        (lambda p: p["bx"] + p.get("cut", 0) < 9, {"gc": "zgc", "cut": 7, "bx": 2}, False),
        ([lambda p: np.bool_(p["bx"] < 9), "by < 2"], {"bx": 8, "by": 1}, True),
    ],
)
def test_what_is_valid(valid: Any, params: dict[str, Any], means: bool) -> None:
    usual = {"bx": 2, "by": 2, "gc": "g1", "pad": True, "rate": 0.1, "batch-size": 2, "mix": 1}
    space, whole = Space(KERNEL, valid=valid), usual | params
    assert accepted(space, whole) == means
    assert space.allows(Space(KERNEL).encode(whole)[None]).tolist() == [means]
    many = [whole] * 9  # read by column
    assert all(accepted(space, each) for each in many) == means
    if not means:
        with pytest.raises(InvalidParams):
            space.read(many)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("bx *", 5),
        ("bx * by", 1),
        ("bx * blk <= 4", 6),
        ("gc < 'g1'", 1),
        ("gc == 'g11'", 7),
        ("gc == 3", 7),
        ("bx <= 4 and pad + 1 > 2", 13),
        ("bx & by", 1),
        ("bx == 1 if pad else 2", 1),
        ("9 ** 9 ** 9 > bx", 1),
        ("bx <= 99999999999999999999", 7),
        ("bx <= 1e999", 7),
        ("1 < 2", 1),
        ("bx.real > 1", 1),
        ("bx[0] > 1", 1),
        ("__import__('os').system('true')", 1),
        ("().__class__.__bases__ == bx", 1),
        ("(lambda: bx)() > 1", 1),
        ("[b for b in (1, 2)] == bx", 1),
        ("f'{bx}' == 'a'", 1),
        ("bx in gc", 7),
        ("bx in ()", 7),
        ("bx > 'a' * 10 ** 9", 6),
        ("(" * 300 + "bx", 201),
        ("not " * 240 + "pad", 205),
        ("-" * 900 + "bx > 1", 51),
        ("bx + " * 190 + "1 > 1", 1),
        ("x" * 2000, 1001),
        ("bx < 3 # and by < 3", 8),
        ("bx < 3\\", 7),
        ("0x1f > bx", 2),
        ("3or bx > 1", 2),
        ("gc == 'g1' and ü > bx", 16),
        ("'" + "é" * 9 + "' == blk", 16),
        ("param('cache') > 1", 7),
        ("param(bx) > 1", 7),
        ("abs(bx, by) > 1", 9),
        ("min() > 1", 1),
        ("max(bx, key=3) > 1", 1),
        ("bx is None", 1),
        ("bx and by", 1),
        ("True", 1),
        ("bx\x00 > 1", 3),
    ],
)
def test_an_expression_is_refused_with_its_column(text: str, column: int) -> None:
    with pytest.raises(InvalidExpression, match=r"expected .*, got ") as caught:
        Space(KERNEL, valid=text)
    assert caught.value.column == column
    assert len(str(caught.value)) < 500
    assert pickle.loads(pickle.dumps(caught.value)).column == column


@settings(max_examples=sized(300, 5000), deadline=None)
@given(
    text=st.one_of(st.text(max_size=40), st.text(alphabet="abx()[]'\"+-*/%<>=!., 019", max_size=60))
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        space = Space({"a": (1, 4), "b": (0.0, 1.0), "x": ["u", "v"]}, valid=text)
    except InvalidInput:
        return
    space.allows(np.random.default_rng(0).random((9, space.dimension)))


@pytest.mark.parametrize("valid", [3, [3], {"a": 1}, b"a", [None], int])
def test_other_constraints_are_refused(valid: Any) -> None:
    with pytest.raises(InvalidInput, match=r"constraint|valid"):
        Space({"a": (1, 4)}, valid=valid)


def test_too_many_constraints_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 100"):
        Space({"a": (1, 4)}, valid=["a > 1"] * 101)


@pytest.mark.parametrize("function", [dict.clear, lambda p: p["b"] > 1, len])
def test_a_function_must_return_a_bool(function: Any) -> None:
    with pytest.raises(InvalidInput, match="to return True or False"):
        Space({"a": (1, 4)}, valid=function).sample(1, 0)


def test_floats_must_hold_the_numbers_of_an_expression() -> None:
    large = {"a": Int(2**60, 2**60 + 9), "b": Grid([1, 2**54]), "c": (1, 4)}
    for text in ("a > 1", "b > 1"):
        with pytest.raises(InvalidInput, match=r"at most 2\*\*53"):
            Space(large, valid=text)
    assert Space(large, valid="c > 1").valid == ("c > 1",)
    assert len(Space(large, valid=lambda p: p["a"] > 2**60).sample(4, 0)) == 4


# -- draws -------------------------------------------------------------------------------------

SPACES: dict[str, tuple[dict[str, Any], str]] = {
    "finite": ({"a": (1, 9), "b": Grid([1, 2, 4, 8]), "c": ["u", "v", "w"]}, "a * b <= 12"),
    "mixed": ({"x": (0.0, 1.0), "y": (1e-3, 1.0, "log"), "k": (1, 8)}, "x + y * k <= 1"),
    "conditional": (
        {"o": ["p", "q"], "m": Float(0.0, 1.0, when={"o": "q"}), "n": Int(1, 5, when={"o": "p"})},
        "m > 0.5 and n in (1, 4)",
    ),
    "few": ({"a": (1, 64), "b": (1, 64), "c": (1, 16)}, "a * b * c == 4096"),
    "boundary": ({"x": (0.0, 3.0), "y": (0.0, 3.0)}, "x + y <= 1"),
}


def means(params: dict[str, Any], text: str) -> bool:
    """As the text says, by Python; what is absent forbids nothing."""
    if "o" in params:
        return params.get("m", 1.0) > 0.5 and params.get("n", 1) in (1, 4)
    return bool(eval(text, {}, params))


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("kind", ["text", "function"])
def test_only_valid_configurations_are_drawn(name: str, kind: str) -> None:
    parameters, text = SPACES[name]
    valid: Any = text if kind == "text" else lambda p: means(p, text)
    space = Space(parameters, valid=valid)
    U = space.sample(64, seed=3)
    assert U.shape == (64, space.dimension)
    drawn = [space.draw(np.random.default_rng(i)) for i in range(20)]
    near = [v for u in U[:10] for v in space.neighbours(u)]
    for u in [*U, *drawn, *near]:
        params = space.decode(u)
        assert means(params, text)
        space.encode(params)
    assert space.allows(np.array([*U, *drawn])).all()
    np.testing.assert_array_equal(space.sample(64, seed=3), U)
    np.testing.assert_array_equal(space.sample(40, seed=3, skip=24), U[24:])
    assert not np.array_equal(space.sample(64, seed=4), U)


@pytest.mark.parametrize("name", ["finite", "few"])
def test_finite_spaces_are_counted_with_their_constraints(name: str) -> None:
    parameters, text = SPACES[name]
    space, whole = Space(parameters, valid=text), Space(parameters)
    everything = [whole.decode(u) for u in whole.enumerate(10**6)]
    valid = [params for params in everything if means(params, text)]
    assert space.cardinality == len(valid)
    found = [space.decode(u) for u in space.enumerate(len(valid))]
    assert found == valid
    with pytest.raises(InvalidInput, match=f"at most {len(valid) - 1}"):
        space.enumerate(len(valid) - 1)
    drawn = {tuple(space.decode(u).items()) for u in space.sample(20 * len(valid), 0)}
    assert len(drawn) >= 0.9 * len(valid)


def test_neighbours_are_those_of_the_space_that_are_valid() -> None:
    parameters, text = SPACES["finite"]
    space, whole = Space(parameters, valid=text), Space(parameters)
    for u in space.sample(8, 0):
        expected = [v for v in whole.neighbours(u).tolist() if space.allows([v])[0]]
        assert space.neighbours(u).tolist() == expected


def test_a_space_without_valid_configurations_is_refused() -> None:
    finite = Space({"a": (1, 64), "b": (1, 64)}, valid="a * b < 1")
    assert finite.cardinality == 0
    infinite = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}, valid=["y < 0.5", "x < 0"])
    for space, said in (
        (finite, "none of all 4096"),
        (infinite, r"at least 0\.01% .* got 0 of .*'x < 0' holds"),
    ):
        with pytest.raises(InvalidInput, match=said):
            space.sample(1, 0)
        with pytest.raises(InvalidInput, match=said):
            space.draw(np.random.default_rng(0))


def test_few_valid_points_of_a_continuum() -> None:
    space = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}, valid="x < 0.03 and y < 0.03")
    assert len(space.sample(20, 0)) == 20
    assert 1 <= len(space.sample(2000, 0, tries=8192)) < 100
    with pytest.raises(InvalidInput, match="can be counted"):
        _ = Space({"a": (1, 10**6), "b": (1, 10**6)}, valid="a > b").cardinality
    assert space.cardinality is None


# -- storage -----------------------------------------------------------------------------------


def test_text_is_stored_and_compared_by_its_meaning() -> None:
    space = Space(KERNEL, valid=["bx * by <= 64", "gc == 'g1' or pad"])
    stored = json.loads(json.dumps(space.describe()))
    assert (stored["version"], stored["valid"]) == (2, list(space.valid))
    again = Space.from_description(stored)
    assert again == space
    assert hash(again) == hash(space)
    assert again.describe() == space.describe()
    assert eval(repr(space), {"Space": Space, "Grid": Grid, "Int": Int, "Float": Float,
                              "Categorical": Categorical}) == space  # fmt: skip
    assert Space(KERNEL, valid=["gc=='g1' or (pad)", "bx*by <= 64"]) == space
    assert Space(KERNEL, valid="bx * by <= 64") != space
    assert Space(KERNEL) != space
    assert pickle.loads(pickle.dumps(space)) == space


def test_a_space_without_constraints_is_stored_as_before() -> None:
    assert Space({"a": (1, 4)}).describe() == {
        "format": "stoic.Space",
        "version": 1,
        "parameters": [{"name": "a", "type": "int", "low": 1, "high": 4, "scale": "linear"}],
    }
    assert repr(Space({"a": (1, 4)})) == "Space({'a': Int(1, 4)})"


def test_a_function_is_named_but_not_stored() -> None:
    def fits(params: dict[str, Any]) -> bool:
        return bool(params["a"] < 3)

    space = Space({"a": (1, 4)}, valid=fits)
    assert space.describe()["valid"] == [{"function": "fits"}]
    with pytest.raises(InvalidState, match="a function is not stored"):
        Space.from_description(space.describe())
    assert space == Space({"a": (1, 4)}, valid=[fits])
    assert space != Space({"a": (1, 4)}, valid=lambda p: p["a"] < 3)


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: d.update(valid=["a > "]),
        lambda d: d.update(valid="a > 1"),
        lambda d: d.update(version=3),
        lambda d: d.pop("valid"),
        lambda d: d.update(valid=[["a > 1"]]),
    ],
)
def test_damaged_constraints_are_refused(damage: Any) -> None:
    description = Space({"a": (1, 4)}, valid="a > 1").describe()
    damage(description)
    with pytest.raises(InvalidState):
        Space.from_description(description)


def test_columns_have_the_values_of_the_configurations() -> None:
    space = Space({"x": (1e-7, 3.3, "log"), "y": (-2.1, 0.7)})
    seen: list[dict[str, Any]] = []

    def noted(params: dict[str, Any]) -> bool:
        seen.append(params)
        return True

    watched = Space(space.parameters, valid=noted)
    U = space.sample(50, 0)
    watched.allows(U)
    assert seen == [space.decode(u) for u in U]
    for relation in (operator.le, operator.ge):
        x = math.exp(sum(math.log(p["x"]) for p in seen) / len(seen))
        symbol = "<=" if relation is operator.le else ">="
        text = Space(space.parameters, valid=f"x {symbol} {x!r}")
        assert text.allows(U).tolist() == [relation(p["x"], x) for p in seen]
