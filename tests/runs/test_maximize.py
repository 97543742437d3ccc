"""The one-call optimiser: how functions are called, what is a failure, what a result shows."""

from __future__ import annotations

import asyncio
import json
import math
import re
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from stoic.errors import InvalidInput, InvalidPayoff, MissingExtra
from stoic.numbers import rounded
from stoic.optimize import Optimizer
from stoic.optimize.answers import Answer, Suspect, Trial
from stoic.report.figure import draw, write
from stoic.report.importance import columns, importance
from stoic.report.replay import replay
from stoic.report.result import Result
from stoic.report.sensitivity import Without
from stoic.report.views import lucky, numbered, predict, scatter, slice_through, suspected, view
from stoic.runs.run import maximize, minimize
from stoic.spaces import Categorical, Float, Grid, Int, Space

LINE = {"x": (0.0, 1.0)}


def bump(x: float) -> float:
    return 1.0 - (x - 0.3) ** 2


def told(space: Any, fn: Any, n: int, direction: str = "maximize") -> Optimizer:
    """An optimiser with the values of points that fill the space."""
    optimizer = Optimizer(space, direction=direction)
    for u in optimizer.space.sample(n, 3):
        params = optimizer.space.decode(u)
        optimizer.tell(params, fn(params))
    return optimizer


def recorder(value: Any, calls: list[Any]) -> Any:
    """A function of anything that records its calls."""

    def fn(**params: Any) -> Any:
        calls.append(params)
        return value

    return fn


# -- the answer -----------------------------------------------------------------------------------


def test_maximize_and_minimize_look_in_opposite_directions() -> None:
    up = maximize(bump, LINE, 14)
    down = minimize(bump, LINE, 14)
    assert up.best is not None
    assert up.best.params["x"] == pytest.approx(0.3, abs=0.05)
    assert down.best is not None
    assert down.best.params["x"] == pytest.approx(1.0, abs=0.05)
    assert (up.direction, down.direction) == ("maximize", "minimize")
    assert len(up.trials) == len(down.trials) == 14
    assert up.objective == "bump"


def test_minimizing_is_maximizing_the_negative() -> None:
    up = maximize(lambda x: bump(x), LINE, 12)
    down = minimize(lambda x: -bump(x), LINE, 12)
    assert [t.params for t in up.trials] == [t.params for t in down.trials]
    assert up.objective == "value"  # a lambda has no name worth an axis


def test_runs_repeat_and_seeds_differ() -> None:
    first, again, other = (maximize(bump, LINE, 10, seed=s).to_dict() for s in (1, 1, 2))
    assert first == again
    assert first["trials"] != other["trials"]


def test_one_absurd_value_is_not_the_answer() -> None:
    calls = []

    def spiked(x: float) -> float:
        calls.append(x)
        return 1e9 if len(calls) == 4 else bump(x)

    result = maximize(spiked, LINE, 20)
    assert result.best is not None
    assert result.best.params["x"] == pytest.approx(0.3, abs=0.1)
    assert result.luckiest is not None
    assert result.luckiest.trial.number == 3
    assert [s.trial for s in result.suspects] == [3]


# -- how the function is called -------------------------------------------------------------------


def test_functions_that_take_the_names_get_keywords() -> None:
    seen: list[Any] = []

    def named(y: str, x: float, verbose: bool = False) -> float:
        seen.append((x, y, verbose))
        return x

    maximize(named, {"x": (0.0, 1.0), "y": ["a", "b"]}, 3)
    assert all(isinstance(x, float) and y in "ab" and v is False for x, y, v in seen)
    maximize(recorder(1.0, seen), {"not a name": (0.0, 1.0)}, 1)
    assert list(seen[-1]) == ["not a name"]


def test_other_functions_get_one_dict_of_their_own() -> None:
    def greedy(config: dict[str, Any]) -> float:
        return float(config.pop("x"))

    result = maximize(greedy, LINE, 3)
    assert all(t.params["x"] == t.value for t in result.trials)


def test_a_parameter_named_like_the_argument_is_passed_by_name() -> None:
    result = maximize(lambda config: config, {"config": (0.0, 1.0)}, 2)
    assert all(not t.failed for t in result.trials)


@pytest.mark.parametrize(
    "fn",
    [lambda: 1.0, lambda x, z: x + z, lambda x, z=1: x + z, lambda a, b: a + b],
    ids=["nothing", "one more", "a misspelt one", "two strangers"],
)
def test_functions_that_do_not_fit_are_refused_before_they_run(fn: Any) -> None:
    with pytest.raises(InvalidInput, match="expected a function of x, y"):
        maximize(fn, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, 5)


def test_conditional_parameters_need_a_default() -> None:
    space = {"opt": ["adam", "sgd"], "momentum": Float(0.0, 0.9, when={"opt": "sgd"})}
    with pytest.raises(InvalidInput, match="defaults for the parameters with a condition"):
        maximize(lambda opt, momentum: 1.0, space, 3)  # noqa: ARG005
    seen: list[Any] = []
    maximize(recorder(1.0, seen), space, 8)
    assert all(("momentum" in params) == (params["opt"] == "sgd") for params in seen)
    assert {params["opt"] for params in seen} == {"adam", "sgd"}
    result = maximize(lambda opt, momentum=None: len(opt) + (momentum or 0.0), space, 4)
    assert not result.failures


def test_functions_without_a_signature_and_callables() -> None:
    class Model:
        def __call__(self, x: float) -> float:
            return x

    assert len(maximize(Model(), LINE, 2).trials) == 2
    # min has no signature; of the dict it gives the first name, which is no number
    with pytest.raises(InvalidPayoff, match="real number, got str 'x'"):
        maximize(min, LINE, 2)


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": 0},
        {"budget": -3},
        {"budget": 2.5},
        {"budget": True},
        {"budget": "9"},
        {"space": {}},
        {"space": {"x": (1.0, 0.0)}},
        {"space": None},
        {"seed": -1},
        {"jobs": 0},
        {"callback": 3},
        {"fn": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("run", [maximize, minimize])
def test_bad_input_is_refused_before_anything_runs(run: Any, wrong: dict[str, Any]) -> None:
    calls: list[Any] = []
    with pytest.raises(InvalidInput):
        run(**{"fn": recorder(1.0, calls), "space": LINE, "budget": 5, **wrong})
    assert not calls


def test_coroutines_are_refused() -> None:
    async def later(x: float) -> float:
        await asyncio.sleep(0)
        return x

    with pytest.raises(InvalidInput, match="coroutine"):
        maximize(later, LINE, 3)


@pytest.mark.parametrize(
    "value", ["7", b"7", True, np.True_, [1.0], (1.0,), {}, np.ones(1), 1j], ids=repr
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_wrong_type_is_an_error_at_once(value: Any, jobs: int) -> None:
    calls: list[Any] = []
    with pytest.raises(InvalidPayoff, match="real number"):
        maximize(recorder(value, calls), LINE, 50, jobs=jobs)
    assert len(calls) <= jobs + 1


@pytest.mark.parametrize("value", [3, np.float32(3), np.int64(3), Fraction(3), np.array(3.0)])
def test_numbers_of_every_kind_are_values(value: Any) -> None:
    assert maximize(lambda x: value, LINE, 1).trials[0].value == 3.0  # noqa: ARG005


# -- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (math.nan, "returned nan"),
        (math.inf, "returned inf"),
        (-math.inf, "returned -inf"),
        (np.float64(math.nan), "returned nan"),
        (np.array(math.nan), "returned nan"),
        (None, "returned None"),
    ],
)
def test_values_that_are_none_are_failures(bad: Any, reason: str) -> None:
    result = maximize(lambda x: bad if x > 0.5 else x, LINE, 10)
    failed = [t for t in result.trials if t.failed]
    assert failed
    assert {t.reason for t in failed} == {reason}
    assert all(t.params["x"] > 0.5 for t in failed)
    assert result.best is not None
    assert result.failures == {reason: len(failed)}


def test_integers_beyond_floats_are_failures() -> None:
    result = maximize(lambda x: 10**400 if x > 0.5 else x, LINE, 4)
    assert any((t.reason or "").startswith("returned 1000") for t in result.trials)


def test_exceptions_are_failures_with_their_reason() -> None:
    def crashes(x: float) -> float:
        if x > 0.5:
            raise OSError("disk\nfull" + "!" * 1000)
        if x > 0.4:
            raise StopIteration
        return x

    result = maximize(crashes, LINE, 12)
    reasons = {(t.reason or "")[:18] for t in result.trials if t.failed}
    assert "OSError: disk full" in reasons
    assert all(len(t.reason or "") <= 200 for t in result.trials)
    assert len(result.trials) == 12
    assert result.best is not None
    assert result.best.params["x"] < 0.5
    assert "Failures: " in str(result)


def test_the_same_mistake_from_the_start_stops_the_run() -> None:
    calls = []

    def mistaken(x: float) -> float:
        calls.append(x)
        return x + None  # type: ignore[operator]

    with pytest.raises(InvalidInput, match=r"TypeError: unsupported .* 5 times out of 5") as caught:
        maximize(mistaken, LINE, 100)
    assert isinstance(caught.value.__cause__, TypeError)
    assert len(calls) == 5


def test_a_forgotten_return_stops_the_run() -> None:
    with pytest.raises(InvalidPayoff, match="got None 5 times out of 5"):
        maximize(lambda x: None, LINE, 100)  # noqa: ARG005


def test_errors_of_the_system_get_more_patience_and_mixed_ones_no_limit() -> None:
    calls: list[float] = []

    def down(x: float) -> float:
        calls.append(x)
        raise ConnectionError("no server")

    with pytest.raises(InvalidInput, match="ConnectionError") as caught:
        maximize(down, LINE, 100)
    assert isinstance(caught.value.__cause__, ConnectionError)
    assert len(calls) == 20

    def mixed(x: float) -> float:
        calls.append(x)
        raise (OSError if len(calls) % 2 else ValueError)("no")

    assert sum(maximize(mixed, LINE, 25).failures.values()) == 25


def test_one_value_early_on_and_mistakes_are_failures() -> None:
    calls: list[float] = []

    def once(x: float) -> float:
        calls.append(x)
        if len(calls) > 1:
            raise TypeError("no")
        return x

    result = maximize(once, LINE, 12)
    assert result.best is not None
    assert result.failures == {"TypeError: no": 11}


def test_a_run_without_any_value_is_a_result_that_says_so() -> None:
    result = minimize(lambda x: math.nan, LINE, 6)  # noqa: ARG005
    assert result.best is None
    assert result.luckiest is None
    assert result.suspects == ()
    assert "no answer" in str(result)
    assert "6 × returned nan" in str(result)
    assert json.loads(json.dumps(result.to_dict()))["best"] is None
    assert result.plot().get_axes()


# -- interrupts, callbacks, threads, progress -----------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("after", [0, 7])
def test_ctrl_c_keeps_what_was_found(jobs: int, after: int) -> None:
    calls: list[float] = []

    def interrupted(x: float) -> float:
        calls.append(x)
        if len(calls) > after:
            raise KeyboardInterrupt
        return bump(x)

    result = maximize(interrupted, LINE, 50, jobs=jobs)
    assert result.interrupted
    assert (result.best is None) == (after == 0)
    assert after - jobs < len(result.trials) <= after
    assert "interrupted" in str(result)


def test_exit_is_no_failure() -> None:
    with pytest.raises(SystemExit):
        maximize(lambda x: sys.exit(3), LINE, 5)  # noqa: ARG005


def test_the_callback_sees_each_trial_and_may_stop() -> None:
    seen: list[Trial] = []

    def watch(trial: Trial) -> None:
        seen.append(trial)
        if trial.number == 3:
            raise StopIteration

    result = maximize(bump, LINE, 50, callback=watch)
    assert tuple(seen) == result.trials
    assert len(seen) == 4
    assert not result.interrupted


def test_errors_of_the_callback_are_the_users() -> None:
    with pytest.raises(ZeroDivisionError):
        maximize(bump, LINE, 5, callback=lambda trial: 1 / trial.number)


def test_jobs_run_at_the_same_time_and_keep_the_budget() -> None:
    together = threading.Barrier(3, timeout=20)  # nobody passes alone

    def waits(x: float) -> float:
        together.wait()
        return bump(x)

    result = maximize(waits, LINE, 12, jobs=3)
    assert len(result.trials) == 12
    assert not result.failures
    first = [t.params["x"] for t in result.trials[:3]]
    assert len(set(first)) == 3  # each reckons with those under way


def test_progress_goes_to_stderr_in_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    maximize(lambda x: math.nan if x > 0.9 else bump(x), LINE, 30, progress=True)
    out, err = capsys.readouterr()
    assert not out
    assert len(err.splitlines()) == 10
    assert err.splitlines()[-1].startswith("30/30: best estimate ")
    maximize(bump, LINE, 3)
    assert capsys.readouterr() == ("", "")


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    maximize(bump, LINE, 4, progress=True)
    assert "4/4" in capsys.readouterr().err


# -- reports --------------------------------------------------------------------------------------


def test_the_report_is_short_whatever_happened() -> None:
    rng = np.random.default_rng(0)

    def wild(params: dict[str, float]) -> float:
        if rng.random() < 0.2:
            raise OSError(f"no {rng.integers(100)} " + "very long " * 20)
        if rng.random() < 0.1:
            return 1e12
        return sum(params.values())

    result = minimize(wild, {f"a_long_name_of_parameter_{i}": (0.0, 1.0) for i in range(12)}, 40)
    lines = str(result).splitlines()
    assert len(lines) <= 17
    assert all(len(line) <= 110 for line in lines)
    assert lines[0].startswith("Minimised wild in 40 evaluations")
    for word in ("Best configuration", "90% interval", "median", "Luckiest", "suspect", "Failures"):
        assert word in str(result)


def test_results_are_data() -> None:
    result = minimize(lambda opt, k: k + (opt == "b"), {"opt": ["a", "b"], "k": (1, 5)}, 8)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["best"]["params"] == {"opt": "a", "k": 1}
    assert len(data["best"]["interval"]) == 2
    assert [t["value"] for t in data["trials"]] == [t.value for t in result.trials]
    assert Space.from_description(data["space"]) == result.space
    with pytest.raises(AttributeError):
        result.interrupted = True  # type: ignore[misc]


def test_an_optimiser_that_was_told_nothing_gives_an_empty_result() -> None:
    result = Result.of(Optimizer(LINE, direction="maximize"))
    assert result.best is None
    assert str(result)
    with pytest.raises(InvalidInput, match="at least one trial"):
        result.plot()


# -- what the figure shows ------------------------------------------------------------------------

MIXED = {
    "rate": (1e-4, 1.0, "log"),
    "share": (0.0, 1.0),
    "depth": (2, 9),
    "units": Int(1, 4000),
    "width": Int(8, 2048, "log"),
    "few": Int(1, 4, "log"),
    "size": Grid([16, 32, 64, 128]),
    "levels": Grid(list(range(0, 90, 3))),
    "kind": Categorical([f"kind {i}" for i in range(15)]),
    "flag": [True, False],
    "$cost_": (0.0, 1.0),
    "inner": Float(0.0, 1.0, when={"flag": True}),
    "never": Float(0.0, 1.0, when={"flag": False}),
    "constant": [3],
}


def mixed(params: dict[str, Any]) -> float:
    return float(
        -abs(math.log10(params["rate"]) + 2) - 0.1 * params["depth"] + 2.0 * params["flag"]
    )


def test_figures_show_every_kind_of_parameter(tmp_path: Path) -> None:
    optimizer = told(MIXED, mixed, 60)
    optimizer.tell(optimizer.trials[0].params, 1e9)
    optimizer.tell(optimizer.trials[1].params, -1e300)
    optimizer.fail(optimizer.trials[2].params, "crash")
    result = Result.of(optimizer)
    assert result.best is not None
    u = result.space.encode(result.best.params)
    for name, parameter in MIXED.items():
        if name in result.best.params and name != "constant":
            cut = slice_through(optimizer, u, name)
            assert np.all(cut.low <= cut.mean)
            assert np.all(cut.mean <= cut.high)
            assert np.isfinite([cut.low, cut.high]).all()
            assert cut.values[int(np.flatnonzero(cut.x == cut.best)[0])] == pytest.approx(
                result.best.params[name]
            )
            assert len(cut.values) <= 122
            assert not isinstance(parameter, Categorical) or len(cut.values) == 12
    figure = result.plot()
    for suffix in ("png", "svg", "pdf"):
        write(figure, tmp_path / f"figure.{suffix}")
        assert (tmp_path / f"figure.{suffix}").stat().st_size > 10_000
    text = " ".join(ElementTree.parse(tmp_path / "figure.svg").getroot().itertext())
    for word in ("rate", "Progress", "Importance", "1e+09", "suspect", "failed (1)", "luckiest"):
        assert word in text
    slices = [ax.get_xlabel() for ax in figure.get_axes()[2:]]
    assert len(slices) == 6
    assert not any(label.startswith("never") for label in slices)  # absent from the answer


@pytest.mark.parametrize("name", [n for n in MIXED if n not in {"inner", "never", "constant"}])
def test_each_kind_of_parameter_is_drawn_alone(name: str) -> None:
    result = Result.of(
        told({name: MIXED[name]}, lambda p: float(sum(str(p).encode())), 9, "minimize")
    )
    axes = result.plot().get_axes()
    assert len(axes) == 2  # progress and one slice; no importance of the only parameter
    assert name.replace("$", r"\$") in axes[1].get_xlabel()
    assert axes[1].get_xscale() == ("log" if "log" in repr(MIXED[name]) else "linear")


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("value", [0.0, 1e-300, -1e300, 7.0])
def test_figures_of_few_and_equal_values(n: int, value: float) -> None:
    result = Result.of(told({"x": (0.0, 1.0), "k": ["a", "b", "c"]}, lambda _: value, n))
    assert len(result.plot().get_axes()) == 1  # progress; no slice has a scale


def test_slices_are_those_that_matter_most() -> None:
    space = {f"x{i}": (0.0, 1.0) for i in range(10)}
    optimizer = told(space, lambda p: 5.0 * p["x7"] + p["x2"], 40)
    figure = draw(Result.of(optimizer))
    labels = [ax.get_xlabel() for ax in figure.get_axes()[2:]]
    assert len(labels) == 6
    assert labels[0].startswith("x7")
    assert labels[1].startswith("x2")


def test_figures_are_files_of_known_kinds_and_repeat(tmp_path: Path) -> None:
    result = Result.of(told(LINE, lambda p: bump(p["x"]), 8))
    with pytest.raises(InvalidInput, match=r"ends in \.png, \.svg or \.pdf"):
        result.plot(tmp_path / "figure.xyz")
    for name in ("a.svg", "b.svg"):
        result.plot(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_figures_leave_matplotlib_alone_and_need_no_pyplot() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    Result.of(told(LINE, lambda p: bump(p["x"]), 5)).plot()
    assert dict(mpl.rcParams) == before


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"stoic\[figures\]"):
        Result.of(told(LINE, lambda p: bump(p["x"]), 5)).plot()


def test_the_replay_ends_at_the_answer_and_never_looks_ahead() -> None:
    optimizer = told(LINE, lambda p: bump(p["x"]), 12)
    result = Result.of(optimizer)
    assert result.best is not None
    _, estimates = replay(result)
    assert estimates[-1].value == pytest.approx(result.best.value, rel=1e-6)
    assert (estimates[-1].low, estimates[-1].high) == pytest.approx(result.best.interval, rel=1e-6)
    assert [e.position for e in estimates] == sorted({e.position for e in estimates})
    optimizer.tell({"x": 0.9}, 50.0)
    _, longer = replay(Result.of(optimizer))
    shared = {e.position: e for e in estimates}
    both = [e for e in longer if e.position in shared]
    assert both
    assert all(shared[e.position] == e for e in both)


def test_the_replay_of_many_trials_is_that_of_few_at_first_and_stays_near() -> None:
    rng = np.random.default_rng(0)
    optimizer = told(LINE, lambda p: bump(p["x"]) + 0.05 * rng.standard_t(2), 260)
    result = Result.of(optimizer)
    _, estimates = replay(result)
    assert len(estimates) > 12
    late = [e for e in estimates if e.position > 200]
    assert len(late) >= 3
    for e in late:  # a likeness of the optimiser's own surrogate, which it replaces
        assert e.low < e.value < e.high
        assert e.value == pytest.approx(estimates[-1].value, abs=0.05)
    _, anew = replay(replace(result, source=None))
    assert anew == estimates


def test_trials_stand_at_their_position_whatever_their_number() -> None:
    optimizer = told(LINE, lambda p: bump(p["x"]), 20)
    optimizer.tell(optimizer.trials[4].params, 1e9)  # a second measurement of trial 4
    plain = Result.of(optimizer)
    assert numbered(plain)
    assert suspected(plain) == {20}
    assert lucky(plain) == 20
    # numbers of one's own: out of order, and two measurements of one trial
    numbers = [*range(119, 99, -1), 115]
    trials = tuple(replace(t, number=n) for t, n in zip(plain.trials, numbers, strict=True))
    suspects = tuple(replace(s, trial=115) for s in plain.suspects)
    assert plain.luckiest is not None
    luckiest = replace(plain.luckiest, trial=trials[20])
    result = replace(plain, trials=trials, suspects=suspects, luckiest=luckiest)
    assert not numbered(result)
    assert suspected(result) == {20}
    assert lucky(result) == 20
    seen, again = view(plain), view(result)
    assert again.estimates == seen.estimates
    assert again.slices[0].near.tolist() == seen.slices[0].near.tolist()
    progress = result.plot().get_axes()[0]
    assert progress.get_xlabel() == "evaluation, in order of arrival"
    assert progress.get_xlim()[1] < 25


def test_a_view_needs_no_new_surrogate_unless_the_optimiser_went_on() -> None:
    optimizer = told(LINE, lambda p: bump(p["x"]), 9)
    result = Result.of(optimizer)
    assert view(result).optimizer is optimizer
    before = view(result).slices[0].mean
    optimizer.tell({"x": 0.9}, 7.0)
    later = view(result)
    assert later.optimizer is not optimizer
    assert later.slices[0].mean.tolist() == before.tolist()


def test_without_noise_the_best_measurement_is_the_answer() -> None:
    optimizer = told(LINE, lambda p: bump(p["x"]), 40)
    best, lucky = optimizer.recommend(), optimizer.luckiest
    assert lucky.trial.params == best.params
    assert lucky.why.startswith("the answer is this configuration")


def test_why_the_luckiest_is_not_the_answer() -> None:
    rng = np.random.default_rng(1)
    optimizer = told(LINE, lambda p: bump(p["x"]) + 0.2 * rng.standard_normal(), 40)
    best, lucky = optimizer.recommend(), optimizer.luckiest
    assert lucky.trial.params != best.params
    assert "times the usual scatter" in lucky.why
    own = float(lucky.why.split("own estimate is ")[1].split(",")[0])
    assert own <= best.value + 0.005  # rounded to two digits, as the interval asks


def test_where_the_luckiest_fails_too_often_that_is_said() -> None:
    optimizer = told(LINE, lambda p: p["x"], 20)
    lucky = max(trial.params["x"] for trial in optimizer.trials)
    for _ in range(30):
        optimizer.fail({"x": lucky})
        optimizer.fail({"x": lucky - 0.01})
    assert optimizer.recommend().params["x"] < lucky - 0.01
    share = re.search(r"of evaluations near it, an estimated (\d+)% fail$", optimizer.luckiest.why)
    assert share is not None
    assert int(share[1]) > 50


def test_by_how_much_the_luckiest_was_lucky_is_computed() -> None:
    rng = np.random.default_rng(1)
    optimizer = told(LINE, lambda p: bump(p["x"]) + 0.2 * rng.standard_normal(), 40)
    lucky = optimizer.luckiest
    own = predict(optimizer, optimizer.space.encode(lucky.trial.params)[None])[0][0]
    times = ((lucky.trial.value or 0.0) - own) / scatter(optimizer, own)
    assert f"by {times:.2g} times the usual scatter" in lucky.why


def test_the_scatter_is_that_at_the_value_also_where_values_span_decades() -> None:
    rng = np.random.default_rng(0)
    optimizer = Optimizer(LINE, direction="minimize")
    for u in optimizer.space.sample(60, 0):
        params: Any = optimizer.space.decode(u)
        optimizer.tell(params, 10.0 ** (5.0 * params["x"]) * math.exp(0.1 * rng.standard_normal()))
    assert optimizer.knowledge().model.scaling.log_unit > 0.0
    low, high = scatter(optimizer, 100.0), scatter(optimizer, 10_000.0)
    assert high > 20.0 * low  # a tenth of the value, about, at both
    assert 3.0 < low < 40.0


# -- the answer without the suspects --------------------------------------------------------------


def two_stories() -> Result:
    """Sixty measurements of six configurations; at the best one, half are 40 and half are 30."""
    rng, optimizer = np.random.default_rng(0), Optimizer({"k": [*"abcdef"]}, direction="minimize")
    for i in range(60):
        level = 40.0 + 10.0 * (i % 6) if i % 12 else 30.0
        optimizer.tell({"k": "abcdef"[i % 6]}, level + 0.5 * rng.standard_normal())
    return Result.of(optimizer)


def accused(result: Result, numbers: list[int]) -> Result:
    """The result with other suspects."""
    trials = [result.trials[n] for n in numbers]
    suspects = tuple(Suspect(t.number, t.params, t.value or 0.0, 30.0, "far") for t in trials)
    return replace(result, suspects=suspects)


def test_the_estimate_without_the_suspects_is_fitted_anew() -> None:
    result = accused(two_stories(), list(range(6, 60, 12)))
    assert result.best is not None
    assert result.best.params == {"k": "a"}
    others = Optimizer(result.space, direction="minimize")
    for trial in result.trials:
        if trial.number % 12 != 6:
            others.tell(trial.params, trial.value or 0.0)
    alone = others.recommend()
    assert alone.params == {"k": "a"}
    without = result.without_suspects
    assert without is not None
    assert without.value == pytest.approx(alone.value)
    assert abs(without.value - result.best.value) > 2.0
    assert not without.small
    width = result.best.interval[1] - result.best.interval[0]
    new, old = (rounded(v, width / 2) for v in (alone.value, result.best.value))
    place = "within" if without.inside else "outside"
    said = f"without the 5 suspects the estimate would be {new} instead of {old}, {place}"
    assert str(without).startswith(said)
    assert said.replace("without", "Without", 1) in " ".join(str(result).split())


def test_suspects_that_hardly_count_are_found_to() -> None:
    optimizer = told(LINE, lambda p: bump(p["x"]), 20)
    optimizer.tell({"x": 0.5}, 1e9)
    result = Result.of(optimizer)
    assert len(result.suspects) == 1
    without = result.without_suspects
    assert without is not None
    assert without.small
    assert without.inside
    assert str(without).startswith("without the suspect the estimate would ")
    assert accused(result, []).without_suspects is None


def test_an_interval_without_ends_says_nothing_about_the_suspects() -> None:
    answer = Answer({"k": "a"}, 1.0, (-math.inf, math.inf), 2)
    assert not Without(1, answer, 900.0).small
    assert Without(1, replace(answer, interval=(0.0, 2.0)), 1.05).small
    assert not Without(1, replace(answer, interval=(0.0, 2.0)), 1.5).small


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_predictions_are_in_the_users_units(direction: str) -> None:
    optimizer = told(LINE, lambda p: 1000.0 + 50.0 * p["x"], 15, direction)
    value, low, high = predict(optimizer, np.array([[0.2], [0.8]]))
    assert value == pytest.approx([1010.0, 1040.0], abs=2.0)
    assert np.all((low <= value) & (value <= high))


# -- importance -----------------------------------------------------------------------------------


def test_importance_finds_the_shares_of_an_additive_function() -> None:
    # Var(3a) : Var(b) = 9 : 1 for a, b uniform on [0, 1]
    space = {"b": (0.0, 1.0), "a": (0.0, 1.0), "idle": ["u", "v", "w"], "one": [1]}
    shares = importance(told(space, lambda p: 3.0 * p["a"] + p["b"], 60))
    assert [s.name for s in shares] == ["a", "b", "idle"]
    assert [s.main for s in shares] == pytest.approx([0.9, 0.1, 0.0], abs=0.06)
    assert [s.total for s in shares] == pytest.approx([0.9, 0.1, 0.0], abs=0.06)


def test_importance_tells_interactions_from_main_effects() -> None:
    # of (2a − 1)(2b − 1), nothing is explained by one alone
    fn = told({"a": (0.0, 1.0), "b": (0.0, 1.0)}, lambda p: (2 * p["a"] - 1) * (2 * p["b"] - 1), 60)
    for share in importance(fn):
        assert share.main < 0.1
        assert share.total > 0.85


def test_importance_of_a_parameter_under_a_condition() -> None:
    # Var(x if on else 0.5) = Var(x)/2; "on" matters only by whether x counts
    space = {"on": [True, False], "x": Float(0.0, 1.0, when={"on": True})}
    found = {s.name: s for s in importance(told(space, lambda p: p.get("x", 0.5), 60))}
    assert found["x"].total > 0.9
    assert found["on"].main < 0.1
    assert found["on"].total == pytest.approx(0.5, abs=0.15)


def test_nothing_matters_where_nothing_changes() -> None:
    shares = importance(told({"a": (0.0, 1.0), "k": (1, 9)}, lambda _: 4.0, 12))
    assert [(s.main, s.total) for s in shares] == [(0.0, 0.0)] * 2


def test_columns_are_those_of_the_parameter() -> None:
    space = Space({"c": [0], "k": ["a", "b", "c"], "x": (0.0, 1.0)})
    assert columns(space, "k").tolist() == [True, True, True, False]
    assert columns(space, "x").tolist() == [False, False, False, True]
    assert not columns(space, "c").any()
