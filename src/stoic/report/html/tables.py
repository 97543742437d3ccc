"""Tables of the report: suspects, failures and all trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from stoic.optimize.answers import Suspect, Trial
from stoic.report.html.markup import config, esc, figure, percent, printable, section, shown, table
from stoic.report.html.phrases import count
from stoic.report.result import Result
from stoic.report.views import lucky, suspected

__all__ = ["doubts", "failures", "fluke", "flukes", "trials", "where", "wildest"]

_MAX_ROWS = 1000
_MAX_SUSPECTS = 12
_MAX_REASONS = 12
_MAX_RANGE_SHARE = 0.6  # of all trials; a range that holds more does not locate failures


def flukes(result: Result, logs: Mapping[int, str]) -> str:
    """The luckiest measurement and the suspects, with the reasons."""
    if result.luckiest is None:
        return ""
    text = fluke(result) + doubts(result, _MAX_SUSPECTS)
    rows = [
        (f'<td class="n">{_number(s.trial, logs)}</td><td class="text">{esc(config(s.params))}</td>'
         f'<td class="text">{esc(s.reason)}</td>',)
        for s in wildest(result)[:_MAX_SUSPECTS]
    ]  # fmt: skip
    if rows:
        text += table("Suspects", ["trial", "configuration", "why"], rows)
    return section("Flukes and suspects", text, "flukes")


def fluke(result: Result) -> str:
    """The luckiest measurement, and why it is or is not the answer."""
    if result.luckiest is None:
        return ""
    trial, best = result.luckiest.trial, result.best
    same = best is not None and trial.params == best.params
    return (
        f"<p>The best single measurement was <b>{figure(trial.value or 0.0)}</b>, in trial "
        f"{trial.number} ({esc(config(trial.params))}). It is {'' if same else 'not '}the "
        f"configuration recommended. {esc(_sentence(result.luckiest.why))}</p>"
    )


def doubts(result: Result, listed: int) -> str:
    """How many suspects there are, of which so many are listed, and what they count for."""
    n = len(result.suspects)
    if not n:
        return "<p>No measurement was found to be a suspect.</p>"
    number = count(n, "measurement is a suspect", "measurements are suspects")
    more = f" The {listed} wildest are listed." if n > listed else ""
    return f"<p>{number}.{_weight(result)}{more}</p>"


def wildest(result: Result) -> list[Suspect]:
    """The suspects, the one farthest from what was expected first."""
    return sorted(result.suspects, key=lambda s: -abs(s.value / 2 - s.expected / 2))


def _weight(result: Result) -> str:
    """The effect of the suspects, by an estimate without them."""
    without = result.without_suspects
    if without is None:
        return ""
    if without.small:
        return f" {'It hardly counts' if without.count == 1 else 'They hardly count'}: {without}."
    warning = "" if without.inside else " The estimate depends on them: check them by hand."
    return f" {_sentence(str(without))}{warning}"


def _sentence(text: str) -> str:
    text = printable(text).removeprefix("not the answer: ")
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
        for reason, n in list(result.failures.items())[:_MAX_REASONS]
    ]  # fmt: skip
    failed = sum(result.failures.values())
    share = percent(failed / len(result.trials))
    text = f"<p>{count(failed, 'evaluation', 'evaluations')} of {len(result.trials):,} "
    text += f"({share}) gave no value.</p>"
    rest = len(by_reason) - _MAX_REASONS
    if rest > 0:
        text += f"<p>{count(rest, 'rarer reason is', 'rarer reasons are')} left out.</p>"
    return section("Failures", text + table("Failures", ["reason", "times", "where"], rows))


def where(result: Result, failed: Sequence[Trial]) -> str:
    """The part of the space in which evaluations failed, if it is smaller than the space."""
    if len(failed) < 3:
        return " and ".join(f"at {config(trial.params)}" for trial in failed)
    found = []
    for name in result.space.parameters:
        if all(name in trial.params for trial in failed):
            values = [trial.params[name] for trial in failed]
            found.append(_range(name, values, result.trials))
    found = sorted(
        (f for f in found if f[0] <= _MAX_RANGE_SHARE * len(result.trials)), key=lambda f: f[0]
    )
    if not found:
        return "in no smaller range of a parameter"
    inside, text, members = found[0]
    also = f"; {found[1][1]}" if len(found) > 1 else ""
    lost = sum(trial.failed for trial in members)
    return f"{text}, where {lost} of {inside} evaluations failed{also}"


def _range(
    name: str, values: Sequence[object], trials: Sequence[Trial]
) -> tuple[int, str, list[Trial]]:
    """How many trials share the values' range, the range in words, and those trials."""
    label = printable(name, 30)
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        low, high = min(values), max(values)  # type: ignore[type-var]
        inside = [t for t in trials if name in t.params and low <= t.params[name] <= high]
        ends = (f"{v:.4g}" if isinstance(v, float) else str(v) for v in (low, high))
        return len(inside), f"{label} from {' to '.join(ends)}", inside
    kinds = {str(v) for v in values}
    inside = [t for t in trials if name in t.params and str(t.params[name]) in kinds]
    return len(inside), f"{label} = {' or '.join(printable(k, 20) for k in sorted(kinds))}", inside


def trials(result: Result, logs: Mapping[int, str]) -> str:
    """All trials, or the latest of many, as a table that can be sorted."""
    if not result.trials:
        return ""
    suspects, luckiest = suspected(result), lucky(result)
    names = list(result.space.parameters)
    n = len(result.trials)
    rows = []
    for i in range(max(0, n - _MAX_ROWS), n):
        trial = result.trials[i]
        state = "failed" if trial.failed else "suspect" if i in suspects else ""
        state = state + ", luckiest" * (i == luckiest) if state else "luckiest" * (i == luckiest)
        rows.append(_row(trial, state, names, logs))
    head = [
        "trial",
        printable(result.objective, 40),
        *(printable(name, 40) for name in names),
        "remark",
    ]
    columns = table("Trials", head, rows, "sortable")
    note = ""
    if n > _MAX_ROWS:
        note = f"<p>The latest {_MAX_ROWS:,} of {n:,}; the study's export has them all.</p>"
    title = f"All {n:,}" if n <= _MAX_ROWS else f"The latest {_MAX_ROWS:,} of {n:,}"
    folded = f"<details><summary>{title}: show the table</summary>{note}{columns}</details>"
    return section("Trials", folded, "trials")


def _number(number: int, logs: Mapping[int, str]) -> str:
    """The number of a trial, with a link to its log if there is one."""
    if number not in logs:
        return str(number)
    return f'<a href="{esc(quote(logs[number]), 4000)}">{number}</a>'


def _row(trial: Trial, state: str, names: list[str], logs: Mapping[int, str]) -> tuple[str, ...]:
    value = "–" if trial.value is None else shown(trial.value)
    order = "" if trial.value is None else f' data-v="{trial.value!r}"'
    cells = [
        f'<td class="n">{_number(trial.number, logs)}</td>',
        f'<td class="n"{order}>{value}</td>',
    ]
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
