"""The HTML report: what it says, that nothing in it runs or is fetched, and odd results."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput
from stoic.optimize import Optimizer
from stoic.optimize.past import Estimate
from stoic.optimize.result import Result
from stoic.optimize.run import maximize, minimize
from stoic.optimize.views import view
from stoic.spaces import Categorical, Float, Grid, Int
from stoic.study.report import render, write_report
from stoic.study.report.svg import log_ticks, ticks
from stoic.study.report.words import Case, where

VOID = {"meta", "rect", "path", "circle"}  # some of which may close themselves
HOSTILE = "\"><script>alert(1)</script>\x00\udcff\u202e'`{}$title"


class Page(HTMLParser):
    """A page taken apart; refuses tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "html"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag != "html":
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif not self.open or self.open[-1] != "style":
            self.text.append(data)

    @property
    def said(self) -> str:
        return " ".join(" ".join(self.text).split())

    def count(self, tag: str, kind: str | None = None) -> int:
        return sum(
            t == tag and (kind is None or kind in (a.get("class") or "").split())
            for t, a in self.tags
        )


def checked(html: str) -> Page:
    """A page in which nothing but its own script runs, and nothing is fetched."""
    page = Page(html)
    assert page.count("script") == 1
    (script,) = page.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert f"'sha256-{digest}'" in policy
    assert not re.search(r"https?:|url\(|@import", html)
    for tag, attributes in page.tags:
        assert tag not in {"link", "img", "iframe", "object", "a", "base", "form", "image", "use"}
        assert not [name for name in attributes if name.startswith("on") or name in {"src", "href"}]
        for name in ("d", "cx", "cy", "r", "x", "y", "width", "viewbox"):
            assert not re.search(r"nan|inf", attributes.get(name) or "")
    return page


def trap(seed: int = 0) -> Any:
    """A latency with a heavy tail, lucky outliers, and crashes where the cache is large."""
    rng, calls = np.random.default_rng(seed), [0]

    def latency(threads: int, cache: int, gc: str) -> float:
        calls[0] += 1
        if cache > 1500:
            raise MemoryError("out of memory")
        true = 40.0 + 0.02 * (threads - 24) ** 2 + 6.0 * (gc != "zgc")
        return 4.5 if calls[0] in {7, 21} else true * (1.0 + 0.03 * abs(rng.standard_t(2)))

    return latency


SPACE = {"threads": (1, 64), "cache": (16, 4096, "log"), "gc": ["g1", "zgc", "parallel"]}


@pytest.fixture(scope="module")
def tuned() -> Result:
    return minimize(trap(), SPACE, 40)


# -- what it says ---------------------------------------------------------------------------------


def test_the_report_says_all_that_matters(tuned: Result) -> None:
    page = checked(
        render(
            tuned,
            title="Tuning <the> server",
            command="stoic tune -- ./bench.sh {threads}",
            started=1_790_000_000.0,
            seconds=734.0,
        )
    )
    said = page.said
    assert tuned.best is not None
    assert said.startswith("Tuning <the> server Tuning <the> server Minimised latency")
    for name, value in tuned.best.params.items():
        assert f"{name} {value}" in said
    for words in (
        "40 evaluations · 21 September 2026 · 12 min 14 s",
        "Use the configuration below",
        "with a probability of 90%",
        "Improvement",
        "lower compared with a typical first try",
        "3 of 3 checks passed",
        "The best single measurement was 4.5",
        "It is not the configuration recommended",
        "where the other measurements predict",
        "MemoryError: out of memory",
        "cache from",
        "stoic tune -- ./bench.sh {threads}",
        f"Made by stoic {stoic.__version__}",
        "Seed 0",
        "2026-09-21 14:13:20 UTC",
        "Why the best measurement is not the answer",
    ):
        assert words in said, words
    failed, suspects = sum(tuned.failures.values()), len(tuned.suspects)
    assert f"failed ({failed})" in said
    assert f"suspect ({suspects})" in said
    assert "How close it came" not in said
    assert page.count("tr") == 1 + 40 + 1 + suspects + 1 + 1 + 1 + 3  # four tables with heads
    assert page.count("svg", "wide") == page.count("svg", "narrow") == 1
    assert page.count("svg", "chart") == 2 + 3  # progress twice, three slices
    assert page.count("svg", "bar") == 3


def test_the_same_result_gives_the_same_bytes_and_needs_no_matplotlib(
    tuned: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    first = write_report(tuned, tmp_path / "a.html", title="A")
    again = write_report(tuned, str(tmp_path / "b.html"), title="A")
    assert first.read_bytes() == again.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"a.html", "b.html"}


def test_a_report_is_written_whole_or_not_at_all(tuned: Result, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("before")
    with pytest.raises(InvalidInput, match="expected truth"):
        write_report(tuned, path, title="T", truth={"value": 1.0})
    assert path.read_text() == "before"
    write_report(tuned, path, title="T")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(FileNotFoundError):
        write_report(tuned, tmp_path / "nowhere" / "report.html", title="T")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_times_are_moments(tuned: Result) -> None:
    east = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2)))
    assert "2026-01-02 01:04:05 UTC" in render(tuned, title="T", started=east)
    assert "2026-01-02 03:04:05 UTC" in render(tuned, title="T", started=east.replace(tzinfo=UTC))
    wrong: Any
    for wrong in ({"seconds": -1.0}, {"seconds": math.nan}, {"started": "now"}, {"started": 1e30}):
        with pytest.raises(InvalidInput):
            render(tuned, title="T", **wrong)
    with pytest.raises(InvalidInput, match="expected a result"):
        render({}, title="T")  # type: ignore[arg-type]


def test_a_run_that_was_stopped_says_so(tuned: Result) -> None:
    assert "stopped before the end" in render(replace(tuned, interrupted=True), title="T")
    assert "stopped before the end" not in render(tuned, title="T")


# -- how close it came ----------------------------------------------------------------------------


def test_where_the_truth_is_known_the_report_says_how_close_it_came(tuned: Result) -> None:
    truth = {"params": {"threads": 24, "gc": "zgc"}, "value": 40.0, "at_best": 40.4}
    said = checked(render(tuned, title="T", truth=truth)).said
    assert "The best that any configuration can do is 40 (at threads=24, gc=zgc)" in said
    assert "truly gives 40.4 , within 1% of it" in said
    assert "Of all there was to gain over a typical first try, it gained 9" in said
    assert "at its word" not in said
    said = checked(render(tuned, title="T", truth=truth | {"at_luckiest": 60.6})).said
    assert "would have expected 4.5 and got 60.6: 50% higher than what was recommended" in said
    said = checked(render(tuned, title="T", truth=truth | {"at_best": 40.0})).said
    assert "which is the best there is" in said
    assert tuned.best is not None
    inside = {"value": 40.0, "at_best": tuned.best.value}
    assert "holds that true value" in render(tuned, title="T", truth=inside)
    assert "misses that true value" in render(tuned, title="T", truth=inside | {"at_best": 500.0})


@pytest.mark.parametrize(
    "truth",
    [
        3.0,
        {},
        {"value": 1.0},
        {"value": "x", "at_best": 1.0},
        {"value": 1.0, "at_best": math.nan},
        {"value": 1.0, "at_best": 1.0, "params": 3},
        {"value": 1.0, "at_best": 1.0, "at_luckiest": "much"},
    ],
    ids=str,
)
def test_a_truth_that_is_none_is_refused(tuned: Result, truth: Any) -> None:
    with pytest.raises(InvalidInput, match="truth"):
        render(tuned, title="T", truth=truth)


# -- text from outside ----------------------------------------------------------------------------


def test_no_text_from_outside_becomes_markup(tmp_path: Path) -> None:
    space = {HOSTILE: (0.0, 1.0), "k": Categorical([HOSTILE, "b"]), "<svg onload=x>": (1, 9)}
    optimizer = Optimizer(space, direction="maximize")
    for i, u in enumerate(optimizer.space.sample(24, 0)):
        params: Any = optimizer.space.decode(u)
        if i % 6 == 5:
            optimizer.fail(params, HOSTILE * (i > 10))
        else:
            optimizer.tell(params, 1e9 if i == 4 else params["<svg onload=x>"] + i % 3)
    result = Result.of(optimizer, objective=HOSTILE)
    assert result.suspects
    truth = {"params": {HOSTILE: HOSTILE}, "value": 12.0, "at_best": 11.0, "at_luckiest": 5.0}
    path = write_report(
        result, tmp_path / "r.html", title=HOSTILE, command=HOSTILE, truth=truth, seconds=1.0
    )
    page = checked(path.read_text(encoding="utf-8"))
    assert page.said.count("<script>alert(1)</script>") > 10  # shown as it is, everywhere
    assert "\x00" not in page.said
    assert "\u202e" not in page.said


# -- odd results ----------------------------------------------------------------------------------


def test_nothing_evaluated_and_nothing_gained() -> None:
    optimizer = Optimizer(SPACE, direction="maximize")
    assert (
        "Nothing has been evaluated so far" in checked(render(Result.of(optimizer), title="T")).said
    )
    for u in optimizer.space.sample(7, 0):
        optimizer.fail(optimizer.space.decode(u), "exit code 127")
    truth = {"value": 1.0, "at_best": 1.0}
    page = checked(render(Result.of(optimizer), title="T", truth=truth))
    assert "None of the 7 evaluations gave a value" in page.said
    assert "exit code 127 7 all over the space" in page.said
    assert "How close it came" not in page.said  # there is nothing to compare
    assert page.count("svg") == 0


@pytest.mark.parametrize("n", [1, 2, 9, 10])
@pytest.mark.parametrize("value", [0.0, 1e-300, -1e300, 1e300, 7.0])
def test_few_and_equal_and_huge_values(n: int, value: float) -> None:
    optimizer = Optimizer({"x": (0.0, 1.0), "k": ["a", "b", "c"]}, direction="maximize")
    for u in optimizer.space.sample(n, 0):
        optimizer.tell(optimizer.space.decode(u), value)
    truth = {"value": value, "at_best": value, "at_luckiest": value}
    page = checked(render(Result.of(optimizer), title="T", truth=truth))
    assert "too little is known to rely on it" in page.said


def test_every_kind_of_parameter_and_absurd_values() -> None:
    space = {
        "rate": (1e-7, 1e3, "log"),
        "share": (0.0, 1.0),
        "few": Int(1, 4, "log"),
        "width": Int(8, 2048, "log"),
        "size": Grid([16, 32, 64, 128]),
        "levels": Grid(list(range(0, 90, 3))),
        "kind": Categorical([f"a kind called {i}" for i in range(15)]),
        "flag": [True, False],
        "inner": Float(0.0, 1.0, when={"flag": True}),
        "constant": [3],
    }
    for name in space:  # each once as the parameter that matters
        if name in {"inner", "constant"}:
            continue
        optimizer = Optimizer({name: space[name]}, direction="maximize")
        for u in optimizer.space.sample(9, 1):
            given = optimizer.space.decode(u)
            optimizer.tell(given, float(sum(str(given).encode())))
        page = checked(render(Result.of(optimizer), title="T"))
        assert page.count("svg", "chart") == 3
    optimizer = Optimizer(space, direction="minimize")
    for i, u in enumerate(optimizer.space.sample(30, 1)):
        params: Any = optimizer.space.decode(u)
        optimizer.tell(params, [1e300, -1e300, 1e-300][i] if i < 3 else params["share"])
    page = checked(render(Result.of(optimizer), title="T"))
    assert page.count("svg", "chart") == 2 + 6
    assert re.search(r"The \d that matter least are left out", page.said)


def test_of_many_trials_the_latest_are_listed_and_the_rest_counted() -> None:
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    for i, u in enumerate(optimizer.space.sample(1300, 0)):
        params: Any = optimizer.space.decode(u)
        if i % 26:
            optimizer.fail(params, f"reason {i % 20}")
        else:
            optimizer.tell(params, params["x"])
    page = checked(render(Result.of(optimizer), title="T"))
    assert "The latest 1,000 of 1,300" in page.said
    assert "8 rarer reasons are left out" in page.said
    assert page.count("tr") == 1 + 1000 + 1 + 12 + 1 + 1
    assert page.count("path", "fail") <= 2 * 400 + 1


def test_measurements_of_a_study_stand_in_order_under_their_own_numbers(tmp_path: Path) -> None:
    with stoic.Study(
        tmp_path / "s.db", space={"x": (0.0, 1.0)}, direction="maximize", objective="score"
    ) as study:
        trials = [study.ask() for _ in range(12)]
        for trial in reversed(trials):  # told in another order than asked
            study.tell(trial, 1.0 - (trial.params["x"] - 0.3) ** 2)
        study.tell(trials[2], 1e6, measurement=1)
        result = study.result()
    page = checked(render(result, title="A study"))
    assert "The best single measurement was 1,000,000 , in trial 2" in page.said
    assert "evaluation, in order of arrival" in page.said
    assert "suspect (1)" in page.said
    assert page.count("tr") == 1 + 13 + 1 + 1 + 1 + 1


# -- the words ------------------------------------------------------------------------------------


def judged(result: Result, **changes: Any) -> Case:
    assert result.best is not None
    return Case.of(result, replace(result.best, **changes), view(result))


def test_how_sure_is_said_by_the_start_the_course_and_the_measurements(tuned: Result) -> None:
    assert judged(tuned, measured=3).verdict == "Well supported"
    assert judged(tuned, measured=0).verdict == "Fairly supported"
    wide = judged(tuned, interval=(1.0, 500.0), measured=3)
    assert wide.verdict == "Not proven yet"
    assert [good for good, _ in wide.reasons] == [False, True, True, None]
    assert tuned.best is not None
    seen = view(tuned)
    moved = replace(seen, estimates=[Estimate(35, 90.0, 80.0, 99.0), seen.estimates[-1]])
    case = Case.of(tuned, replace(tuned.best, measured=3), moved)
    assert case.verdict == "Fairly supported"
    assert "still moved" in case.reasons[1][1]
    quiet = maximize(lambda x: 1.0 - (x - 0.3) ** 2, {"x": (0.0, 1.0)}, 40)
    assert "hardly scatter" in judged(quiet).reasons[-1][1]


def test_where_evaluations_fail_is_named_if_it_is_somewhere() -> None:
    optimizer = Optimizer({"x": (0.0, 1.0), "k": ["a", "b", "c"]}, direction="maximize")
    for i, u in enumerate(optimizer.space.sample(64, 0)):
        params: Any = optimizer.space.decode(u)
        if params["x"] > 0.8:
            optimizer.fail(params, "right")
        elif params["k"] == "b":
            optimizer.fail(params, "b")
        elif i % 5 == 0:
            optimizer.fail(params, "random")
        else:
            optimizer.tell(params, 1.0)
    result = Result.of(optimizer)
    failed = {r: [t for t in result.trials if t.reason == r] for r in ("right", "b", "random")}
    n = len(failed["right"])
    assert re.match(
        rf"x from 0\.8\d* to \S+, where {n} of {n} evaluations", where(result, failed["right"])
    )
    assert where(result, failed["b"]).startswith("k = b, where ")
    assert where(result, failed["random"]).startswith("all over")
    assert where(result, failed["b"][:1]).startswith("at x=0.")


def test_ticks_are_round_and_within() -> None:
    for low, high in ((0.0, 1.0), (-3.2e-9, 4e-9), (1e12, 1e12 + 5.0), (-1e300, 1e300), (2.0, 2.0)):
        marks = ticks(low, high)
        assert 1 <= len(marks) <= 7
        assert all(low - 1e-9 * abs(low) <= mark <= high + 1e-9 * abs(high) for mark in marks)
    for low, high in ((1e-9, 1e9), (1.0, 3.0), (7.0, 7.5), (16, 4096)):
        marks = log_ticks(low, high)
        assert 2 <= len(marks) <= 8
        assert marks == sorted(marks)
