"""The policy that suits a kind of noise, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from stoic.diagnostics.outliers import Outliers
from stoic.diagnostics.tails import Tail

__all__ = ["Advice", "advise"]

_MAX_LIGHT_OUTLIER_SHARE = 0.02  # a normal distribution has none, an exponential one 0.3 %


@dataclass(frozen=True)
class Advice:
    """The name of a policy in :mod:`stoic.policies`, a reason, and alternatives."""

    policy: str
    reason: str
    also: tuple[str, ...] = ()


def advise(tail: Tail | None, outliers: Outliers | None, constant: bool) -> Advice:
    """The policy for a tail and outliers; if unclear, a robust one that costs little.

    >>> advise(None, None, constant=False).policy
    'tgp-ucb'
    """
    if outliers is not None and outliers.apart > 0.0:
        return _APART
    if constant:
        return _CONSTANT
    if tail is None:
        return _TOO_FEW
    if tail.finite_moment(1.0) == "no":
        return _NO_MEAN
    if tail.finite_moment(2.0) == "no":
        return _NO_VARIANCE
    if tail.finite_moment(2.0) == "unclear":
        return _UNCLEAR
    share = outliers.share if outliers is not None else 0.0
    return _HEAVY if tail.power or share > _MAX_LIGHT_OUTLIER_SHARE else _LIGHT


_APART = Advice(
    "tgp-ucb",
    "some values stand apart, and clipping limits their effect; against an adversary, rgp-pe",
    ("ca-tgp-ucb", "rgp-pe"),
)
_CONSTANT = Advice("gp-ucb", "all values are equal: there is no noise to defend against")
_TOO_FEW = Advice(
    "tgp-ucb",
    "too few values to decide; it knows nothing about the noise, and limits what one value can do",
    ("ca-tgp-ucb",),
)
_NO_MEAN = Advice(
    "mom-gp-ucb",
    "not even the mean looks finite, so that no theorem holds; medians of replays still converge",
    ("ata-gp-ucb",),
)
_NO_VARIANCE = Advice(
    "ata-gp-ucb",
    "the variance looks infinite: truncation has the optimal order there, ordinary means do not",
    ("ca-tgp-ucb", "mom-gp-ucb"),
)
_UNCLEAR = Advice(
    "ca-tgp-ucb",
    "the variance may be infinite: it has the optimal order either way, at gp-ucb's cost",
    ("tgp-ucb",),
)
_HEAVY = Advice(
    "tgp-ucb",
    "heavy tails of finite variance: the simplest truncation is enough, and gp-ucb may be",
    ("ca-tgp-ucb", "gp-ucb"),
)
_LIGHT = Advice(
    "gp-ucb", "no heavy tail and almost no outliers are seen: no defence seems needed", ("tgp-ucb",)
)
