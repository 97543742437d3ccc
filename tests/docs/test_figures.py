"""Figures and computed sentences of the documentation are those that the scripts make."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")

from examples.gallery import page as pages
from examples.gallery.__main__ import names

NAMES = names()


def parts(name: str) -> list[tuple[pages.Page, pages.Words]]:
    """The pages of a module, each with the function that writes its sentences."""
    module = vars(import_module(f"examples.gallery.{name}"))
    own = {"PAGE": "words", "INFLUENCE": "influence_words", "SUSPECTS": "suspects_words",
           "BANDITS": "bandits_words", "SOAK": "soak_words"}  # fmt: skip
    return [(module[page], module[words]) for page, words in own.items() if page in module]


@pytest.mark.parametrize("name", NAMES)
def test_sentences_quote_the_facts_that_were_kept(name: str) -> None:
    for page, words in parts(name):
        for marker, sentence in words(page.facts()).items():
            assert page.marked(marker) == pages.laid_out(sentence), f"{page.path}: {marker}"


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_shown_and_small(name: str) -> None:
    for page, _ in parts(name):
        if not page.drawn:
            continue
        shown = re.findall(r"!\[[^\]]{40,}\]\(\.\./figures/(\w+)\.png\)", page.text)
        assert page.name in shown, f"{page.path}: no figure of that name with its words"
        assert 10_000 < page.picture.stat().st_size <= pages.MOST_BYTES


def test_every_figure_has_a_script() -> None:
    made = {page.name for name in NAMES for page, _ in parts(name)}
    assert {file.stem for file in pages.FIGURES.iterdir()} == made


def test_a_small_page_gives_its_facts_again() -> None:
    (page, _), *_ = parts("robot")
    space = page.run(rounds=50_000)
    regret, lost = space["play"]("GP-UCB", pushes=3)
    assert lost == pytest.approx(page.facts()["ends"]["GP-UCB"][3])
    assert len(regret) == page.facts()["rounds"]


def test_the_evidence_is_that_of_the_results() -> None:
    results = pages.DOCS.parent / "benchmarks" / "results"
    study = (results / "study.md").read_text(encoding="utf-8")
    rows = pages.Page("evidence/soak.md", "soak").facts()["rows"]
    assert len(rows) > 10
    assert all("| " + " | ".join(row[:2]) + " |" in study for row in rows)
    practical = (results / "practical.md").read_text(encoding="utf-8")
    for name, (mean, worst) in pages.Page("evidence/bandits.md", "practical").facts().items():
        policy, _, noise = name.rpartition(" ")
        assert re.search(
            rf"\| {re.escape(policy)} \| {noise} \| {mean:.4f} .*\| {worst:.4f} \|", practical
        )


def test_the_check_can_fail() -> None:
    (page, words), *_ = parts("robot")
    facts = page.facts()
    facts["rounds"] += 1
    assert page.marked("out") != pages.laid_out(words(facts)["out"])
