"""The sections of the report: the answer, the progress, the parameters, the definitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stoic.optimize.answers import Answer
from stoic.optimize.answers.edges import in_words
from stoic.report.html.chart import legend, progress
from stoic.report.html.confidence import DEFINITIONS, Case
from stoic.report.html.markup import esc, figure, section, shown, table
from stoic.report.html.phrases import better, between, change, count, spans, start
from stoic.report.html.slices import bars, slices
from stoic.report.html.verdict import verdict
from stoic.report.result import Result
from stoic.report.views import View, suspected

__all__ = ["answer", "course", "meanings", "nothing", "parameters", "terms"]

_ADVICE = {
    "Well supported": "Use the configuration below.",
    "Fairly supported": "Use the configuration below, and mind the check that failed.",
    "Weak": "The configuration below is the best so far, but several checks failed.",
    "Keep the baseline": "Keep the baseline, which is the configuration below: no other one was "
    "shown to be better.",
    "Not shown to be better": "The configuration below is the best so far, but not shown to be "
    "better.",
    "Too early to tell": "The configuration below is the best so far, but too little is known to "
    "rely on it.",
}
_UNCHECKED = "The configuration below is the best so far; how sure that is, is being checked."
_BAND = (
    "The band is ± 1.645 standard deviations of the fitted surrogate about the estimate: it is not "
    "a range of single measurements (dots), and the answer's own 90% interval, which allows for "
    "more, may differ from it."
)
_AROUND = (
    "One parameter varies, the others are as in the answer. Dots are fainter the more they differ "
    "from the answer in the other parameters. "
)
_MAX_EXACT_MEASUREMENTS = 200  # beyond, replayed surrogates use a part of them (report.replay)
_ESTIMATES = {
    "median": "of the median, the value that half of all runs of a configuration are better than.",
    "mean": "of the average over all runs of a configuration, suspects excluded.",
}
_SIDES = {True: "for", False: "against", None: "fact"}


def nothing(result: Result) -> str:
    """The section of a result without an answer."""
    if not result.trials:
        return section("No answer yet", "<p>Nothing has been evaluated so far.</p>", "answer")
    n = count(len(result.trials), "evaluation", "evaluations")
    text = (
        f"<p class=lead>None of the {n} gave a value, so there is nothing to recommend. "
        "The reasons are below.</p>"
    )
    return section("No answer", text, "answer")


def answer(result: Result, best: Answer, case: Case | None) -> str:
    """The recommended configuration, its estimate, the gain, and the checks.

    ``case`` is None while the checks are not made yet.
    """
    value, low, high = spans(best)
    first = start(result)
    what, sure = esc(result.objective, 60), best.bounded
    ends = f"{low} to {high}" if sure else "unknown yet"
    tiles = [_tile(f"Estimated {what}", value, f"{best.meaning}; 90% interval: {ends}")]
    runs = f" {best.runs[:1].upper()}{best.runs[1:]}." if best.runs else ""
    if result.verdict is not None and result.verdict.has_baseline:
        first = None  # the verdict says what is gained
    if first is not None:
        gain = "improvement" if better(result, best.value, first) else "change"
        most = between(best.interval, first) if sure else "unknown yet"
        note = f"compared with a typical first try, {figure(first)} (90%: {most})"
        tiles.append(_tile(f"Estimated {gain}", change(best.value, first), note))
    if case is not None:
        checks = [good for good, _ in case.reasons if good is not None]
        note = f"{sum(checks)} of {count(len(checks), 'check', 'checks')} passed"
        tiles.append(_tile("How sure", case.grade, note))
    rows = "".join(
        f"<div><dt>{esc(name, 60)}</dt><dd>{esc(shown(v))}</dd></div>"
        for name, v in best.params.items()
    )
    exact = esc(json.dumps(best.params, ensure_ascii=False), 20_000)
    return section(
        "The answer",
        f"{verdict(result)}<p class=lead>{_UNCHECKED if case is None else _ADVICE[case.grade]} "
        f"Its {what}, the {best.meaning}, is estimated at <b>{value}</b> from "
        f"{_measurements(result)}; the 90% interval of the true value is {ends}.{runs}</p>"
        f'<dl class="config">{rows}</dl>{_edges(best)}'
        f'<details class="exact"><summary>To the last digit</summary><pre>{exact}</pre></details>'
        f'<div class="tiles">{"".join(tiles)}</div>{_reasons(case)}',
        "answer",
    )


def _reasons(case: Case | None) -> str:
    """The checks, each passed or failed, and other facts."""
    if case is None:
        return ""
    listed = "".join(f'<li class="{_SIDES[good]}">{esc(text)}</li>' for good, text in case.reasons)
    return f'<h3>How sure, and why</h3><ul class="reasons">{listed}</ul>'


def _measurements(result: Result) -> str:
    """How many measurements there are, and how many of them are suspects."""
    n = count(sum(not t.failed for t in result.trials), "measurement", "measurements")
    suspects = len(suspected(result))
    return (
        f"{n}, {suspects} of them {'a suspect' if suspects == 1 else 'suspects'}" if suspects else n
    )


def _edges(best: Answer) -> str:
    """A sentence for each parameter at an end of its range."""
    return "".join(f"<p><b>At an edge:</b> {esc(edge)}.</p>" for edge in in_words(best.at_edge))


def _tile(name: str, value: str, note: str) -> str:
    return (
        f'<div class="tile"><div class="what">{name}</div>'
        f'<div class="big">{esc(value)}</div><div class="note">{esc(note)}</div></div>'
    )


def course(result: Result, view: View) -> str:
    """The chart of the run."""
    if not view.estimates:
        return ""
    charts = "".join(progress(result, view.estimates, wide=wide) for wide in (True, False))
    note = (
        "The line is what would have been estimated, after so many trials and from those alone, "
        "of the configuration then recommended. Triangles at the border stand for values beyond it."
    )
    if sum(not trial.failed for trial in result.trials) > _MAX_EXACT_MEASUREMENTS:
        note += f" Beyond {_MAX_EXACT_MEASUREMENTS} measurements the line is approximate, "
        note += "but for its end."
    caption = f"<figcaption>{note}</figcaption>"
    return section("How it went", f"{legend(result)}<figure>{charts}{caption}</figure>", "progress")


def parameters(result: Result, view: View) -> str:
    """Importance and slices."""
    if not view.slices:
        return ""
    text = ""
    if len(view.shares) > 1 and any(share.total for share in view.shares):
        text = (
            "<h3>Which matter</h3>"
            "<p>Share of the estimate's variation over the whole space that involves a parameter: "
            "the dark part is its own effect, the light part is joint with others and counts for "
            "each of them.</p>" + bars(view.shares)
        )
    elif len(view.shares) > 1:
        text = "<p>No parameter was found to have an effect.</p>"
    text += (
        "<h3>Around the answer</h3>"
        f"<p>{_AROUND * (len(result.space.parameters) > 1)}{_BAND}{_left_out(result, view)}</p>"
        + slices(result, view.slices)
    )
    return section("Parameters", text, "parameters")


def _left_out(result: Result, view: View) -> str:
    """Which parameters have no chart: the least important, and those not in the answer."""
    params = result.best.params if result.best is not None else {}
    absent = sum(share.name not in params for share in view.shares)
    rest = len(view.shares) - len(view.slices) - absent
    words = []
    if rest > 0:
        words.append(f"the {count(rest, 'one that matters', 'that matter')} least")
    if absent:
        words.append(f"{count(absent, 'one that does', 'that do')} not exist in the answer")
    return f" Left out: {' and '.join(words)}." if words else ""


def meanings(result: Result, facts: Mapping[str, Any], command: str | None) -> str:
    """How the report was made, and what its words mean."""
    rows = "".join(f"<div><dt>{k}</dt><dd>{esc(v)}</dd></div>" for k, v in facts.items())
    ran = f"<pre>{esc(command, 4000)}</pre>" if command else ""
    space = [
        (f'<td>{esc(name, 60)}</td><td class="text">{esc(parameter)}</td>',)
        for name, parameter in result.space.parameters.items()
    ]
    space += [
        (f'<td>valid</td><td class="text">{esc(constraint)}</td>',)
        for constraint in result.space.constraints.words()
    ]
    listed = table("The space", ["parameter", "values"], space)
    made = f'{ran}<dl class="facts">{rows}</dl><details><summary>The space</summary>{listed}'
    return terms(result) + section("How this was made", made + "</details>")


def terms(result: Result) -> str:
    """What the words of the report mean."""
    words = (
        "<p><b>Why the best measurement need not be the answer.</b> Where measurements scatter, "
        "the best of many is likely to be a lucky one, and worse when it is measured again. The "
        "answer is chosen by estimates, which use all measurements, not by the best single one.</p>"
        f"<p><b>Estimate</b>: {_ESTIMATES[result.target]} "
        "<b>90% interval</b>: made to hold the true value of that in nine of ten studies; a single "
        "measurement scatters more. "
        "<b>Suspect</b>: a measurement so far from what the others predict that it is taken for "
        "corrupt; no suspect moves an estimate or an interval. "
        "<b>Typical first try</b>: the median over the first eight different configurations of "
        "their first measurement. "
        "<b>Verdict</b>: the answer against the baseline, from the finals alone; if there is "
        "nothing to gain, it is <i>better</i> in about one of twenty runs.</p>"
        f"<p>{' '.join(f'<b>{term}</b>: {text}.' for term, text in DEFINITIONS.items())}</p>"
    )
    return section("What the words mean", words)
