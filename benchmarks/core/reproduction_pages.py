"""The pages of reproductions as Markdown: the overview, and one page for each experiment.

Every number and verdict is computed from results; see ``reproduction.py``.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stoic.lab.experiments.catalogue import CheckedClaim, Reproduction
from stoic.lab.experiments.catalogue.size import sizes
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.sentences import apart, number, tally
from stoic.lab.experiments.spec import Case

NOT_RUN = "not run"
INCOMPLETE = "not fully run"
OURS = "ours"
DASH = "–"
START, END = "<!-- reproduction -->", "<!-- /reproduction -->"
Seconds = dict[tuple[Case, int], float]  # CPU time of each run, by case and trial


class Row(NamedTuple):
    """One experiment in a table of the overview."""

    name: str
    title: str
    shows: str
    got: str
    verdict: str
    difference: str


@dataclass(frozen=True)
class Checked:
    """An experiment with what its results say about it; without results, it was not run."""

    entry: Reproduction
    claims: tuple[CheckedClaim, ...] = ()
    got: str = ""
    verdict: str = NOT_RUN
    difference: str = DASH
    seconds: float = 0.0

    @property
    def ours(self) -> bool:
        """Whether the experiment is ours, not a paper's."""
        return all(claim.ours for claim in self.entry.claims)

    @property
    def row(self) -> Row:
        """Its row in the overview."""
        papers, ours = apart(self.claims)
        counted = tally(papers) if papers else tally(ours) if ours else ""
        shows = self.entry.shows or "its claims, listed on its page"
        got = self.got or counted or DASH
        return Row(self.entry.name, self.entry.title, shows, got, self.verdict, self.difference)


def checked(entry: Reproduction, results: Results, summary: str) -> Checked:
    """An experiment with its results; ``summary`` is the text of its ``summary.csv``."""
    claims = tuple(entry.check(results))
    return Checked(
        entry,
        claims,
        entry.measured(results),
        verdict(entry, results, claims),
        largest_difference(summary),
        sum(seconds(results).values()),
    )


def verdict(entry: Reproduction, results: Results, claims: Sequence[CheckedClaim]) -> str:
    """The outcome; it is known only if every case of the full experiment was run in full."""
    full, ran = sizes(entry.build(False)), sizes(results)
    missing = sum(ran.get(case, 0) < trials for case, trials in full.items())
    if missing:
        return f"{INCOMPLETE}: {len(full) - missing} of {len(full)} cases"
    return entry.outcome(claims)


def largest_difference(summary: str) -> str:
    r"""The largest difference from a printed number, from the columns of a summary.

    >>> head = "policy,print,print_difference\n"
    >>> largest_difference(head + "A,0.5,0.01\nB,0.4,-0.02\nC,,\n")
    'B: −0.02 from the printed 0.4'
    >>> largest_difference("policy,regret_mean\nA,1\n")
    '–'
    """
    found = [
        (float(row["print_difference"]), float(row["print"]), row["policy"])
        for row in csv.DictReader(io.StringIO(summary))
        if row.get("print") not in (None, "", "nan")
        and row.get("print_difference") not in (None, "", "nan")
    ]
    if not found:
        return DASH
    gap, printed, policy = max(found, key=lambda each: abs(each[0]))
    sign = "+" if gap > 0.0 else ""
    return f"{policy}: {sign}{number(gap, 2)} from the printed {number(printed, 3)}"


def seconds(results: Results) -> Seconds:
    """CPU time of each run. Experiments that share a run name it alike."""
    return {
        (curve.case, int(trial)): float(end)
        for curve in results.curves("seconds", "seconds")
        for trial, end in zip(curve.trials, curve.end, strict=True)
    }


# -- the overview ---------------------------------------------------------------------------------


def tallies(found: Sequence[Checked]) -> str:
    """The papers' figures and claims in one sentence each, and our own questions in another."""
    claims = [claim for one in found for claim in one.claims]
    papers, ours = apart(claims)
    rows = [one for one in found if not one.ours]
    verdicts = Counter(one.verdict.partition(":")[0] for one in rows)
    listed = ", ".join(f"{count} {word}" for word, count in verdicts.most_common())
    parts = []
    if rows:
        parts.append(f"{len(rows)} figures, tables and theorems of the papers: {listed}.")
    if papers:
        parts.append(tally(papers, "the papers'"))
    if ours:
        parts.append(tally(ours))
    return " ".join(parts)


def overview(found: Sequence[Checked], hours: float, more: str = "") -> str:
    """The page of all experiments; ``more`` follows the second table."""
    papers = [one.row for one in found if not one.ours]
    ours = [one.row for one in found if one.ours]
    lines = [
        "# What the papers found, and what we found",
        "",
        START,
        tallies(found),
        END,
        "",
        table(
            ("figure", "what the paper shows", "what we get", "verdict", "largest difference", ""),
            ([row.name, row.shows, row.got, row.verdict, row.difference] for row in papers),
            [page_link(row) for row in papers],
        ),
        "",
        ABOUT,
        "",
        f"All of it took {hours:.2f} hours of CPU time. To run it again:",
        "",
        COMMAND,
        "",
        "## Our own experiments",
        "",
        table(
            ("experiment", "what we ask", "what we get", ""),
            ([f"{row.name}: {row.title}", row.shows, _whole(row)] for row in ours),
            [page_link(row) for row in ours],
        ),
    ]
    return "\n".join([*lines, *(["", more] if more else [])]) + "\n"


def _whole(row: Row) -> str:
    return row.got if row.verdict == OURS else row.verdict


ABOUT = (
    "*Verdict* is computed: a figure is reproduced if every claim of the paper about it holds "
    "in our runs at the paper's full size, tested trial by trial with a 95 % interval; a claim "
    "that is not settled counts as not reproduced. *Under an inferred setting*: the paper "
    "leaves out a setting, and its page states what we inferred. *Cannot follow from the text*: "
    "the print contradicts the paper's own text. *Largest difference* is ours minus the printed "
    "mean regret per round, where the printed numbers are known."
)
COMMAND = (
    "```\nstoic reproduce --all --out results\npython benchmarks/core/reproduction.py results\n```"
)


def insert(text: str, found: str) -> str:
    """A page with the counts between its two marks."""
    if text.count(START) != 1 or text.count(END) != 1:
        raise ValueError(f"expected {START} and {END} once each; write them into the page")
    return re.sub(
        f"{re.escape(START)}.*?{re.escape(END)}", lambda _: f"{START}\n{found}\n{END}", text,
        flags=re.DOTALL,
    )  # fmt: skip


# -- one experiment -------------------------------------------------------------------------------


def experiment_page(one: Checked) -> str:
    """The page of an experiment, with its claims, figures and files."""
    entry = one.entry
    up = "../" * (1 + entry.name.count("/"))
    papers, ours = apart(one.claims)
    asked = "We ask" if one.ours else "The paper shows"
    facts = (
        ("Verdict", "" if one.verdict == OURS else one.verdict),
        (asked, entry.shows),
        ("We get", one.got),
        ("Largest difference", "" if one.difference == DASH else one.difference),
        ("Inferred", entry.inferred),
        ("Cannot follow from the text", entry.impossible),
        ("Our explanation", entry.explanation(one.claims)),
    )
    lines = [f"# {entry.name}: {plain(entry.title)}", "", f"{plain(entry.source)}.", ""]
    for name, text in facts:
        lines += [f"**{name}:** {plain(text)}", ""] if text else []
    if papers:
        lines += ["## Claims of the paper", "", tally(papers), "", claims(papers), ""]
    if ours:
        counted = tally(ours)
        lines += ["## Our own questions", ""]
        folded = ["<details>", f"<summary>{counted}</summary>", "", claims(ours), "", "</details>"]
        lines += folded if papers else [counted, "", claims(ours)]
    lines += [*([""] * bool(ours)), "## Setting", "", plain(entry.setting), "", "## Figures", ""]
    for kind in entry.figures:
        lines += [f"![{plain(entry.title)}]({kind}.png)", ""]
    drawn = "".join(f", [{kind}.svg]({kind}.svg)" for kind in entry.figures)
    lines += [
        f"[Final figures](summary.csv), [curves](curves.csv){drawn}; {one.seconds:.0f} s of CPU "
        f"time. `stoic reproduce {entry.name}` runs it again. [All experiments]({up}README.md)."
    ]
    return "\n".join(lines) + "\n"


def claims(listed: Sequence[CheckedClaim]) -> str:
    """A table of claims; the numbers after ± are standard deviations over trials."""
    return table(
        ("claim", "what we measured", "verdict"),
        ([claim.says, claim.figures, claim.word] for claim in listed),
    )


# -- Markdown -------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[str]], last: Sequence[str] = ()) -> str:
    """A table of plain texts; ``last`` is a column of Markdown."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for i, row in enumerate(rows):
        cells = [plain(text) for text in row] + ([last[i]] if last else [])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def plain(text: str) -> str:
    r"""A text that Markdown shows as it is, also within a table's cell.

    >>> plain("a|b <c>\n*d*")
    'a\\|b &lt;c&gt; \\*d\\*'
    """
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\|*`_\[\]])", r"\\\1", " ".join(safe.split()))


def page_link(row: Row) -> str:
    """The link to an experiment's page; without results there is none."""
    return DASH if row.verdict == NOT_RUN else f"[page]({row.name}/README.md)"
