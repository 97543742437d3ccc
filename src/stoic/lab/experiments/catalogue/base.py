"""What a reproduction is: experiments, what the paper says of them, and how to check it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stoic.lab.experiments.catalogue.size import Size, sizes
from stoic.lab.experiments.results import NotRun, Results
from stoic.lab.experiments.spec import Experiment

__all__ = ["Claim", "Finding", "Reproduction", "Verdict"]

WORDS = {True: "holds", False: "does not hold", None: "is not settled"}


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds in some results, and the figures that say so.

    ``holds`` is None where chance may have decided: an interval of the difference includes zero.
    ``tested`` is false where the results hold nothing that the claim is about.
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
        What the paper found, or what ours is to show, in a sentence.
    check
        The verdict of some results.
    why
        Our explanation where it does not hold at full size; written by hand.
    any_size
        Whether it is about every round of every run, so that a shorter run tests it as well.
    """

    says: str
    check: Callable[[Results], Verdict]
    why: str = ""
    any_size: bool = False


@dataclass(frozen=True)
class Finding:
    """A claim with its verdict."""

    says: str
    holds: bool | None
    figures: str
    why: str
    untested: str = ""  # where it was not tested: that, in words

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
        What is run, and what had to be chosen because the paper does not say.
    build
        The experiments, at full size or quick.
    claims
        What is checked.
    figures
        Kinds of figures, see :mod:`stoic.lab.experiments.figures`.
    needs
        Data that it can't do without, by name of the data set.
    """

    name: str
    title: str
    source: str
    setting: str
    build: Callable[[bool], list[Experiment]]
    claims: tuple[Claim, ...]
    figures: tuple[str, ...] = ("average-regret",)
    needs: str = ""

    def size(self, ran: Results | Sequence[Experiment]) -> Size:
        """How results, or experiments to be run, compare in size with the full experiment."""
        return Size.of(sizes(ran), sizes(self.build(False)))

    def judge(self, results: Results) -> list[Finding]:
        """Every claim with its verdict.

        Claims about cases that were left out of a run at full size are left out. Of a smaller
        run, claims that need the full size are not tested, and nothing is explained.
        """
        size = self.size(results)
        findings = []
        for claim in self.claims:
            try:
                verdict = claim.check(results)
            except NotRun:
                if size.full:
                    continue
                verdict = Verdict(None, "not run", tested=False)
            findings.append(_finding(claim, verdict, size))
        return findings


def _finding(claim: Claim, verdict: Verdict, size: Size) -> Finding:
    if not size.full and not claim.any_size:
        return Finding(claim.says, None, verdict.figures, "", f"not tested in {size.name}")
    if not verdict.tested:
        return Finding(claim.says, None, verdict.figures, "", "not tested")
    why = claim.why if size.full and not verdict.holds else ""
    return Finding(claim.says, verdict.holds, verdict.figures, why)
