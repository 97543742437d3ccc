"""The pages of reproductions: rows, counts and escaping, from made-up results."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from core.real_page import never_below_random, overall, per_setting, real_page
from core.reproduction_pages import (
    Checked,
    checked,
    experiment_page,
    insert,
    largest_difference,
    overview,
    spent,
    tallies,
)
from helpers.made_results import case, make
from stoic.lab.experiments.catalogue import Claim, Reproduction
from stoic.lab.experiments.catalogue.checks import ordering
from stoic.lab.experiments.catalogue.choice import Setting, standings
from stoic.lab.experiments.spec import Experiment, PolicySpec

RESULTS = make([case("TGP-UCB"), case("GP-UCB")])  # TGP-UCB is below
FULL = Experiment(
    "e",
    problems=({"kind": "griewank", "label": "f"},),
    noises=({"kind": "gaussian", "label": "t₃"},),
    attacks=({"label": "none"},),
    policies=(PolicySpec("tgp-ucb", "TGP-UCB"), PolicySpec("gp-ucb", "GP-UCB")),
    schedules=("theory",),
    horizons=(200,),
    trials=4,
)
TRUE = Claim("TGP-UCB is below GP-UCB.", ordering("TGP-UCB", "GP-UCB"))
FALSE = Claim("GP-UCB is below TGP-UCB.", ordering("GP-UCB", "TGP-UCB"))
GOOD = Reproduction(
    "p/good", "Good", "A paper", "T = 200.", lambda _: [FULL], (TRUE, replace(FALSE, ours=True)),
    shows="A | B <b>", got=lambda results: f"{len(results.cases())} *cases*", reason="never shown",
    brief=lambda results: f"{len(results.cases())} cases",
)  # fmt: skip
BAD = replace(GOOD, name="p/bad", claims=(TRUE, FALSE), reason="because | so")
OWN = replace(GOOD, name="real/own", claims=(replace(TRUE, ours=True),))
SUMMARY = "policy,print,print_difference\nTGP-UCB,0.5,0.01\nGP-UCB,0.4,-0.02\nX,,\n"


def of(entry: Reproduction) -> Checked:
    return checked(entry, RESULTS, SUMMARY)


def row(text: str, name: str) -> str:
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {name}")]
    return line


def test_the_overview_has_a_row_for_each_experiment() -> None:
    listed = [of(GOOD), of(BAD), of(OWN), Checked(replace(GOOD, name="p/none"))]
    text = overview(listed, spent(1.234, 5400.0, "on 2 cores"))
    assert row(text, "[good](p/good/README.md)") == (
        "| [good](p/good/README.md): Good | A \\| B &lt;b&gt; | 2 cases | "
        "reproduced: its claim holds |"
    )
    assert "| not reproduced: 1 of 2 claims hold |" in row(text, "[bad]")
    assert row(text, "none: Good").endswith("| – | not run |")
    assert text.count("## A paper\n") == 1
    papers, _, ours = text.partition("## Our own experiments")
    assert "real/own" not in papers
    assert "real/own" in ours
    assert "1.23 hours of CPU time, and 1.50 hours by the clock on 2 cores." in text
    assert "2 \\*cases\\*" in experiment_page(of(GOOD))  # in full on its own page


def test_claims_of_papers_and_questions_of_ours_are_never_added_up() -> None:
    assert tallies([of(GOOD), of(BAD), of(OWN)]) == (
        "2 figures, tables and theorems of the papers: 1 reproduced, 1 not reproduced. "
        "Of the papers' 3 claims, 2 hold and 1 does not hold. "
        "Of our own 2 questions, 1 is answered yes and 1 is answered no."
    )


@pytest.mark.parametrize(
    "results", [make([case("TGP-UCB")]), make([case("TGP-UCB"), case("GP-UCB")], trials=2)]
)
def test_no_verdict_without_the_whole_experiment(results: object) -> None:
    one = checked(GOOD, results, SUMMARY)  # type: ignore[arg-type]
    assert one.verdict.startswith("not fully run: ")
    assert "reproduced" not in one.row.verdict


def test_a_page_explains_once_and_folds_our_questions() -> None:
    text = experiment_page(of(BAD))
    assert text.count("because \\| so") == 1
    assert "**Verdict:** not reproduced" in text
    good = experiment_page(of(GOOD))
    assert "never shown" not in good
    folded = good[good.index("<details>") : good.index("</details>")]
    assert "GP-UCB is below TGP-UCB." in folded
    assert "| TGP-UCB is below GP-UCB. |" not in folded
    assert "(../../README.md)" in good
    assert "<b>" not in good


def test_without_a_print_there_is_no_difference() -> None:
    assert largest_difference("policy,regret_mean\nA,1\n") == "–"


def test_counts_are_written_between_the_marks() -> None:
    page = "a\n<!-- reproduction -->\nold\n<!-- /reproduction -->\nb\n"
    made = insert(page, "new \\1")
    assert made == "a\n<!-- reproduction -->\nnew \\1\n<!-- /reproduction -->\nb\n"
    with pytest.raises(ValueError, match="once each"):
        insert("a", "new")


def real(shift: float = 0.0) -> list[Setting]:
    noise = np.linspace(-0.1, 0.1, 10)
    rates = {
        "GP-UCB": 2.0 + noise,
        "TGP-UCB": 1.0 + noise[::-1],
        "Uniform": 4.0 + 0.0 * noise,
        "Bad": 4.0 + shift + noise,
    }
    return [Setting("real/a", label, "ms", 100, rates) for label in ("x", "y")]


def test_the_choice_on_real_data() -> None:
    text = per_setting(real())
    assert row(text, "a: x").startswith("| a: x | TGP-UCB | 1 ms | GP-UCB: 1 ms \\[")
    assert row(text, "a: y").count("wins 10 of 10") == 3
    first, second, *_ = standings(real())
    assert (first.policy, first.share.mean, first.rank) == ("TGP-UCB", 0.25, 1.0)
    assert (second.policy, second.behind.mean, second.behind.settled) == ("GP-UCB", 0.25, True)
    assert "| TGP-UCB | 25.0 %" in overall(real())
    assert "Over all data sets TGP-UCB comes first" in real_page(real())


def test_a_policy_that_is_not_below_random_is_named() -> None:
    assert never_below_random(real()).endswith("Bad on x; Bad on y.")
    assert never_below_random(real(-1.0)).startswith("Every policy loses less")
    assert standings(real())[-1].below_uniform == 0
