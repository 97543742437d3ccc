"""The verdict: whether the answer is better than the baseline, from the finals alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.comparison.blocked import Shift, shift_between
from stoic.comparison.means import mean_difference, mean_ratio
from stoic.comparison.words import Said, change_in_words, interval_in_words

__all__ = ["BETTER", "NOT_SHOWN", "WORSE", "Verdict", "compared"]

BETTER, NOT_SHOWN, WORSE = "better", "not shown to be better", "worse"
_LEVEL = 0.9  # of the interval; so a verdict has an error of at most 5%
_MIN_CONFIDENCE, _MAX_CONFIDENCE = 0.01, 0.99  # that are shown as numbers

Pair = tuple[float | None, float | None]


@dataclass(frozen=True)
class Verdict:
    """How the best challenger compares with the baseline, by their measurements in the finals.

    Measurements that led to the choice of the challenger are not used, so the verdict has no
    winner's curse. Without a baseline, the answer is compared with the runner-up.
    """

    word: str
    """``"better"``, ``"not shown to be better"`` or ``"worse"``."""
    params: Mapping[str, Any] | None
    """The challenger; None where no configuration but the baseline was measured."""
    reference: Mapping[str, Any] | None
    """What it is compared with: the baseline, or the runner-up; None if there is neither."""
    has_baseline: bool
    direction: str
    target: str = "median"
    """What is compared: typical values (``"median"``), or averages (``"mean"``)."""
    difference: float = math.nan
    """The challenger's value less that of the reference; NaN where it is unknown."""
    interval: tuple[float, float] = (-math.inf, math.inf)
    """Of the difference: 90%. Infinite ends are unknown."""
    ratio: float | None = None
    """The ratio of the two values; None unless all measurements are positive."""
    ratio_interval: tuple[float, float] | None = None
    probability: float = 0.5
    """Confidence that the challenger is better: 1 less the one-sided p-value."""
    pairs: tuple[Pair, ...] = ()
    """Values of reference and challenger, round by round; None is a failed evaluation."""
    left_out: int = 0
    """Rounds with impossible values and, where averages are compared, with suspects."""
    kept: bool = False
    """Whether the baseline is the answer."""

    @property
    def measurements(self) -> int:
        """How often reference and challenger were measured, each."""
        return len(self.pairs)

    @property
    def better(self) -> bool:
        """Whether the challenger was shown to be better than the baseline."""
        return self.word == BETTER

    def __str__(self) -> str:
        """One sentence.

        >>> str(compared([(10.0, 8.8), (10.3, 9.1), (9.9, 8.6), (10.2, 9.3), (10.0, 8.7)],
        ...              "minimize"))
        'better than the baseline: 11.8 % lower (90% interval: 8.8 % to 13.1 % lower), \
better with probability 0.98, 5 measurements of each'
        """
        return ": ".join(part for part in (self.headline, self.details) if part)

    @property
    def headline(self) -> str:
        """The word, and what the challenger is compared with."""
        if not self.has_baseline:
            if self.params is None or self.reference is None:
                return "no baseline was given, and no other configuration may be better"
            return "no baseline was given; the answer against the runner-up"
        if self.params is None:
            return f"{NOT_SHOWN}: no configuration but the baseline has a value"
        if self.kept and self.word == NOT_SHOWN:
            return f"{NOT_SHOWN}: the baseline is the best found; the best other configuration"
        return f"{self.word} than the baseline"

    @property
    def details(self) -> str:
        """The difference with its interval, the probability, and the number of measurements."""
        if self.params is None or self.reference is None:
            return ""
        n = self.measurements
        if not n:
            return "not measured together"
        change = self._change
        count = f"{n} measurement" + "s" * (n > 1) + " of each"
        failed = self._failed() + (f" ({self.left_out} left out)" if self.left_out else "")
        said = change_in_words(change) + " on average" * (self.target == "mean")
        if not math.isfinite(change.change):
            return f"{count}{failed}"
        known = any(map(math.isfinite, change.interval))
        interval = f"90% interval: {interval_in_words(change)}" if known else "interval unknown"
        chance = f"better with probability {_probability(self.probability)}"
        parts = [
            f"{said} ({interval})",
            *[chance] * known,
            count + failed,
        ]
        return ", ".join(parts)

    @property
    def _change(self) -> Said:
        if self.ratio is None or self.ratio_interval is None:
            return Said(self.difference, self.interval, relative=False)
        low, high = self.ratio_interval
        low = low - 1.0 if low > 0.0 else -math.inf
        return Said(self.ratio - 1.0, (low, high - 1.0), relative=True)

    def _failed(self) -> str:
        counts = [sum(pair[i] is None for pair in self.pairs) for i in (1, 0)]
        of = ("its", "the baseline's" if self.has_baseline else "the runner-up's")
        texts = [f"{n} of {whose} failed" for n, whose in zip(counts, of, strict=True) if n]
        return f" ({', '.join(texts)})" if texts else ""

    def to_dict(self) -> dict[str, Any]:
        """The verdict as data that JSON can hold; what is unknown is None."""
        return {
            "word": self.word,
            "text": str(self),
            "params": None if self.params is None else dict(self.params),
            "reference": None if self.reference is None else dict(self.reference),
            "has_baseline": self.has_baseline,
            "target": self.target,
            "difference": _known(self.difference),
            "interval": [_known(end) for end in self.interval],
            "ratio": self.ratio,
            "ratio_interval": None
            if self.ratio_interval is None
            else [_known(end) for end in self.ratio_interval],
            "probability": self.probability,
            "measurements": self.measurements,
            "pairs": [list(pair) for pair in self.pairs],
            "left_out": self.left_out,
            "baseline_kept": self.kept,
        }


def compared(
    pairs: Sequence[Pair],
    direction: str,
    *,
    blocks: Sequence[int] | None = None,
    target: str = "median",
    params: Mapping[str, Any] | None = None,
    reference: Mapping[str, Any] | None = None,
    has_baseline: bool = True,
) -> Verdict:
    """The verdict of pairs of values, of the reference and of the challenger.

    ``blocks`` has the number of pairs in each block; by default each pair is one. Decisions
    are made on differences. The interval of the ratio is on the same side of 1.

    >>> print(compared([(10, 9), (10, 7), (11, 9), (10, 8), (9, 7)], "minimize", target="mean"))
    better than the baseline: 20 % lower on average (90% interval: 10 % to 30 % lower), \
better with probability 0.98, 5 measurements of each
    """
    sign = 1.0 if direction == "maximize" else -1.0
    plain = Verdict(NOT_SHOWN, params or {}, reference or {}, has_baseline, direction, target)
    known = [value for pair in pairs for value in pair if value is not None]
    if not known:
        return plain
    old, new = _gains(pairs, sign)
    found = (mean_difference if target == "mean" else shift_between)(old, new, _LEVEL, blocks)
    word = BETTER if found.interval[0] > 0.0 else WORSE if found.interval[1] < 0.0 else NOT_SHOWN
    plain = replace(
        plain,
        word=word,
        difference=sign * found.value,
        interval=_ends(found, sign),
        probability=found.above,
        pairs=tuple(pairs),
    )
    if min(known) <= 0.0:
        return plain
    if target == "mean":
        return _with_ratio_of_averages(plain, blocks)
    return _with_typical_ratio(plain, blocks)


def _with_typical_ratio(plain: Verdict, blocks: Sequence[int] | None) -> Verdict:
    """The verdict, and the ratio of typical values, all of which are positive."""
    sign = 1.0 if plain.direction == "maximize" else -1.0
    logs = [tuple(None if y is None else math.log(y) for y in pair) for pair in plain.pairs]
    found = shift_between(*_gains(logs, sign), _LEVEL, blocks)
    if math.isnan(found.value):
        return plain
    (low, high), ends = plain.interval, _ends(found, sign)
    if low > 0.0 or high < 0.0:  # the same decision
        ends = (max(ends[0], 0.0), ends[1]) if low > 0.0 else (ends[0], min(ends[1], 0.0))
    elif math.isfinite(low) or math.isfinite(high):
        ends = min(ends[0], 0.0), max(ends[1], 0.0)
    interval = _exp(ends[0]), _exp(ends[1])
    return replace(plain, ratio=_exp(sign * found.value), ratio_interval=interval)


def _with_ratio_of_averages(plain: Verdict, blocks: Sequence[int] | None) -> Verdict:
    """The verdict, and the ratio of averages; none where a run failed, which has no average."""
    if any(None in pair for pair in plain.pairs):
        return plain
    found = mean_ratio(*_gains(plain.pairs, 1.0), _LEVEL, blocks)
    low, high = found.interval
    return replace(plain, ratio=found.value, ratio_interval=(max(low, 0.0), high))


def _gains(pairs: Sequence[Any], sign: float) -> tuple[Array, Array]:
    """Values of both, where higher is better; a failed evaluation is the worst of all."""
    old, new = (
        np.array([-math.inf if pair[i] is None else sign * pair[i] for pair in pairs])
        for i in (0, 1)
    )
    return old, new


def _ends(found: Shift, sign: float) -> tuple[float, float]:
    low, high = sorted((sign * found.interval[0], sign * found.interval[1]))
    return low, high


def _exp(value: float) -> float:
    return math.inf if value > 700.0 else math.exp(value)


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _probability(value: float) -> str:
    if value > _MAX_CONFIDENCE:
        return f"over {_MAX_CONFIDENCE}"
    return f"under {_MIN_CONFIDENCE}" if value < _MIN_CONFIDENCE else f"{value:.2f}"
