"""The sections of the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stoic.optimize.answers import Answer, Trial
from stoic.report.chart import legend, progress
from stoic.report.markup import config, esc, figure, percent, plain, section, shown, table
from stoic.report.result import Result
from stoic.report.slices import bars, slices
from stoic.report.views import View, lucky, suspected
from stoic.report.words import (
    DEFINITIONS,
    Case,
    better,
    between,
    change,
    count,
    spans,
    start,
    where,
)

__all__ = ["answer", "course", "failures", "flukes", "meanings", "nothing", "parameters", "trials"]

_MOST_ROWS = 1000
_MOST_SUSPECTS = 12
_MOST_REASONS = 12
_ADVICE = {
    "Well supported": "Use the configuration below.",
    "Fairly supported": "Use the configuration below, and mind the check that failed.",
    "Weak": "The configuration below is the best so far, but several checks failed.",
    "Not shown to be better": "The configuration below is the best so far, but not shown to be "
    "better than a typical first try.",
    "Too early to tell": "The configuration below is the best so far, but too little is known to "
    "rely on it.",
}
_BAND = (
    "The band is ± 1.645 standard deviations of the fitted surrogate about the estimate: it is not "
    "a range of single measurements (dots), and the answer's own 90% interval, which allows for "
    "more, may differ from it."
)
_AROUND = (
    "One parameter varies, the others are as in the answer. Dots are fainter the more they differ "
    "from the answer in the other parameters. "
)
_APPROXIMATE = 200  # measurements, beyond which past surrogates see a part of them (optimize.past)
_SIDES = {True: "for", False: "against", None: "fact"}


def nothing(result: Result) -> str:
    """What stands in place of an answer."""
    if not result.trials:
        return section("No answer yet", "<p>Nothing has been evaluated so far.</p>", "answer")
    n = count(len(result.trials), "evaluation", "evaluations")
    text = (
        f"<p class=lead>None of the {n} gave a value, so there is nothing to recommend. "
        "The reasons are below.</p>"
    )
    return section("No answer", text, "answer")


def answer(result: Result, best: Answer, view: View) -> str:
    """The configuration to use, its estimate, the gain, and how sure all that is."""
    value, low, high = spans(best)
    case, first = Case.of(result, best, view), start(result)
    what, sure = esc(result.objective, 60), best.bounded
    ends = f"{low} to {high}" if sure else "unknown yet"
    tiles = [_tile(f"Estimated {what}", value, f"90% interval: {ends}")]
    if first is not None:
        gain = "improvement" if better(result, best.value, first) else "change"
        most = between(best.interval, first) if sure else "unknown yet"
        note = f"compared with a typical first try, {figure(first)} (90%: {most})"
        tiles.append(_tile(f"Estimated {gain}", change(best.value, first), note))
    checks = [good for good, _ in case.reasons if good is not None]
    note = f"{sum(checks)} of {count(len(checks), 'check', 'checks')} passed"
    tiles.append(_tile("How sure", case.verdict, note))
    rows = "".join(
        f"<div><dt>{esc(name, 60)}</dt><dd>{esc(shown(v))}</dd></div>"
        for name, v in best.params.items()
    )
    exact = esc(json.dumps(best.params, ensure_ascii=False), 20_000)
    reasons = "".join(f'<li class="{_SIDES[good]}">{esc(text)}</li>' for good, text in case.reasons)
    return section(
        "The answer",
        f"<p class=lead>{_ADVICE[case.verdict]} "
        f"Its {what} is estimated at <b>{value}</b> from {_measurements(result)}; "
        f"the 90% interval of the true value is {ends}.</p>"
        f'<dl class="config">{rows}</dl>'
        f'<details class="exact"><summary>To the last digit</summary><pre>{exact}</pre></details>'
        f'<div class="tiles">{"".join(tiles)}</div>'
        f'<h3>How sure, and why</h3><ul class="reasons">{reasons}</ul>',
        "answer",
    )


def _measurements(result: Result) -> str:
    """How many there are of all configurations, and how many of them are suspects."""
    n = count(sum(not t.failed for t in result.trials), "measurement", "measurements")
    doubted = len(suspected(result))
    return f"{n}, {doubted} of them {'a suspect' if doubted == 1 else 'suspects'}" if doubted else n


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
    if sum(not trial.failed for trial in result.trials) > _APPROXIMATE:
        note += f" Beyond {_APPROXIMATE} measurements the line is approximate, but for its end."
    said = f"<figcaption>{note}</figcaption>"
    return section("How it went", f"{legend(result)}<figure>{charts}{said}</figure>", "progress")


def flukes(result: Result) -> str:
    """The luckiest measurement and the suspects, with the reasons."""
    if result.luckiest is None:
        return ""
    trial, best = result.luckiest.trial, result.best
    same = best is not None and trial.params == best.params
    text = (
        f"<p>The best single measurement was <b>{figure(trial.value or 0.0)}</b>, in trial "
        f"{trial.number} ({esc(config(trial.params))}). It is {'' if same else 'not '}the "
        f"configuration recommended. {esc(_sentence(result.luckiest.why))}</p>"
    )
    if not result.suspects:
        text += "<p>No measurement was found to be a suspect.</p>"
        return section("Flukes and suspects", text, "flukes")
    worst = sorted(result.suspects, key=lambda s: -abs(s.value / 2 - s.expected / 2))
    rows = [
        (f'<td class="n">{s.trial}</td><td class="text">{esc(config(s.params))}</td>'
         f'<td class="text">{esc(s.reason)}</td>',)
        for s in worst[:_MOST_SUSPECTS]
    ]  # fmt: skip
    number = count(len(worst), "measurement is a suspect", "measurements are suspects")
    more = f" The {_MOST_SUSPECTS} wildest are listed." if len(worst) > _MOST_SUSPECTS else ""
    text += f"<p>{number}.{_weight(result)}{more}</p>"
    text += table("Suspects", ["trial", "configuration", "why"], rows)
    return section("Flukes and suspects", text, "flukes")


def _weight(result: Result) -> str:
    """How much the suspects count, by an estimate without them."""
    without = result.without_suspects
    if without is None:
        return ""
    if without.small:
        return f" {'It hardly counts' if without.count == 1 else 'They hardly count'}: {without}."
    warning = "" if without.inside else " The estimate depends on them: check them by hand."
    return f" {_sentence(str(without))}{warning}"


def _sentence(text: str) -> str:
    text = plain(text).removeprefix("not the answer: ")
    return text[:1].upper() + text[1:] + "."


def failures(result: Result) -> str:
    """How often evaluations failed, why, and where."""
    if not result.failures:
        return ""
    by_reason: dict[str, list[Trial]] = {}
    for trial in result.trials:
        if trial.failed:
            by_reason.setdefault(trial.reason or "no reason given", []).append(trial)
    rows = [
        (f'<td class="text">{esc(reason)}</td><td class="n">{n}</td>'
         f'<td class="text">{esc(where(result, by_reason[reason]))}</td>',)
        for reason, n in list(result.failures.items())[:_MOST_REASONS]
    ]  # fmt: skip
    failed = sum(result.failures.values())
    share = percent(failed / len(result.trials))
    text = f"<p>{count(failed, 'evaluation', 'evaluations')} of {len(result.trials):,} "
    text += f"({share}) gave no value.</p>"
    rest = len(by_reason) - _MOST_REASONS
    if rest > 0:
        text += f"<p>{count(rest, 'rarer reason is', 'rarer reasons are')} left out.</p>"
    return section("Failures", text + table("Failures", ["reason", "times", "where"], rows))


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


def trials(result: Result) -> str:
    """All trials, or the latest of many, as a table that can be sorted."""
    if not result.trials:
        return ""
    doubted, luckiest = suspected(result), lucky(result)
    names = list(result.space.parameters)
    n = len(result.trials)
    rows = []
    for i in range(max(0, n - _MOST_ROWS), n):
        trial = result.trials[i]
        state = "failed" if trial.failed else "suspect" if i in doubted else ""
        state = state + ", luckiest" * (i == luckiest) if state else "luckiest" * (i == luckiest)
        rows.append(_row(trial, state, names))
    head = ["trial", plain(result.objective, 40), *(plain(name, 40) for name in names), "remark"]
    columns = table("Trials", head, rows, "sortable")
    note = ""
    if n > _MOST_ROWS:
        note = f"<p>The latest {_MOST_ROWS:,} of {n:,}; the study's export has them all.</p>"
    title = f"All {n:,}" if n <= _MOST_ROWS else f"The latest {_MOST_ROWS:,} of {n:,}"
    folded = f"<details><summary>{title}: show the table</summary>{note}{columns}</details>"
    return section("Trials", folded, "trials")


def _row(trial: Trial, state: str, names: list[str]) -> tuple[str, ...]:
    value = "–" if trial.value is None else shown(trial.value)
    order = "" if trial.value is None else f' data-v="{trial.value!r}"'
    cells = [f'<td class="n">{trial.number}</td>', f'<td class="n"{order}>{value}</td>']
    for name in names:
        v = trial.params.get(name)
        if name not in trial.params:
            cells.append("<td></td>")
        elif isinstance(v, int | float) and not isinstance(v, bool):
            cells.append(f'<td class="n" data-v="{v!r}">{shown(v)}</td>')
        else:
            cells.append(f"<td>{esc(v, 60)}</td>")
    reason = f": {esc(trial.reason, 120)}" if trial.reason else ""
    kind = "sus-text" if "suspect" in state else "text"
    return (*cells, f'<td class="{kind}">{state}{reason}</td>')


def meanings(result: Result, facts: Mapping[str, Any], command: str | None) -> str:
    """How the report was made, and what its words mean."""
    rows = "".join(f"<div><dt>{k}</dt><dd>{esc(v)}</dd></div>" for k, v in facts.items())
    ran = f"<pre>{esc(command, 4000)}</pre>" if command else ""
    space = [
        (f'<td>{esc(name, 60)}</td><td class="text">{esc(parameter)}</td>',)
        for name, parameter in result.space.parameters.items()
    ]
    listed = table("The space", ["parameter", "values"], space)
    words = (
        "<p><b>Why the best measurement need not be the answer.</b> Where measurements scatter, "
        "the best of many is likely to be a lucky one, and worse when it is measured again. The "
        "answer is chosen by estimates, which use all measurements, not by the best single one.</p>"
        "<p><b>Estimate</b>: of the average over many measurements, by the fitted surrogate. "
        "<b>90% interval</b>: made to hold the true value in nine of ten runs. "
        "<b>Suspect</b>: a measurement so far from what the others predict that the surrogate "
        "gives it almost no weight. "
        "<b>Typical first try</b>: the median over the first eight different configurations of "
        "their first measurement.</p>"
        f"<p>{' '.join(f'<b>{term}</b>: {text}.' for term, text in DEFINITIONS.items())}</p>"
    )
    made = f'{ran}<dl class="facts">{rows}</dl><details><summary>The space</summary>{listed}'
    return section("What the words mean", words) + section("How this was made", made + "</details>")
