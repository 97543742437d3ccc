"""A summary of results in one sentence: which claims hold, or which policy came first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from textwrap import shorten

from stoic.lab.experiments.catalogue.base import CheckedClaim
from stoic.lab.experiments.catalogue.size import Size
from stoic.lab.experiments.compare import Leader

__all__ = ["apart", "interval", "number", "opening", "sentence", "tally"]

_MAX_QUOTED_CLAIMS = 2  # in the sentence
_MAX_QUOTED_CHARACTERS = 180  # of each claim


def sentence(
    claims: Sequence[CheckedClaim],
    ranks: Sequence[Leader],
    *,
    size: Size | None = None,
) -> str:
    """The result in one sentence: the claims that hold, or else the policy that came first.

    The paper's claims and our own questions are counted apart. If the run is smaller than the full
    experiment, the sentence starts with that.
    """
    papers, ours = apart(claims)
    found = _on_claims(papers) if papers else "" if ours else _on_policies(ranks)
    if ours:
        found = f"{found} {tally(ours)}".strip()
    return found if size is None or size.full else f"{opening(size)} {found}"


def apart(claims: Sequence[CheckedClaim]) -> tuple[list[CheckedClaim], list[CheckedClaim]]:
    """The paper's claims, and our own questions."""
    return [c for c in claims if not c.ours], [c for c in claims if c.ours]


def tally(claims: Sequence[CheckedClaim], whose: str = "the paper's") -> str:
    """How many claims hold, do not, are not settled and were not tested, in one sentence.

    Claims are all of papers, or all our own questions.

    >>> tally([CheckedClaim("A", held, "") for held in (True, True, None, False)])
    "Of the paper's 4 claims, 2 hold, 1 does not hold and 1 is not settled."
    >>> tally([CheckedClaim("A", held, "", ours=True) for held in (True, None)])
    'Of our own 2 questions, 1 is answered yes and 1 is not settled.'
    """
    ours = all(claim.ours for claim in claims)
    counts = Counter("was not tested" if claim.untested else claim.word for claim in claims)
    words = {
        "holds": ("is answered yes", "are answered yes") if ours else ("holds", "hold"),
        "does not hold": ("is answered no", "are answered no")
        if ours
        else ("does not hold", "do not hold"),
        "is not settled": ("is not settled", "are not settled"),
        "was not tested": ("was not tested", "were not tested"),
    }
    parts = [
        f"{counts[word]} {one if counts[word] == 1 else many}"
        for word, (one, many) in words.items()
        if counts[word]
    ]
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    whose, noun = ("our own", "question") if ours else (whose, "claim")
    return f"Of {whose} {len(claims)} {noun}{'s' * (len(claims) != 1)}, {listed}."


def opening(size: Size) -> str:
    """The opening words for a run that is not the full experiment.

    >>> opening(Size("a quick run", "200 rounds instead of 5,000"))
    'This is a quick run: 200 rounds instead of 5,000. It does not test what needs the full size.'
    """
    return f"This is {size.name}: {size.short}. It does not test what needs the full size."


def _on_claims(claims: Sequence[CheckedClaim]) -> str:
    of = "of the paper "
    tested = [claim for claim in claims if not claim.untested]
    rest = len(claims) - len(tested)
    if not tested:
        return f"No claim {of}was tested." if rest > 1 else f"The claim {of}was not tested."
    held = [claim for claim in tested if claim.holds]
    failed = [claim for claim in tested if not claim.holds]
    if len(claims) == 1:
        head = f"The claim {of}{claims[0].word}"
    elif not failed and not rest:
        head = f"All {len(claims)} claims {of}hold"
    else:
        verb = "holds" if len(held) == 1 else "hold"
        head = f"{len(held) or 'None'} of {len(tested)} {'tested ' * (rest > 0)}claims {of}{verb}"
    shown = failed or held
    quoted = [
        f"“{_bare(f.says)}” (measured: {_bare(f.figures)})" for f in shown[:_MAX_QUOTED_CLAIMS]
    ]
    more = (
        f"; and {len(shown) - _MAX_QUOTED_CLAIMS} more" if len(shown) > _MAX_QUOTED_CLAIMS else ""
    )
    turn = ": "
    if failed and held:
        turn = (
            "; this does not, or is not settled: "
            if None in [f.holds for f in failed]
            else ("; this does not: " if len(failed) == 1 else "; these do not: ")
        )
    left = f" {_others(rest)} not tested." if rest else ""
    return f"{head}{turn}{'; '.join(quoted)}{more}.{left}"


def _others(count: int) -> str:
    return "One other claim was" if count == 1 else f"{count} other claims were"


def _bare(text: str) -> str:
    """A text shortened for a quotation; the table shows it in full."""
    return shorten(text.strip().rstrip("."), _MAX_QUOTED_CHARACTERS, placeholder=" …")


def _on_policies(ranks: Sequence[Leader]) -> str:
    if not ranks:
        return "There are no results."
    if len(ranks) == 1:
        return _on_one(ranks[0])
    wins = Counter(rank.best.policy for rank in ranks).most_common()
    first, count = wins[0]
    settled = sum(
        rank.lead is not None and rank.lead.settled for rank in ranks if rank.best.policy == first
    )
    rest = ", ".join(f"{policy} in {n}" for policy, n in wins[1:])
    return (
        f"{first} had the lowest mean regret in {count} of {len(ranks)} settings"
        f"{f' ({rest})' if rest else ''}; in {settled or 'none'} of these {count}, its lead over "
        "the runner-up is beyond the paired bootstrap's 95 % interval."
    )


def _on_one(rank: Leader) -> str:
    trials = f"{rank.trials} trials" if rank.trials != 1 else "one trial"
    head = f"{rank.best.policy} had {{}} {number(rank.regret)} after {rank.best.horizon} rounds"
    if rank.second is None or rank.lead is None:
        return f"{head.format('a mean regret of')} over {trials}; there is no rival to compare."
    lead = rank.lead
    start = (
        f"{head.format('the lowest mean regret,')} over {trials}, "
        f"{number(lead.mean)} less than {rank.second.policy}"
    )
    if not math.isfinite(lead.low):
        return f"{start}; one trial can't settle the order of the two."
    within = f"interval of this difference, {interval(rank)},"
    if lead.settled:
        return f"{start}; the paired bootstrap's 95 % {within} excludes zero."
    return (
        f"{start}; the paired bootstrap's 95 % {within} includes zero, so the order of the two is "
        "not settled."
    )


def interval(rank: Leader) -> str:
    """The interval of a lead; unknown if there is only one trial."""
    if rank.lead is None or not math.isfinite(rank.lead.low):
        return "unknown"
    return f"{number(rank.lead.low)} to {number(rank.lead.high)}"


def number(value: float, digits: int = 4) -> str:
    """A number with a few digits, without an exponent if possible.

    >>> number(12345.6), number(0.012345), number(float("nan"))
    ('12,346', '0.01235', '–')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.{digits}g}"
    return text.replace("-", "\u2212", 1) if text.startswith("-") else text
