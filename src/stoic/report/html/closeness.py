"""Compare the answer with the true optimum, where that is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stoic.checks import describe, number
from stoic.errors import InvalidInput
from stoic.optimize.answers import UNKNOWN, Answer
from stoic.optimize.finals import NOT_SHOWN
from stoic.report.html.markup import config, esc, figure, percent, section
from stoic.report.html.phrases import better, change, spans, start
from stoic.report.result import Result
from stoic.report.views import padded

__all__ = ["Truth", "closeness"]


@dataclass(frozen=True)
class Truth:
    """True values: of the optimum, of the answer, and of others that are known.

    ``at_challenger`` is that of the configuration that the verdict is about.
    """

    value: float
    at_best: float
    at_luckiest: float | None
    params: Mapping[str, Any] | None
    at_baseline: float | None = None
    at_challenger: float | None = None

    @classmethod
    def of(cls, given: object) -> Truth:
        """Read ``{"params": …, "value": …, "at_best": …, "at_luckiest": …}``."""
        if not isinstance(given, Mapping) or not {"value", "at_best"} <= set(given):
            raise InvalidInput(
                "expected truth as a mapping with value (of the optimum) and at_best (true value "
                f"of the recommended configuration), got {describe(given)}"
            )
        lucky, params = given.get("at_luckiest"), given.get("params")
        if params is not None and not isinstance(params, Mapping):
            raise InvalidInput(f"expected truth's params as a mapping, got {describe(params)}")
        more = (given.get(key) for key in ("at_baseline", "at_challenger"))
        return cls(
            number(given["value"], "truth's value"),
            number(given["at_best"], "truth's at_best"),
            None if lucky is None else number(lucky, "truth's at_luckiest"),
            params,
            *(None if value is None else number(value, "a true value") for value in more),
        )


def closeness(result: Result, best: Answer, truth: Truth) -> str:
    """The section, in words and as a scale from the start to the optimum."""
    at = f" (at {esc(config(truth.params, 12))})" if truth.params else ""
    text = (
        f"<p class=lead>The best that any configuration can do is <b>{figure(truth.value)}</b>{at}."
        f" The recommended one truly gives <b>{figure(truth.at_best)}</b>{_off(result, truth)}.</p>"
    )
    low, high = best.interval
    ends = spans(best)
    inside = "holds" if low <= truth.at_best <= high else "misses"
    sure = f"and its 90% interval, {ends[1]} to {ends[2]}, {inside} that true value"
    sure = sure if best.bounded else UNKNOWN
    text += f"<p>The estimate was {ends[0]}, {sure}.{_gained(result, truth)}</p>"
    if truth.at_luckiest is not None and result.luckiest is not None:
        claimed = figure(result.luckiest.trial.value or 0.0)
        text += (
            f"<p>The luckiest measurement alone would have promised "
            f"{claimed} and given {figure(truth.at_luckiest)}: "
            f"{change(truth.at_luckiest, truth.at_best)} than what was recommended.</p>"
        ).replace("the same than", "the same as")
    text += _judged(result, truth)
    return section("How close it came", text + _scale(result, best, truth), "closeness")


def _judged(result: Result, truth: Truth) -> str:
    """Whether the verdict is true, and whether its interval holds the true difference."""
    found, new, old = result.verdict, truth.at_challenger, truth.at_baseline
    if found is None or new is None or old is None or not found.has_baseline:
        return ""
    true = "better" if better(result, new, old) else "equal" if new == old else "worse"
    right = "is right" if found.word == true else "is wrong"
    text = (
        f"The verdict was <b>{esc(found.word)}</b>, which "
        f"{'claims nothing' if found.word == NOT_SHOWN else right}: the baseline truly gives "
        f"{figure(old)}, and the configuration compared with it {figure(new)}, "
        f"{esc(change(new, old))}."
    )
    low, high = found.interval
    if math.isfinite(low) and math.isfinite(high):
        holds = "holds" if low <= new - old <= high else "misses"
        text += (
            f" The 90% interval of the difference, {figure(low)} to {figure(high)}, {holds} the "
            f"true one, {figure(new - old)}."
        )
    return f"<p>{text}</p>"


def _off(result: Result, truth: Truth) -> str:
    if not better(result, truth.value, truth.at_best):
        return ", which is the best there is"
    if truth.value == 0.0:
        return f", off by {figure(abs(truth.at_best))}"
    return f", within {percent(truth.at_best / truth.value - 1.0)} of it"


def _gained(result: Result, truth: Truth) -> str:
    first = start(result)
    if first is None or not better(result, truth.value, first):
        return ""
    share = (truth.at_best - first) / (truth.value - first)
    if not 0.0 < share <= 1.0:
        return ""
    return f" Of all there was to gain over a typical first try, it gained {percent(share)}."


def _scale(result: Result, best: Answer, truth: Truth) -> str:
    """Dots on one scale: open for estimates and measurements, full for true values."""
    first, lucky = start(result), result.luckiest
    rows: list[tuple[str, list[tuple[float, str]]]] = []
    if first is not None:
        rows.append(("typical first try", [(first, "measured")]))
    if lucky is not None and truth.at_luckiest is not None:
        claimed = (lucky.trial.value or 0.0, "claimed")
        rows.append(("luckiest measurement", [claimed, (truth.at_luckiest, "true")]))
    if truth.at_baseline is not None:
        rows.append(("baseline", [(truth.at_baseline, "true")]))
    rows.append(("the answer", [(best.value, "estimated"), (truth.at_best, "true")]))
    rows.append(("best possible", [(truth.value, "true")]))
    core = [v for name, row in rows for v, kind in row if kind == "true" or "luck" not in name]
    core += best.interval if best.bounded else ()
    low, high = padded(min(core), max(core))

    def position(v: float) -> float:
        share = (v / 2 - low / 2) / (high / 2 - low / 2)  # halves: differences could overflow
        return min(max(100.0 * share, 1.5), 98.5)

    drawn = []
    for name, row in rows:
        shapes = '<path class="grid" d="M0 11H10000"/>'
        if name == "the answer" and best.bounded:
            a, b = (position(v) for v in best.interval)
            shapes += f'<rect class="band" x="{a:.1f}%" width="{b - a:.1f}%" y="4" height="14"/>'
        for v, kind in row:
            beyond = " beyond the scale" if not low <= v <= high else ""
            shapes += (
                f'<circle class="{"best" if kind == "true" else "open"}" cx="{position(v):.1f}%" '
                f'cy="11" r="5"><title>{kind}: {figure(v)}{beyond}</title></circle>'
            )
        shown = {best.value: spans(best)[0]}
        text = " → ".join(
            f"{shown.get(v) or figure(v)}{' ' + kind if len(row) > 1 else ''}" for v, kind in row
        )
        drawn.append(
            f'<div class="who">{name}</div><svg class="track" role="img" aria-label="{text}">'
            f'{shapes}</svg><div class="n">{text}</div>'
        )
    key = "Full dots are true values, open ones what was measured or estimated."
    return f'<div class="bars scale">{"".join(drawn)}</div><p class="small">{key}</p>'
