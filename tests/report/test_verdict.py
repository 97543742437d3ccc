"""Verdict, baseline and finals in reports and figures, and links to logs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stoic import Result, minimize
from stoic.report.html.document import render
from stoic.report.views import baseline_value, finals_start, view

SPACE = {"x": (0.0, 1.0), "mode": ["a", "b"]}
BASELINE = {"x": 0.95, "mode": "a"}


def noisy(seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return lambda x, mode: 20.0 + 30.0 * (x - 0.3) ** 2 + (mode == "b") + rng.normal()


@pytest.fixture(scope="module")
def better() -> Result:
    return minimize(noisy(), SPACE, 40, baseline=BASELINE)


def test_the_verdict_and_the_baseline_come_first(better: Result) -> None:
    assert better.verdict is not None
    assert better.verdict.better
    page = render(better, title="A tuned thing")
    assert page.index("Verdict of the finals") < page.index("is estimated at")
    assert "Better than the baseline" in page
    assert f"Baseline: x=0.95 mode=a; the median of its values is {baseline_value(better):.4g}" in (
        page.replace(", mode", " mode")
    )
    assert "typical first try, " not in page  # another comparison would only confuse
    assert str(better).startswith("Verdict: better than the baseline: ")
    assert next(iter(better.to_dict())) == "verdict"


def test_the_finals_are_drawn_with_all_their_values(better: Result) -> None:
    assert better.finals is not None
    record, data = better.finals, json.loads(json.dumps(better.to_dict()))["finals"]
    assert record.made == sum(len(each["values"]) for each in data["contenders"]) >= 8
    assert [each.is_baseline for each in record.contenders][-1] is True
    for each in record.contenders:
        told = [better.trials[number] for number in each.trials]
        assert all(trial.params == each.params for trial in told)
        assert [trial.value for trial in told] == list(each.values)
    page = render(better, title="A tuned thing")
    chart = page[page.index('id="finals"') : page.index('id="progress"')]
    assert chart.count(", round ") == 2 * record.made  # wide and narrow
    start = finals_start(better)
    assert start is not None
    assert better.trials[start].params in [each.params for each in record.contenders]


def test_a_contender_that_was_dropped_is_marked(better: Result) -> None:
    assert better.finals is not None
    first, *rest = better.finals.contenders
    worse = replace(first, params={"x": 0.9, "mode": "b"}, values=(90.0, None), trials=(1, 2),
                    dropped_after=2)  # fmt: skip
    finals = replace(better.finals, contenders=(first, worse, *rest), chosen_after=2)
    page = render(replace(better, finals=finals), title="A tuned thing")
    assert "challenger 2 dropped after round 2" in page
    assert "dropped after 2 rounds, 1 failure" in page
    assert "The first 2 rounds chose the challenger" in page


def test_the_baseline_is_a_line_in_both_figures(better: Result) -> None:
    assert page_lines(better) == 3  # wide, narrow and the legend of the course; finals have theirs
    assert page_lines(replace(better, baseline=None, finals=None, verdict=None)) == 0
    pytest.importorskip("matplotlib")
    axes = better.plot().axes[0]
    labels = axes.get_legend_handles_labels()[1]
    assert {"baseline", "finals begin"} <= set(labels)
    low, high = axes.get_ylim()
    assert low < (baseline_value(better) or 0.0) < high


def page_lines(result: Result) -> int:
    page = render(result, title="A tuned thing")
    return page[page.index('id="progress"') :].count('class="baseline"')


def test_a_baseline_at_the_optimum_stays(tmp_path: Any) -> None:
    del tmp_path
    result = minimize(lambda x: 20.0 + (x - 0.5) ** 2, {"x": (0.0, 1.0)}, 20, baseline={"x": 0.5})
    assert result.verdict is not None
    assert result.best is not None
    assert not result.verdict.better
    page = render(result, title="Nothing to gain")
    assert "Better than the baseline" not in page
    assert result.best.params == {"x": 0.5}
    assert "Keep the baseline" in page


def test_numbers_of_trials_link_to_their_logs(better: Result) -> None:
    page = render(better, title="Logs", logs={0: "stoic.db.logs/a b/0000.txt", 3: "l/0003.txt"})
    assert '<a href="stoic.db.logs/a%20b/0000.txt">0</a>' in page
    assert page.count("<a href=") == 2


def test_the_truth_about_the_verdict_is_said(better: Result) -> None:
    assert better.verdict is not None
    low, high = better.verdict.interval
    true = (low + high) / 2.0
    truth = {"value": 20.0, "at_best": 20.1, "at_baseline": 30.0, "at_challenger": 30.0 + true}
    page = render(better, title="Known", truth=truth)
    assert "The verdict was <b>better</b>, which is right" in page
    assert "holds the true one" in page
    wrong = render(better, title="Known", truth={**truth, "at_challenger": 31.0})
    assert "which is wrong" in wrong
    assert "misses the true one" in wrong


def test_without_finals_the_baseline_is_not_forgotten() -> None:
    result = minimize(noisy(), SPACE, 12, baseline=BASELINE, confirm=False)
    assert result.verdict is None
    assert "No finals were held" in render(result, title="Early")
    assert view(result).estimates
