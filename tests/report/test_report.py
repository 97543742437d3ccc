"""The HTML report: its content, that nothing in it runs or is fetched, and odd results."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import sys
from collections import Counter
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
from stoic.optimize.answers import Suspect
from stoic.report import render, write_report
from stoic.report.html.confidence import Case
from stoic.report.html.parts import answer
from stoic.report.html.phrases import start
from stoic.report.html.svg import log_ticks, ticks
from stoic.report.html.tables import where
from stoic.report.replay import Estimate
from stoic.report.result import Result
from stoic.report.views import view
from stoic.runs.run import minimize
from stoic.spaces import Categorical, Float, Grid, Int

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
    return minimize(trap(), SPACE, 40, confirm=8)


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
        "is estimated at",
        f"from {sum(not t.failed for t in tuned.trials)} measurements, {len(tuned.suspects)} of ",
        "the 90% interval of the true value is",
        "Estimated improvement",
        "lower compared with a typical first try",
        "of 5 checks passed",
        "Well supported : all checks passed",
        "The best single measurement was 4.5",
        "It is not the configuration recommended",
        "where the other measurements predict",
        "MemoryError: out of memory",
        "cache from",
        "stoic tune -- ./bench.sh {threads}",
        f"Made by stoic {stoic.__version__}",
        "Seed 0",
        "2026-09-21 14:13:20 UTC",
        "Why the best measurement need not be the answer",
    ):
        assert words in said, words
    failed, suspects = sum(tuned.failures.values()), len(tuned.suspects)
    assert f"failed ({failed})" in said
    assert f"suspect ({suspects})" in said
    assert "How close it came" not in said
    assert tuned.finals is not None
    rows = 1 + 40 + 1 + suspects + 1 + 1 + 1 + 3 + 1 + len(tuned.finals.contenders)
    times = Counter(tuple(t.params.items()) for t in tuned.trials if not t.failed)
    rows += 1 + min(sum(n > 1 for n in times.values()), 10)  # those measured most often
    assert page.count("tr") == rows  # six tables with heads
    assert page.count("svg", "wide") == page.count("svg", "narrow") == 2
    assert (
        page.count("svg", "chart") == 2 + 2 + 3 + 1
    )  # progress and finals twice, slices, coverage
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
    assert "would have promised" not in said
    said = checked(render(tuned, title="T", truth=truth | {"at_luckiest": 60.6})).said
    assert "would have promised 4.5 and given 60.6: 50% higher than what was recommended" in said
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
    assert "exit code 127 7 in no smaller range of a parameter" in page.said
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
    assert re.search("too little is known to rely on it|not shown to be better", page.said)
    assert "supported" not in page.said.split("What the words mean")[0]


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
    result = Result.of(optimizer)
    assert result.best is not None
    page = checked(render(result, title="T"))
    assert page.count("svg", "chart") == 2 + 6 + 1
    seen = view(result)
    absent = sum(share.name not in result.best.params for share in seen.shares)
    least = len(seen.shares) - 6 - absent
    assert f"the {least} that matter least" in page.said
    assert ("not exist in the answer" in page.said) == (absent > 0)


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
    assert page.count("tr") == 1 + 13 + 1 + 1 + 1 + 1 + 2


# -- the words ------------------------------------------------------------------------------------


def judged(result: Result, **changes: Any) -> Case:
    assert result.best is not None
    return Case.of(result, replace(result.best, **changes), view(result))


def calm(**best: Any) -> Result:
    """A run of one clear optimum, measured again and again, with other figures of its answer."""
    rng, optimizer = np.random.default_rng(0), Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    for i, u in enumerate(optimizer.space.sample(40, 0)):
        x = 0.3 if i > 20 else float(u[0])
        optimizer.tell({"x": x}, 100.0 * (1.0 + abs(x - 0.3)) + rng.standard_normal())
    result = Result.of(optimizer)
    assert result.best is not None
    assert not result.suspects
    figures: Any = {"params": {"x": 0.3}, "value": 100.0, "interval": (98.5, 101.5), "measured": 19}
    return replace(result, best=replace(result.best, **(figures | best)))


def test_how_sure_is_said_by_the_checks() -> None:
    well = judged(calm())
    assert (well.grade, [good for good, _ in well.reasons]) == (
        "Well supported",
        [True, True, True, True, None],
    )
    assert "measured 19 times" in well.reasons[3][1]
    once = judged(calm(measured=2))
    assert once.grade == "Fairly supported"
    assert "was measured twice: measure it 3 times or more" in once.reasons[3][1]
    assert judged(calm(measured=0)).reasons[3][1].startswith("This very configuration was not")
    wide = judged(calm(measured=0, interval=(60.0, 109.0)))
    assert wide.grade == "Weak"
    assert [good for good, _ in wide.reasons] == [True, True, False, False, None]
    assert "still wide" in wide.reasons[2][1]
    wider = judged(calm(interval=(1.0, 500.0)))
    assert wider.grade == "Not shown to be better"
    assert "holds a typical first try" in wider.reasons[0][1]
    worse = judged(calm(value=450.0, interval=(400.0, 500.0)))
    assert "is above a typical first try" in worse.reasons[0][1]
    assert "scatters by 1." in well.reasons[-1][1] or "scatters by 0." in well.reasons[-1][1]


def test_an_estimate_that_moved_late_is_not_settled() -> None:
    result = calm()
    assert result.best is not None
    seen = view(result)
    moved = replace(seen, estimates=[Estimate(35, 190.0, 180.0, 199.0), seen.estimates[-1]])
    case = Case.of(result, result.best, moved)
    assert case.grade == "Fairly supported"
    assert "checked 1 time, the estimate was not always" in case.reasons[1][1]


def test_an_interval_that_is_unknown_is_said_to_be() -> None:
    result = calm()
    assert result.best is not None
    unknown = replace(result.best, interval=(-math.inf, math.inf))
    case = Case.of(result, unknown, view(result))
    assert case.grade == "Too early to tell"
    said = answer(result, unknown, Case.of(result, unknown, view(result)))
    assert "90% interval: unknown yet" in said
    assert "inf" not in said


def accused(result: Result, value: float) -> Result:
    """The result with all measurements of the answer above a value as suspects."""
    assert result.best is not None
    found = [
        Suspect(t.number, t.params, t.value, 100.0, "far")
        for t in result.trials
        if t.value is not None and t.params == result.best.params and t.value > value
    ]
    assert found
    return replace(result, suspects=tuple(found))


def two_stories() -> Result:
    """Sixty measurements of six configurations; at the best one, half are 40 and half are 30."""
    rng, optimizer = np.random.default_rng(0), Optimizer({"k": [*"abcdef"]}, direction="minimize")
    for i in range(60):
        level = 40.0 + 10.0 * (i % 6) if i % 12 else 30.0
        optimizer.tell({"k": "abcdef"[i % 6]}, level + 0.5 * rng.standard_normal())
    return Result.of(optimizer)


def test_suspects_that_move_the_estimate_are_not_said_to_hardly_count() -> None:
    result = accused(two_stories(), 35.0)
    said = checked(render(result, title="T")).said
    assert "hardly count" not in said
    assert "5 measurements are suspects. Without the 5 suspects the estimate would be" in said
    assert result.without_suspects is not None
    value = result.without_suspects.value
    assert abs(value - 30.0) < 1.0
    assert f"would be {value:.0f}" in said or f"would be {value:.1f}" in said
    assert ("depends on them: check them by hand" in said) is not result.without_suspects.inside
    (check,) = (good for good, text in judged(result).reasons if "Without the" in text)
    assert check is result.without_suspects.inside
    (own,) = (text for _, text in judged(result).reasons if "This very" in text)
    assert "measured 5 times, and 5 times with a result that is a suspect" in own


def test_suspects_that_do_not_move_the_estimate_hardly_count() -> None:
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    for u in optimizer.space.sample(20, 3):
        optimizer.tell({"x": float(u[0])}, 1.0 - (float(u[0]) - 0.3) ** 2)
    optimizer.tell({"x": 0.5}, 1e9)
    said = checked(render(Result.of(optimizer), title="T")).said
    assert "1 measurement is a suspect. It hardly counts: without the suspect the estimate" in said


def test_a_typical_first_try_is_one_of_each_configuration() -> None:
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    for i in range(24):  # eight configurations, three times each
        optimizer.tell({"x": (i // 3) / 10.0}, float(i // 3) + 0.1 * (i % 3))
    assert start(Result.of(optimizer)) == pytest.approx(3.5)


def test_slices_pass_through_the_answer() -> None:
    rng, optimizer = np.random.default_rng(0), Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    for u in optimizer.space.sample(60, 0):  # skewed noise moves the estimate
        optimizer.tell({"x": float(u[0])}, (float(u[0]) - 0.3) ** 2 + 0.1 * rng.exponential() ** 2)
    result = Result.of(optimizer)
    assert result.best is not None
    (cut,) = view(result).slices
    assert cut.mean[cut.x == cut.best] == pytest.approx(result.best.value)


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
    assert where(result, failed["random"]) == "in no smaller range of a parameter"
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
