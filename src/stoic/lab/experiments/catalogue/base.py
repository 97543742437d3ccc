"""What a reproduction is: experiments, what the paper says of them, and how to check it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stoic.lab.experiments.results import NotRun, Results
from stoic.lab.experiments.spec import Experiment

__all__ = ["Claim", "Finding", "Reproduction", "Verdict"]

WORDS = {True: "holds", False: "does not hold", None: "is not settled"}


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds in some results, and the figures that say so.

    ``holds`` is None where chance may have decided: an interval of the difference includes zero.
    """

    holds: bool | None
    figures: str


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
        Where it does not hold at full size: the reason.
    """

    says: str
    check: Callable[[Results], Verdict]
    why: str = ""


@dataclass(frozen=True)
class Finding:
    """A claim with its verdict."""

    says: str
    holds: bool | None
    figures: str
    why: str

    @property
    def word(self) -> str:
        """The verdict in words."""
        return WORDS[self.holds]


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

    def judge(self, results: Results) -> list[Finding]:
        """Every claim with its verdict, but for claims about cases that were not run."""
        findings = []
        for claim in self.claims:
            try:
                verdict = claim.check(results)
            except NotRun:
                continue
            why = "" if verdict.holds else claim.why
            findings.append(Finding(claim.says, verdict.holds, verdict.figures, why))
        return findings
