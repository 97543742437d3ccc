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
    source: str
    shows: str
    got: str
    verdict: str


@dataclass(frozen=True)
class Checked:
    """An experiment with what its results say about it; without results, it was not run."""

    entry: Reproduction
    claims: tuple[CheckedClaim, ...] = ()
    got: str = ""
    brief: str = ""
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
        got = self.brief or counted or DASH
        return Row(
            self.entry.name, self.entry.title, self.entry.source, shows, got, self._counted(papers)
        )

    def _counted(self, papers: Sequence[CheckedClaim]) -> str:
        """The verdict, with how many claims of the paper hold."""
        if not papers or self.verdict.startswith((NOT_RUN, INCOMPLETE)):
            return self.verdict
        held = sum(claim.holds is True for claim in papers)
        if len(papers) == 1:
            return f"{self.verdict}: its claim {papers[0].word}"
        return f"{self.verdict}: {held} of {len(papers)} claims hold"


def checked(entry: Reproduction, results: Results, summary: str) -> Checked:
    """An experiment with its results; ``summary`` is the text of its ``summary.csv``."""
    claims = tuple(entry.check(results))
    return Checked(
        entry,
        claims,
        entry.measured(results),
        entry.in_brief(results),
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


def overview(found: Sequence[Checked], cost: str, more: str = "") -> str:
    """The page of all experiments; ``cost`` is a sentence, ``more`` follows the last table."""
    papers = [one.row for one in found if not one.ours]
    ours = [one.row for one in found if one.ours]
    lines = [
        "# What the papers found, and what we found", "", START, tallies(found), END, "", READING,
    ]  # fmt: skip
    for source in dict.fromkeys(row.source for row in papers):
        rows = [row for row in papers if row.source == source]
        lines += ["", f"## {plain(source)}", "", _rows("the paper shows", rows)]
    lines += ["", "## Our own experiments", "", _rows("we ask", ours, verdicts=False)]
    lines += ["", more] if more else []
    lines += ["", "## To run it again", "", COMMAND, "", cost]
    return "\n".join(lines) + "\n"


def _rows(asked: str, rows: Sequence[Row], *, verdicts: bool = True) -> str:
    """A table of experiments, each with the link to its page."""
    cells = []
    for row in rows:
        got = row.got if verdicts or row.verdict == OURS else row.verdict
        shown = (row.shows, got, *([row.verdict] if verdicts else []))
        cells.append([page_link(row), *map(plain, shown)])
    head = ("experiment", asked, "we get", *(["verdict"] if verdicts else []))
    return markdown(head, cells)


def spent(hours: float, clock: float | None = None, where: str = "") -> str:
    """What a run cost: CPU hours, and the seconds by the clock, and where, if they are known.

    >>> spent(1.234)
    'All of it took 1.23 hours of CPU time.'
    >>> spent(1.234, 5400.0, "on 2 cores")
    'All of it took 1.23 hours of CPU time, and 1.50 hours by the clock on 2 cores.'
    """
    by_clock = "" if clock is None else f", and {clock / 3600.0:.2f} hours by the clock {where}"
    return f"All of it took {hours:.2f} hours of CPU time{by_clock.rstrip()}."


READING = """\
- *A &lt; B*: A has less regret than B, which is better; *A ≈ B*: the order is not settled. Regret
  R_T is what a policy loses in T rounds against playing the best arm from the start.
- *Verdict* is computed: a figure is reproduced if every claim of the paper about it holds in our
  runs at the paper's full size, tested trial by trial with a 95 % interval. A claim that is not
  settled counts as not reproduced.
- *Under an inferred setting*: the paper leaves out a setting; the experiment's page states what we
  inferred.
- *Cannot follow from the text*: the print contradicts the paper's own text.

The page of each experiment has all claims, numbers and figures."""
COMMAND = (
    "<!-- not run: takes hours -->\n```sh\nstoic reproduce --all --out results\n"
    "python benchmarks/core/reproduction.py results\n```"
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


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain texts."""
    return markdown(head, [[plain(text) for text in row] for row in rows])


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def plain(text: str) -> str:
    r"""A text that Markdown shows as it is, also within a table's cell.

    >>> plain("a|b <c>\n*d*")
    'a\\|b &lt;c&gt; \\*d\\*'
    """
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\|*`_\[\]])", r"\\\1", " ".join(safe.split()))


def page_link(row: Row) -> str:
    """An experiment's name with the link to its page, and its title; not run, it has no page."""
    short = plain(row.name.rpartition("/")[2])
    name = short if row.verdict == NOT_RUN else f"[{short}]({row.name}/README.md)"
    return f"{name}: {plain(row.title)}"
