"""Reproductions: experiments, the paper's claims about them, and checks of the claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stoic.lab.experiments.catalogue.size import Size, sizes
from stoic.lab.experiments.printed import Printed
from stoic.lab.experiments.results import NotRun, Results
from stoic.lab.experiments.spec import Experiment

__all__ = ["CheckedClaim", "Claim", "Reproduction", "Verdict"]

WORDS = {True: "holds", False: "does not hold", None: "is not settled"}


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds in some results, and the figures behind it.

    ``holds`` is None if the difference may be due to chance: its interval includes zero.
    ``tested`` is false if the results have no case that the claim is about.
    """

    holds: bool | None
    figures: str
    tested: bool = True


@dataclass(frozen=True)
class Claim:
    """One statement that can be checked.

    Attributes
    ----------
    says
        What the paper found, or what our experiment should show, in one sentence.
    check
        The verdict of some results.
    any_size
        Whether the claim is about every round of every run; a shorter run then tests it too.
    ours
        Whether it is our own question; such claims are never counted among the paper's.
    """

    says: str
    check: Callable[[Results], Verdict]
    any_size: bool = False
    ours: bool = False


@dataclass(frozen=True)
class CheckedClaim:
    """A claim with its verdict."""

    says: str
    holds: bool | None
    figures: str
    untested: str = ""  # if it was not tested: the reason, in words
    ours: bool = False  # our own question, not a claim of the paper

    @property
    def word(self) -> str:
        """The verdict in words."""
        return self.untested or WORDS[self.holds]


@dataclass(frozen=True)
class Reproduction:
    """A named experiment of a paper, or one of ours.

    Attributes
    ----------
    name
        Such as ``"chowdhury2019/fig1a"``.
    title
        A heading.
    source
        The paper.
    setting
        What is run, and what we had to choose because the paper does not state it.
    build
        The experiments, at full size or quick.
    claims
        What is checked.
    figures
        Kinds of figures, see :mod:`stoic.lab.experiments.figures`.
    needs
        The data set that the experiment requires, by name.
    shows
        What the printed figure or table shows, in one line: its order, its numbers.
    got
        The same of our results, computed.
    brief
        The same in at most 200 characters, for a table; by default, what ``got`` says.
    inferred
        What had to be inferred from the print, if the result depends on it, in one sentence.
    impossible
        Why the printed figure can't follow from the paper's text, if so, in one sentence.
    reason
        Our explanation if it was not reproduced at full size, in one or two sentences.
    printed
        The printed points, if their data set is there; for figures and the column "print".
    """

    name: str
    title: str
    source: str
    setting: str
    build: Callable[[bool], list[Experiment]]
    claims: tuple[Claim, ...]
    figures: tuple[str, ...] = ("average-regret",)
    needs: str = ""
    shows: str = ""
    got: Callable[[Results], str] | None = None
    brief: Callable[[Results], str] | None = None
    inferred: str = ""
    impossible: str = ""
    reason: str = ""
    printed: Callable[[], Printed | None] | None = None

    def size(self, ran: Results | Sequence[Experiment]) -> Size:
        """The size of results, or of experiments to be run, relative to the full experiment."""
        return Size.of(sizes(ran), sizes(self.build(False)))

    def check(self, results: Results) -> list[CheckedClaim]:
        """Every claim with its verdict.

        A run at full size omits claims about cases that it left out. A smaller run does not test
        claims that need the full size.
        """
        size = self.size(results)
        checked = []
        for claim in self.claims:
            try:
                verdict = claim.check(results)
            except NotRun:
                if size.full:
                    continue
                verdict = Verdict(None, "not run", tested=False)
            checked.append(checked_claim(claim, verdict, size))
        return checked

    def outcome(self, claims: Sequence[CheckedClaim]) -> str:
        """The verdict on the whole experiment, from its checked claims; ours do not count.

        It is reproduced only if every claim of the paper was tested, at the size that it needs.
        """
        papers = [claim for claim in claims if not claim.ours]
        tested = [claim for claim in papers if not claim.untested]
        left_out = sum(not claim.ours for claim in self.claims) > len(papers)
        if self.impossible:
            return "cannot follow from the text"
        if not tested:
            return "not tested" if papers or left_out else "ours"
        if not all(claim.holds for claim in tested):
            return "not reproduced"
        if left_out or any(claim.untested for claim in papers):
            return "not fully tested"
        return "reproduced under an inferred setting" if self.inferred else "reproduced"

    def measured(self, results: Results) -> str:
        """What we get; empty if these results do not say."""
        return _said(self.got, results)

    def in_brief(self, results: Results) -> str:
        """What we get, in one short line; empty if these results do not say."""
        return _said(self.brief or self.got, results)

    def explanation(self, claims: Sequence[CheckedClaim]) -> str:
        """Our explanation of the claims that do not hold; empty if there is nothing to explain.

        An experiment of a paper explains the paper's claims, one of our own its questions.
        """
        papers = [claim for claim in claims if not claim.ours] or list(claims)
        failed = any(not claim.untested and not claim.holds for claim in papers)
        return self.reason if failed or (self.impossible and papers) else ""


def _said(words: Callable[[Results], str] | None, results: Results) -> str:
    try:
        return words(results) if words is not None else ""
    except NotRun:
        return ""


def checked_claim(claim: Claim, verdict: Verdict, size: Size) -> CheckedClaim:
    """A claim with a verdict, as far as a run of this size can test it."""
    untested = "" if verdict.tested else "not tested"
    if not size.full and not claim.any_size:
        untested = f"not tested in {size.name}"
    holds = None if untested else verdict.holds
    return CheckedClaim(claim.says, holds, verdict.figures, untested, claim.ours)
