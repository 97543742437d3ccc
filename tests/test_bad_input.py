"""Whatever comes in: a typed error, or a finite answer in range. Never a NumPy traceback."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stoic
from helpers.soak import sized
from stoic.policies import by_name, names

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.sampled_from([0.0, -0.0, 1e308, -1e308, 1e-320, math.nan, math.inf]),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.complex_numbers(),
    st.lists(st.floats(), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    st.sampled_from([np.zeros(0), np.zeros((2, 2)), np.array("x"), np.array(3), np.array([None])]),
    st.sampled_from([np.float32(2.5), np.int8(1), np.bool_(True), object(), stoic, float]),
)
policies = st.sampled_from(names())
kernels = st.sampled_from([stoic.SquaredExponential(0.2), stoic.Matern(1.1, 0.5), stoic.Linear(1)])
reals = st.floats(allow_nan=False, allow_infinity=False)


SHARED = ["lam", "horizon", "schedule", "assumptions", "seed"]
OWN = {
    "ata-gp-ucb": {"features", "nodes", "eps", "q"},
    "bkb": {"eps", "q"},
    "bbkb": {"eps", "q", "growth"},
    "huber-gp-ucb": {"features", "nodes"},
    "mom-gp-ucb": {"plays", "delta_prime"},
    "rgp-pe": {"eta", "psi", "replicate"},
}


def in_range(policy: Any, arms: int) -> None:
    """The policy's answers are finite and in range."""
    arm = policy.ask()
    assert isinstance(arm, int)
    assert 0 <= arm < arms
    assert np.isfinite(policy.mean).all()
    assert np.isfinite(policy.std).all()
    assert (policy.std >= 0).all()
    assert math.isfinite(policy.width)


@settings(max_examples=sized(133, 400), deadline=None)
@given(
    name=policies,
    options=st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(
            (
                "lam",
                "horizon",
                "schedule",
                "assumptions",
                "seed",
                "features",
                "nodes",
                "eps",
                "q",
                "growth",
                "plays",
                "eta",
                "psi",
                "replicate",
            ),
            odd,
        ),
    ),
)
def test_odd_options(name: str, options: dict[str, Any]) -> None:
    make: Any = by_name(name)
    known = {*SHARED, *OWN.get(name, set())}
    options = {key: value for key, value in options.items() if key in known}
    try:
        policy = make(stoic.Arms([0.0, 0.3, 1.0]), stoic.SquaredExponential(0.3), **options)
        policy.tell(policy.ask(), 1.0)
    except stoic.StoicError as error:
        assert "expected" in str(error)
        return
    in_range(policy, 3)


@settings(max_examples=sized(66, 200), deadline=None)
@given(domain=odd, kernel=odd, name=policies)
def test_odd_domains_and_kernels(domain: Any, kernel: Any, name: str) -> None:
    make: Any = by_name(name)
    with pytest.raises(stoic.StoicError, match="expected"):
        make(domain, stoic.SquaredExponential(0.2))
    with pytest.raises(stoic.StoicError, match="expected"):
        make(stoic.Arms([0.0, 1.0]), kernel)
    for build in (stoic.Arms, stoic.Arms.matrix, stoic.MatrixKernel, stoic.SquaredExponential):
        try:
            build(domain)
        except stoic.StoicError as error:
            assert "expected" in str(error)
    try:
        stoic.Box(domain, kernel)
    except stoic.StoicError as error:
        assert "expected" in str(error)


@settings(max_examples=sized(50, 150), deadline=None)
@given(
    name=policies,
    kernel=kernels,
    X=st.lists(st.lists(reals, min_size=2, max_size=2), min_size=1, max_size=6),
    payoffs=st.lists(reals, min_size=1, max_size=25),
    lam=st.floats(1e-6, 1e6),
)
def test_any_arms_and_payoffs(
    name: str, kernel: Any, X: list[list[float]], payoffs: list[float], lam: float
) -> None:
    make: Any = by_name(name)
    try:
        policy = make(stoic.Arms(X), kernel, lam=lam)
    except stoic.StoicError as error:
        assert "expected" in str(error)
        return
    for payoff in payoffs:
        policy.tell(policy.ask(), payoff)
        in_range(policy, len(X))
    policy.recommend()
    make.from_state(policy.state())


@settings(max_examples=sized(66, 200), deadline=None)
@given(arm=odd, payoff=odd, name=policies)
def test_odd_tells_change_nothing(arm: Any, payoff: Any, name: str) -> None:
    make: Any = by_name(name)
    policy = make(stoic.Arms([0.0, 0.3, 1.0]), stoic.SquaredExponential(0.3))
    policy.tell(policy.ask(), 0.5)
    before = repr(policy.state())
    try:
        policy.tell(arm, payoff)
    except stoic.StoicError as error:
        assert "expected" in str(error)
        assert repr(policy.state()) == before
    in_range(policy, 3)


@settings(max_examples=60, deadline=None)
@given(point=odd, payoff=reals, name=policies)
def test_odd_points_of_a_box(point: Any, payoff: float, name: str) -> None:
    make: Any = by_name(name)
    policy = make(stoic.Box([0.0, 0.0], [1.0, 1.0]), stoic.Matern(2.5, 0.3))
    try:
        policy.tell(point, payoff)
    except stoic.StoicError as error:
        assert "expected" in str(error)
        assert policy.t == 0
    else:
        assert isinstance(point, list)  # it was one of the box, by chance
        assert all(0 <= x <= 1 for x in point)


@given(n=odd)
def test_odd_batch_sizes(n: Any) -> None:
    policy = stoic.policies.GPUCB(stoic.Arms([0.0, 1.0]), stoic.Linear(1.0))
    if n is None or (type(n) is int and 0 < n <= 3) or isinstance(n, np.int8):
        policy.ask(int(n) if isinstance(n, np.int8) else n)
    elif type(n) is not int or n < 1:
        if isinstance(n, np.ndarray) and n.ndim == 0 and n.dtype.kind == "i":
            return
        with pytest.raises(stoic.StoicError, match="expected"):
            policy.ask(n)


@pytest.mark.parametrize(
    "wrong",
    [
        {"norm_bound": 0.0},
        {"norm_bound": math.nan},
        {"moment_order": 0.0},
        {"moment_order": 1.5},
        {"raw_moment": -1.0},
        {"central_moment": 0.0},
        {"noise_std": -1.0},
        {"budget": "much"},
        {"delta": 0.0},
        {"delta": 2.0},
        {"delta": True},
    ],
)
def test_odd_assumptions(wrong: dict[str, Any]) -> None:
    with pytest.raises(stoic.StoicError, match="expected"):
        stoic.Assumptions(**wrong)


@pytest.mark.parametrize(
    "name", [n for n in names() if n != "uniform" and "theory" in by_name(n).schedules]
)
def test_missing_constants_are_named(name: str) -> None:
    make: Any = by_name(name)
    with pytest.raises(stoic.StoicError, match=r"expected (Assumptions\(|horizon=T)"):
        policy = make(stoic.Arms([0.0, 1.0]), stoic.Matern(2.5, 0.3), schedule="theory")
        for _ in range(3):
            policy.tell(policy.ask(), 1.0)


def test_unknown_names() -> None:
    with pytest.raises(KeyError, match="expected a policy among"):
        by_name("nonsense")
    with pytest.raises(ValueError, match="one of 'theory', 'paper', 'practical'"):
        stoic.policies.GPUCB(stoic.Arms([0.0]), stoic.Linear(1), schedule="hopeful")


def test_plans_refuse_other_arms() -> None:
    mom = stoic.policies.MoMGPUCB(stoic.Arms([0.0, 1.0]), stoic.Matern(2.5, 0.3))
    pe = stoic.policies.RGPPE(stoic.Arms([0.0, 0.5, 1.0]), stoic.Matern(2.5, 0.3))
    for policy, wrong in ((mom, 1), (pe, 1)):
        before = repr(policy.state())
        with pytest.raises(stoic.errors.OutOfPlan, match="tell what ask"):
            policy.tell(wrong, 1.0)
        assert repr(policy.state()) == before


@pytest.mark.parametrize("told", [None, 3, "told", {"x": 0.5}, [3], [{"x": 0.5}], [()], ["abc"],
                                  [({"x": 0.5}, 40.0)], [({"x": 0.5}, 40.0, None, 1)],
                                  [({"x": 0.5}, "a", None)], [("x", 4.0, None)],
                                  [({"x": 0.5}, None, None)], np.array(3.0)])  # fmt: skip
def test_odd_sequences_of_outcomes_change_nothing(told: Any) -> None:
    optimizer = stoic.Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    with pytest.raises(stoic.errors.InvalidInput, match="expected"):
        optimizer.tell_all([({"x": 0.1}, 1.0, None), *told] if isinstance(told, list) else told)
    assert not optimizer.trials


def test_an_outcome_of_two_parts_is_told_what_the_third_is() -> None:
    with pytest.raises(
        stoic.errors.InvalidInput, match=r"\(parameters, value, reason\), got tuple"
    ):
        stoic.Optimizer({"x": (0.0, 1.0)}, direction="maximize").tell_all([({"x": 0.5}, 40.0)])  # type: ignore[list-item]


@pytest.mark.parametrize("odd", [None, 3, "x", {"x": 0.5}, [3], ["x"], [None], np.array(3.0)])
def test_odd_sequences_of_configurations(odd: Any) -> None:
    space = stoic.Space({"x": (0.0, 1.0)})
    for call in (
        space.read,
        lambda rows: stoic.Optimizer(space, direction="maximize").ask(pending=rows),
    ):
        with pytest.raises(stoic.errors.InvalidInput, match="expected"):
            call(odd)


@pytest.mark.parametrize("odd", [None, 3, [], {}, np.zeros(3)])
def test_odd_names_paths_and_descriptions(odd: Any) -> None:
    with pytest.raises(stoic.StoicError, match="expected a policy among"):
        by_name(odd)
    with pytest.raises(stoic.errors.InvalidState, match="expected"):
        stoic.Space.from_description(odd)
    with pytest.raises(stoic.StoicError, match="expected"):
        stoic.policies.GPUCB.load(odd)
    with pytest.raises(stoic.errors.InvalidInput, match="quantiles"):
        stoic.Space({"x": (0.0, 1.0)}).fill(odd)
