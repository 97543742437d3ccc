"""A report in words on repeated measurements, with the policy that suits them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from stoic.checks import Array, describe, number
from stoic.diagnostics.advice import Advice, advise
from stoic.diagnostics.copies import copies_of_each, thinned
from stoic.diagnostics.location import evenly, locate, middle
from stoic.diagnostics.notebook import notebook_diagnosis
from stoic.diagnostics.outliers import Outliers, find_outliers
from stoic.diagnostics.power import Needed, needed, needed_lines
from stoic.diagnostics.shape import Shape, shape_of
from stoic.diagnostics.tails import Tail, Verdict, fit_tail
from stoic.errors import InvalidInput

__all__ = ["Diagnosis", "diagnose"]

_MAX_SAFE_VALUE = 1e307  # differences of larger values overflow
_MIN_VALUES_FOR_TAIL = 32  # fewer give less than ten excesses
_MIN_SKEW = 0.15  # a smaller octile skewness is not reported
# Twice √n times the standard deviation of the octile skewness under a Cauchy distribution; other
# symmetric distributions have less.
_CHANCE_SKEW = 4.0
_MAX_SAMPLE = 1000  # values that are kept for pictures and resampling
_REGIME_SHARE = 0.2  # of values that stand apart; a larger share may be a second regime


@dataclass(frozen=True)
class Diagnosis:
    """The result of :func:`diagnose`; ``str()`` is a report, :meth:`to_dict` is for JSON.

    ``tail`` is the tail of the distances from the median on both sides, ``lower`` and ``upper``
    those of one side; values that stand apart are left out of all three. A tail, ``skew`` or
    ``outliers`` is None if the values are too few to estimate it. ``finite_variance`` and
    ``finite_mean`` are "yes", "no" or "unclear"; they follow from the interval of ``tail``.
    ``copies`` above 1 means that measurements seem to be repeated; each is then counted once.
    """

    n: int
    copies: int
    median: float
    scale: float
    skew: float | None
    tail: Tail | None
    lower: Tail | None
    upper: Tail | None
    outliers: Outliers | None
    finite_variance: Verdict
    finite_mean: Verdict
    advice: Advice
    shape: Shape
    sample: Array = field(repr=False, compare=False)  # sorted; evenly chosen ones of many

    @cached_property
    def runs_needed(self) -> tuple[Needed, ...]:
        """The runs that show differences of 1, 2, 5 and 10 %; empty with too few values."""
        largest = max(abs(float(self.sample[0])), abs(float(self.sample[-1])))
        unit = 16.0 if largest > _MAX_SAFE_VALUE else 1.0
        return needed(self.sample / unit, self.scale / unit)

    @property
    def tail_index(self) -> float | None:
        """α; infinite if no power tail is seen, None if the values are too few."""
        return self.tail.index if self.tail else None

    @property
    def tail_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the tail index."""
        return self.tail.interval if self.tail else None

    @property
    def outlier_share(self) -> float | None:
        """The share of values beyond five robust standard deviations of their side."""
        return self.outliers.share if self.outliers else None

    def to_dict(self) -> dict[str, Any]:
        """Numbers, strings, lists and None; an infinite index is None, with ``power`` false.

        >>> diagnose(range(100)).to_dict()["tail"]["power"]
        False
        """
        found = {name: value for name, value in asdict(self).items() if name != "sample"}
        found["runs_needed"] = [asdict(each) for each in self.runs_needed]
        for name in ("tail", "lower", "upper"):
            tail = getattr(self, name)
            if tail is not None:
                ends = [_or_none(end) for end in tail.interval]
                found[name] |= {"index": _or_none(tail.index), "interval": ends}
                found[name]["power"] = tail.power
        if self.outliers is not None:
            found["outliers"]["interval"] = list(self.outliers.interval)
        found["advice"]["also"] = list(self.advice.also)
        return found

    def __str__(self) -> str:
        return "\n".join(
            [
                _location(self),
                *_copies(self),
                *self.shape.lines(),
                *_tails(self),
                *_outliers(self),
                _moments(self),
                *needed_lines(self.runs_needed),
                *_advice(self),
            ]
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the report, and the values' distribution."""
        return notebook_diagnosis(self)


def diagnose(values: Any) -> Diagnosis:
    """Tail index, outlier share, whether the variance is finite, and which policy suits.

    For repeated measurements of one configuration, or for residuals: values that differ by
    noise alone. Not for values of different configurations: their differences would count as
    noise. The result does not depend on the order of values, and is the same for y and a·y + b
    with a > 0. Fewer than 32 values give no tail, and a few hundred values often give "unclear".
    A lognormal tail of 10,000 values looks like a power tail of index about 4.

    Cost: one sort.

    >>> rng = np.random.default_rng(0)
    >>> found = diagnose(rng.standard_cauchy(2000))
    >>> found.finite_variance, found.advice.policy
    ('no', 'ata-gp-ucb')
    >>> diagnose([1.0, 2.0, float("nan")])
    Traceback (most recent call last):
      ...
    stoic.errors.InvalidInput: expected values to be finite numbers, got 1 of 3 that is not, \
the first values[2]: float nan; drop or repair it
    """
    ordered = np.sort(_checked(values))
    unit = 16.0 if max(abs(ordered[0]), abs(ordered[-1])) > _MAX_SAFE_VALUE else 1.0
    ordered = ordered / unit
    copies = copies_of_each(ordered)
    once = thinned(ordered, copies)
    outliers, rest = find_outliers(once)
    deviations = rest - middle(rest)
    tail = fit_tail(np.abs(deviations))
    constant = bool(ordered[0] == ordered[-1])
    # Many equal values have finite moments; other values without a tail estimate are unclear.
    otherwise: Verdict = "yes" if constant and len(ordered) >= _MIN_VALUES_FOR_TAIL else "unclear"
    location = locate(ordered, unit)
    return Diagnosis(
        n=len(ordered),
        copies=copies,
        median=location.median,
        scale=location.scale,
        skew=location.skew,
        tail=tail,
        lower=fit_tail(-deviations[deviations <= 0.0]),
        upper=fit_tail(deviations[deviations >= 0.0]),
        outliers=outliers,
        finite_variance=tail.finite_moment(2.0) if tail else otherwise,
        finite_mean=tail.finite_moment(1.0) if tail else otherwise,
        advice=advise(tail, outliers, constant),
        shape=shape_of(once, unit),
        sample=evenly(once, _MAX_SAMPLE) * unit,
    )


def _checked(values: Any) -> Array:
    """``values`` as a flat array of finite floats, or an error that names the first bad one."""
    try:
        raw = np.asarray(values)
        if isinstance(values, np.ma.MaskedArray):
            raise TypeError("masked")
    except (ValueError, TypeError) as cause:
        raise InvalidInput(
            f"expected values as a flat list of numbers, got {describe(values)}; flatten it"
        ) from cause
    if raw.ndim != 1 or len(raw) == 0:
        what = "an empty list" if raw.shape == (0,) else describe(values)
        raise InvalidInput(
            f"expected values as a flat list of at least one number, got {what}; "
            "pass the measurements of one configuration"
        )
    items = raw if raw.dtype.kind in "iuf" else values
    if raw.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            result = raw.astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(result))
    else:
        read = [_number_or_nan(item) for item in items]
        result = np.array(read)
        bad = np.flatnonzero(np.isnan(result))
    if len(bad):
        first = int(bad[0])
        one = len(bad) == 1
        shown = raw[first].item() if raw.dtype.kind in "iuf" else list(items)[first]
        raise InvalidInput(
            f"expected values to be finite numbers, got {len(bad)} of {len(raw)} that "
            f"{'is' if one else 'are'} not, the first values[{first}]: {describe(shown)}; "
            f"drop or repair {'it' if one else 'them'}"
        )
    return result


def _number_or_nan(item: object) -> float:
    try:
        return number(item, "a value")
    except InvalidInput:
        return math.nan


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _location(found: Diagnosis) -> str:
    count = "1 value" if found.n == 1 else f"{found.n} values"
    words = f"{count}: median {found.median:.6g}, robust scale {found.scale:.3g}"
    if found.skew is None or found.scale == 0.0:
        return words
    chance = _CHANCE_SKEW / math.sqrt(found.n / found.copies)
    if abs(found.skew) <= max(_MIN_SKEW, chance):
        return f"{words}, no clear skew of the bulk ({found.skew:+.2f})"
    return (
        f"{words}, bulk skewed {'upwards' if found.skew > 0 else 'downwards'} ({found.skew:+.2f})"
    )


def _copies(found: Diagnosis) -> list[str]:
    if found.copies == 1:
        return []
    return [f"copies: values occur about {found.copies} times each, and are counted once"]


def _tails(found: Diagnosis) -> list[str]:
    if found.tail is None:
        if found.scale == 0.0:
            return ["tail: none, all values are equal"]
        if found.n < _MIN_VALUES_FOR_TAIL:
            return [f"tail: too few values; at least {_MIN_VALUES_FOR_TAIL} are needed"]
        return ["tail: too few different values"]
    rest = " (of the values that do not stand apart)" if _stands_apart(found) else ""
    lines = [f"tail: {_tail(found.tail)}, from the {found.tail.excesses} farthest{rest}"]
    sides = [(name, tail) for name in ("lower", "upper") if (tail := getattr(found, name))]
    return lines + [f"  {name}: {_tail(tail)}" for name, tail in sides]


def _tail(tail: Tail) -> str:
    low, high = tail.interval
    if not tail.power:
        return f"no power tail seen; the index, if any, is at least {low:.2g}"
    return f"index {tail.index:.2g}, 95 % interval {low:.2g} to {high:.2g}"


def _stands_apart(found: Diagnosis) -> bool:
    return found.outliers is not None and found.outliers.apart > 0.0


def _outliers(found: Diagnosis) -> list[str]:
    seen = found.outliers
    if seen is None:
        return ["outliers: too few values"]
    low, high = seen.interval
    lines = [
        f"outliers: {_percent(seen.share)} of the values (95 % interval {_percent(low)} to "
        f"{_percent(high)}) are far from the bulk"
    ]
    if seen.share > 0.0:
        lines[0] += f": {_percent(seen.below)} below, {_percent(seen.above)} above"
    if seen.apart > _REGIME_SHARE:
        lines.append(f"  {_percent(seen.apart)} stand apart: they may be a second regime")
    elif seen.apart > 0.0:
        lines.append(
            f"  {_percent(seen.apart)} stand apart: a tail has such a gap in less than 1 % of cases"
        )
    elif seen.share > 0.0:
        lines.append("  none stands apart: they may belong to a tail")
    return lines


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"


def _moments(found: Diagnosis) -> str:
    words = {"yes": "looks finite", "no": "looks infinite", "unclear": "unclear"}
    return (
        f"variance: {words[found.finite_variance]}; "
        f"mean: {words[found.finite_mean].replace('infinite', 'undefined')}"
    )


def _advice(found: Diagnosis) -> list[str]:
    advice = found.advice
    also = f" (also {', '.join(advice.also)})" if advice.also else ""
    return [f"policy: {advice.policy}{also}", f"  {advice.reason}"]
