"""The verdict and the baseline as one tile, and the finals behind them as a chart and a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from stoic.numbers import rounded
from stoic.optimize.finals import BETTER, WORSE, Contender, FinalsRecord
from stoic.report.html.markup import config, esc, figure, section, table
from stoic.report.html.phrases import count
from stoic.report.html.svg import Frame, dot, label, line, ticks, triangle, wrong
from stoic.report.result import Result
from stoic.report.views import baseline_value, bulk, padded

__all__ = ["finals", "verdict"]

_KINDS = {BETTER: "good", WORSE: "bad"}
_SHOWN = 12  # parameters of a configuration
_MAX_TITLED = 300  # measurements that have a title each
_SPREAD = 0.5  # of a round's width, over which its measurements are spread

# -- the tile -------------------------------------------------------------------------------------


def verdict(result: Result) -> str:
    """The verdict, and the baseline that it is about."""
    found = result.verdict
    if found is None:
        return _unjudged(result)
    if not found.has_baseline:
        text = f"{str(found)[:1].upper()}{str(found)[1:]}."
        return f'<div class="tile verdict open-verdict"><div>{esc(text, 1000)}</div></div>'
    words = found.headline[:1].upper() + found.headline[1:]
    note = f"{found.details[:1].upper()}{found.details[1:]}." if found.details else ""
    return (
        f'<div class="tile verdict {_KINDS.get(found.word, "open-verdict")}">'
        f'<div class="what">Verdict of the finals</div><div class="big">{esc(words)}</div>'
        f"<div>{esc(note, 1000)}</div>{_baseline(result)}</div>"
    )


def _unjudged(result: Result) -> str:
    """A baseline without finals."""
    if result.baseline is None:
        return ""
    return (
        '<div class="tile verdict open-verdict"><div class="what">Verdict</div>'
        '<div class="big">None yet</div><div>No finals were held, in which the answer and the '
        f"baseline are measured side by side.</div>{_baseline(result)}</div>"
    )


def _baseline(result: Result) -> str:
    if result.baseline is None:
        return ""
    value = baseline_value(result)
    typical = "it has no value" if value is None else f"the median of its values is {figure(value)}"
    words = f"Baseline: {config(result.baseline, _SHOWN)}; {typical}."
    return f'<div class="note">{esc(words, 1000)}</div>'


# -- the finals -----------------------------------------------------------------------------------


def finals(result: Result) -> str:
    """The values of the finals by round, contenders side by side."""
    record = result.finals
    if record is None or not any(_values(each) for each in record.contenders):
        return ""
    text = (
        f"<p>{count(len(record.contenders), 'contender', 'contenders')}, "
        f"{count(record.made, 'evaluation', 'evaluations')} of {record.evaluations} planned ones, "
        "in rounds that measure each contender once, in random order. "
        f"{_counted(record)}</p>"
    )
    charts = "".join(_chart(result, record, wide=wide) for wide in (True, False))
    caption = (
        "<figcaption>Lines are the medians of the answer and the baseline in the finals. Triangles "
        "at the border stand for values beyond it.</figcaption>"
    )
    key = _legend(result, record)
    body = f"{text}{key}<figure>{charts}{caption}</figure>{_contenders(result, record)}"
    return section("The finals", body, "finals")


def _counted(record: FinalsRecord) -> str:
    """Which of the rounds the verdict is from."""
    after = record.chosen_after
    if after is None:
        return "The challenger is not chosen yet, so there is no verdict."
    if after == 0:
        return "The verdict is from these measurements alone."
    rounds = f"{after} rounds" if after > 1 else "round"
    return (
        f"The first {rounds} chose the challenger. The verdict is from the measurements after the "
        "dotted line alone."
    )


def _values(contender: Contender) -> list[float]:
    return [y for y in contender.values if y is not None]


def _names(result: Result, record: FinalsRecord) -> list[str]:
    """What each contender is called, such as "challenger 2"."""
    best = None if result.best is None else result.best.params
    names, others = [], 0
    for each in record.contenders:
        others += not each.is_baseline
        name = "baseline" if each.is_baseline else f"challenger {others}"
        names.append(f"{name}, the answer" if each.params == best else name)
    return names


def _kind(result: Result, each: Contender) -> str:
    """The style of a contender's symbols."""
    if each.is_baseline:
        return "base"
    return "best" if result.best is not None and each.params == result.best.params else "pt"


def _chart(result: Result, record: FinalsRecord, *, wide: bool) -> str:
    values = [y for each in record.contenders for y in _values(each)]
    low, high = padded(*bulk(values))
    rounds = max(len(each.values) for each in record.contenders)
    size, left = ((920.0, 300.0), 58.0) if wide else ((380.0, 280.0), 44.0)
    right = 12.0
    frame = Frame(*size, (0.5, rounds + 0.5), (low, high), left=left, right=right, bottom=42)
    floor = frame.height - frame.bottom
    parts = [frame.grid(), f'<path class="axis" d="M{left:g} {floor:g}H{frame.width - right:g}"/>']
    at = [m for m in ticks(1.0, max(rounds, 2), 10 if wide else 5) if m % 1 == 0 and m <= rounds]
    parts += [label(frame.px(m), floor + 16, f"{m:g}", "tick mid") for m in at]
    centre = (left + frame.width - right) / 2
    parts.append(label(centre, frame.height - 6, "round of the finals", "name mid"))
    for i, each in enumerate(record.contenders):
        parts.append(_median_line(frame, each, _kind(result, each)))
        parts.append(_drawn(frame, result, record, i))
    after = record.chosen_after
    if after and after < rounds:
        x = frame.px(after + 0.5)
        parts.append(line(x, frame.top, x, floor, "finals-line", "the challenger is chosen"))
    about = f"Finals: values of {len(record.contenders)} contenders in {rounds} rounds."
    return frame.svg("".join(parts), about, "wide" if wide else "narrow")


def _median_line(frame: Frame, each: Contender, kind: str) -> str:
    values = _values(each)
    if kind == "pt" or not values:
        return ""
    y = median(values)
    if not frame.within(y):
        return ""
    style = "baseline" if kind == "base" else "est"
    title = f"median in the finals: {figure(y)}"
    return line(frame.left, frame.py(y), frame.width - frame.right, frame.py(y), style, title)


def _drawn(frame: Frame, result: Result, record: FinalsRecord, i: int) -> str:
    """The symbols of one contender, beside those of the others."""
    each, n = record.contenders[i], len(record.contenders)
    kind, name = _kind(result, each), _names(result, record)[i]
    offset = _SPREAD * ((i + 0.5) / n - 0.5)
    top, floor = frame.top, frame.height - frame.bottom
    titled = record.made <= _MAX_TITLED
    found = []
    for round_, (y, trial) in enumerate(zip(each.values, each.trials, strict=True), 1):
        x = frame.px(round_ + offset)
        came = "failed" if y is None else figure(y)
        title = f"{name}, round {round_}, trial {trial}: {came}" if titled else ""
        if y is None:
            found.append(line(x, floor - 11, x, floor, "fail", title))
        elif frame.within(y):
            size = 4.5 if kind != "pt" else 3.0
            found.append(dot(x, frame.py(y), f"{kind} final", title, size))
        else:
            up = y > frame.y[1]
            found.append(triangle(x, top if up else floor, up, f"{kind} full", title))
    if each.dropped_after is not None and each.values:
        last = [y for y in each.values if y is not None and frame.within(y)]
        y_px = frame.py(last[-1]) if last else floor - 8
        x = frame.px(len(each.values) + offset)
        found.append(wrong(x, y_px, "sus", f"{name} dropped after round {each.dropped_after}"))
    return "".join(found)


def _legend(result: Result, record: FinalsRecord) -> str:
    swatches = []
    kinds = {_kind(result, each) for each in record.contenders}
    if "best" in kinds:
        swatches.append((dot(11, 7, "best final", "", 4.5), "the answer"))
    if "base" in kinds:
        swatches.append((dot(11, 7, "base final", "", 4.5), "the baseline"))
    if "pt" in kinds:
        swatches.append((dot(11, 7, "pt final"), "other challengers"))
    if any(each.dropped_after is not None for each in record.contenders):
        swatches.append((wrong(11, 7, "sus"), "dropped after this round"))
    if any(y is None for each in record.contenders for y in each.values):
        swatches.append((line(11, 1, 11, 13, "fail"), "failed"))
    items = "".join(
        f'<li><svg width="22" height="14" aria-hidden="true">{symbol}</svg> {text}</li>'
        for symbol, text in swatches
    )
    return f'<ul class="legend">{items}</ul>'


def _contenders(result: Result, record: FinalsRecord) -> str:
    """A row for each contender."""
    names = _names(result, record)
    rows: list[Sequence[str]] = []
    for name, each in zip(names, record.contenders, strict=True):
        values = _values(each)
        typical = rounded(median(values)) if values else "–"
        failed = sum(y is None for y in each.values)
        remark = f"{count(failed, 'failure', 'failures')}" if failed else ""
        if each.dropped_after is not None:
            after = f"dropped after {count(each.dropped_after, 'round', 'rounds')}"
            remark = f"{after}, {remark}" if remark else after
        rows.append((
            f"<td>{esc(name)}</td>", f'<td class="text">{esc(config(each.params, _SHOWN))}</td>',
            f'<td class="n">{len(each.values)}</td>', f'<td class="n">{esc(typical)}</td>',
            f'<td class="text">{esc(remark)}</td>',
        ))  # fmt: skip
    head = ["contender", "configuration", "measured", "median", "remark"]
    return table("Contenders", head, rows)
