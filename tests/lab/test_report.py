"""The report: well-formed, stand-alone, escaped, and true."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from helpers.made_results import case, make
from stoic.lab.experiments.catalogue import CATALOGUE
from stoic.lab.experiments.catalogue.base import CheckedClaim, Reproduction
from stoic.lab.experiments.catalogue.size import Size
from stoic.lab.experiments.compare import leaders, paired_difference
from stoic.lab.experiments.figures import draw, save
from stoic.lab.experiments.report import write_report
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.sentences import number, sentence
from stoic.report.html.markup import section
from stoic.report.html.markup import value_table as table

RESULTS = make([case("TGP-UCB"), case("GP-UCB")])
EVIL = "<script>alert('x')</script>"
HELD = CheckedClaim("A is below B.", True, "1.0 against 2.0")
FAILED = CheckedClaim("C is <linear>", False, "ratio 0.4")
OURS = CheckedClaim("E is below uniform play.", True, "0.1 against 0.9", ours=True)
ABOUT = Reproduction(
    "p/fig1",
    "Figure 1",
    "A paper",
    "First & foremost.\n\nThen.",
    lambda _: [],
    (),
    shows="A < B < C",
    got=lambda results: f"{len(results.cases())} cases & more",
    reason="The <noise> is light",
)
EMPTY = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """Tags that are opened and closed in order, and what they hold."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes.append(dict(attrs))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [a for t, a in zip(self.seen, self.attributes, strict=True) if t == tag]


def page(folder: Path, **more: object) -> tuple[str, Page]:
    about, results = more.pop("about", ABOUT), more.pop("results", RESULTS)
    path = write_report(folder, about, results, **more)  # type: ignore[arg-type]
    assert path == folder / "report.html"
    text = path.read_text(encoding="utf-8")
    return text, Page(text)


def test_the_checker_can_fail() -> None:
    with pytest.raises(AssertionError):
        Page("<p><b>x</p></b>")
    with pytest.raises(AssertionError):
        Page("<div>")


def test_a_report_is_whole_and_stands_alone(tmp_path: Path) -> None:
    files = save(draw("average-regret", RESULTS), tmp_path, "average-regret")
    text, found = page(
        tmp_path, claims=[HELD, FAILED, OURS], figures=files, command="stoic reproduce p/fig1 && x"
    )
    assert re.search(r"https?://|//[a-z]", text) is None
    assert not {"link", "script", "iframe", "object"} & set(found.seen)
    (image,) = found.of("img")  # the SVG, not the PNG too
    assert (image["src"] or "").startswith("data:image/svg+xml;base64,")
    assert "Average regret" in (image["alt"] or "")
    assert found.seen.count("h1") == 1
    assert found.seen.count("caption") == found.seen.count("table") == 4
    assert all(a.get("scope") == "col" for a in found.of("th"))
    for part in ("Figure 1", "A paper", "First & foremost.", "stoic reproduce p/fig1 && x"):
        assert part in found.text
    for part in ("✓ holds", "✗ does not hold", "1.0 against 2.0", "0.1 against 0.9"):
        assert part in found.text
    for part in ("Verdict: not reproduced", "The paper shows: A < B < C", "We get: 2 cases & more"):
        assert part in found.text
    assert found.text.count("The <noise> is light") == 1
    assert found.text.index("Claims of the paper") < found.text.index("Our own questions")
    assert "Unfinished" not in found.text
    assert "numpy" in found.text


def test_a_png_is_embedded_where_there_is_no_svg(tmp_path: Path) -> None:
    files = save(draw("average-regret", RESULTS), tmp_path, "average-regret")
    _, found = page(tmp_path, figures=files[1:])
    (image,) = found.of("img")
    assert (image["src"] or "").startswith("data:image/png;base64,")


def test_labels_of_users_are_escaped(tmp_path: Path) -> None:
    results = make([case(EVIL, attack=a) for a in ("none", f'"{EVIL}')] + [case("GP-UCB")])
    evil = Results(
        results.tables, {"versions": {EVIL: EVIL}, "experiments": [{"name": EVIL}], "runs": {}}
    )
    evil_claim = CheckedClaim(EVIL, False, EVIL)
    about = Reproduction(
        EVIL, EVIL, EVIL, EVIL, lambda _: [], (), shows=EVIL, got=lambda _: EVIL, inferred=EVIL,
        impossible=EVIL, reason=EVIL,
    )  # fmt: skip
    ours = CheckedClaim(EVIL, None, EVIL, EVIL, ours=True)
    for claims in ([evil_claim, ours], []):
        for title in (about, EVIL):
            text, found = page(tmp_path, about=title, results=evil, claims=claims, command=EVIL)
            assert "<script" not in text.lower()
            assert "script" not in found.seen
            assert EVIL in found.text


def test_final_figures_show_only_what_varies(tmp_path: Path) -> None:
    results = make([case(p, attack=a) for a in ("none", "flip") for p in ("TGP-UCB", "BKB")])
    _, found = page(tmp_path, about="mine", results=results)
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", (tmp_path / "report.html").read_text("utf-8"))
    assert heads[:3] == ["attack", "policy", "trials"]
    assert "noise" not in heads
    end = results.curve(case("BKB")).end
    assert f"{number(end.mean())} ± {number(end.std(ddof=1))}" in found.text
    assert "TGP-UCB had the lowest mean regret in 2 of 2 settings; in 2 of these 2" in found.text


def test_an_unfinished_sweep_is_reported(tmp_path: Path) -> None:
    part = Results(RESULTS.tables, {"runs": {"done": 3, "total": 8}})
    assert "Unfinished: 3 of 8 runs" in page(tmp_path, results=part)[1].text


def test_the_sentence_on_claims() -> None:
    assert sentence([HELD, HELD], []) == (
        "All 2 claims of the paper hold: “A is below B” (measured: 1.0 against 2.0); "
        "“A is below B” (measured: 1.0 against 2.0)."
    )
    assert sentence([HELD, FAILED, HELD], []) == (
        "2 of 3 claims of the paper hold; this does not: “C is <linear>” (measured: ratio 0.4)."
    )
    assert sentence([FAILED] * 3, []).startswith("None of 3 claims of the paper hold: “C is")
    assert sentence([FAILED] * 3, []).endswith("; and 1 more.")
    assert sentence([HELD], []).startswith("The claim of the paper holds: ")
    assert sentence([FAILED], []).startswith("The claim of the paper does not hold: ")


def test_our_own_questions_are_counted_apart() -> None:
    ours = [OURS, CheckedClaim("F is flat.", None, "flat", ours=True)]
    assert sentence([HELD, *ours], []) == (
        "The claim of the paper holds: “A is below B” (measured: 1.0 against 2.0). "
        "Of our own 2 questions, 1 is answered yes and 1 is not settled."
    )
    assert sentence(ours, []) == "Of our own 2 questions, 1 is answered yes and 1 is not settled."


def test_an_explanation_is_given_once_and_only_where_something_fails(tmp_path: Path) -> None:
    wrong = CheckedClaim("G is flat.", False, "steep", ours=True)
    for claims, times in (([HELD], 0), ([HELD, wrong], 0), ([wrong], 1), ([FAILED, FAILED], 1)):
        assert page(tmp_path, claims=claims)[1].text.count("The <noise> is light") == times


def test_the_sentence_on_claims_that_were_not_tested() -> None:
    left = CheckedClaim("D is flat.", None, "flat", "not tested in a quick run")
    quick = Size("a quick run", "200 rounds instead of 5,000")
    assert sentence([left, left], [], size=quick) == (
        "This is a quick run: 200 rounds instead of 5,000. It does not test what needs the full "
        "size. No claim of the paper was tested."
    )
    assert sentence([left], []) == "The claim of the paper was not tested."
    assert sentence([HELD, left], []) == (
        "1 of 1 tested claims of the paper holds: “A is below B” (measured: 1.0 against 2.0). "
        "One other claim was not tested."
    )
    assert sentence([FAILED, left, left], []).startswith("None of 1 tested claims of the paper")
    assert sentence([HELD, HELD], [], size=Size("a run at full size", "")).startswith("All 2")


def test_a_quick_report_says_first_that_it_is_one(tmp_path: Path) -> None:
    entry = CATALOGUE["bogunovic2022/fig2"]
    made = make([case("GP-UCB", experiment="bogunovic2022/fig2", schedule="paper")], trials=1)
    claims = [CheckedClaim("D is flat.", None, "flat", "not tested in a quick run")]
    _, found = page(tmp_path, about=entry, results=made, claims=claims)
    first = found.text.index("This is a quick run: 200 rounds instead of 50,000, 1 trial")
    assert first < found.text.index("Claims of the paper")
    assert "– not tested in a quick run" in found.text
    assert "Setting of the full experiment" in found.text
    assert "Our explanation" not in found.text  # there is nothing to explain
    assert "± –" in found.text  # one trial has no spread
    assert "hold" not in found.text.replace("does not hold", "").split("Setting")[0]


def test_the_sentence_on_policies() -> None:
    lead = paired_difference(RESULTS.curve(case("GP-UCB")).end, RESULTS.curve(case("TGP-UCB")).end)
    text = sentence([], leaders(RESULTS))
    assert text.startswith("TGP-UCB had the lowest mean regret, ")
    assert f"{number(lead.mean)} less than GP-UCB" in text
    assert text.endswith(f"{number(lead.low)} to {number(lead.high)}, excludes zero.")
    level = make([case("A")], trials=6).tables["curves"]
    tied = {k: level[k].repeat(2) for k in level}
    tied["policy"] = level["policy"].repeat(2)
    tied["policy"][1::2] = "B"
    order = tied["policy"].argsort(kind="stable")
    equal = Results({"curves": {k: v[order] for k, v in tied.items()}}, {})
    assert "includes zero, so the order of the two is not settled" in sentence([], leaders(equal))
    assert "no rival" in sentence([], leaders(make([case("BKB")])))
    once = make([case("A"), case("B")], trials=1)
    assert sentence([], leaders(once)).endswith("one trial can't settle the order of the two.")
    assert sentence([], []) == "There are no results."


def test_invisible_characters_are_spelled() -> None:
    evil = "\x1b]0;\x07\x9b\u202e\u200b\x00<b>"
    made = section(evil, table(evil, [evil], [(evil,)], text=1))
    assert "".join(made.split("\n")).isprintable()
    assert made.count("\\u202e") == 5
    assert "<b>" not in made
