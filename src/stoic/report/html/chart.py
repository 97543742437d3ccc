"""The chart of a run: the measurements, and the estimate of the best over time."""

from __future__ import annotations

from collections.abc import Sequence

from stoic.numbers import with_interval
from stoic.optimize.answers import UNKNOWN
from stoic.report.html.markup import config, figure
from stoic.report.html.svg import Frame, dot, label, line, ring, ticks, triangle, wrong
from stoic.report.replay import Estimate
from stoic.report.result import Result
from stoic.report.views import (
    baseline_value,
    finals_start,
    lucky,
    numbered,
    suspected,
    window,
)

__all__ = ["legend", "progress"]

_MAX_TITLED_DOTS = 600  # measurements, up to which each has a title
_MAX_DOTS = 8000
_MAX_SYMBOLS = 400  # suspects and failures that are drawn
_MAX_LABELS = 6  # values written at the border


def progress(result: Result, estimates: list[Estimate], *, wide: bool) -> str:
    """Measurements over time, with the estimates that would have been given during the run."""
    n = len(result.trials)
    pad = max(0.5, 0.015 * n)
    size = (920.0, 330.0) if wide else (380.0, 300.0)
    y = window(result, estimates)
    left, right = (58, 66) if wide else (44, 48)
    frame = Frame(*size, (-pad, n - 1 + pad), y, left=left, right=right, bottom=42)
    suspects = suspected(result)
    parts = [frame.grid(), _axis(frame, result, wide), _measured(frame, result, suspects)]
    parts.append(_baseline(frame, result))
    parts += [_estimated(frame, estimates, wide), _suspected(frame, result, suspects, wide)]
    parts += [_luckiest(frame, result, suspects), _failed(frame, result, suspects)]
    about = f"Progress over {n} evaluations: measurements and the estimate of the best."
    return frame.svg("".join(parts), about, "wide" if wide else "narrow")


def legend(result: Result) -> str:
    """What the symbols of the chart mean."""
    failed, suspects = sum(result.failures.values()), len(suspected(result))
    swatches = []
    if result.best is not None:
        swatches = [
            ('<rect class="band" width="22" height="14"/><path class="est" d="M0 7h22"/>',
             "estimate of the best so far, with its 90% interval"),
            (dot(11, 7, "pt"), "one measurement"),
            (ring(11, 7, "luck").replace("7.5", "6"), "luckiest measurement"),
        ]  # fmt: skip
    if baseline_value(result) is not None:
        swatches.append((line(0, 7, 22, 7, "baseline"), "median of the baseline"))
    if finals_start(result) is not None:
        swatches.append((line(11, 0, 11, 14, "finals-line"), "the finals begin"))
    if suspects:
        swatches.append((wrong(11, 7, "sus"), f"suspect ({suspects})"))
    if failed:
        swatches.append((line(11, 1, 11, 13, "fail"), f"failed ({failed})"))
    items = "".join(
        f'<li><svg width="22" height="14" aria-hidden="true">{symbol}</svg> {text}</li>'
        for symbol, text in swatches
    )
    return f'<ul class="legend">{items}</ul>'


def _baseline(frame: Frame, result: Result) -> str:
    """The baseline as a line, and where the finals begin."""
    base, start = baseline_value(result), finals_start(result)
    found, right, floor = "", frame.width - frame.right, frame.height - frame.bottom
    if base is not None:
        title = f"baseline: median {figure(base)}"
        found = line(frame.left, frame.py(base), right, frame.py(base), "baseline", title)
    if start is not None:
        x = frame.px(start - 0.5)
        found += line(x, frame.top, x, floor, "finals-line", "the finals begin")
    return found


def _axis(frame: Frame, result: Result, wide: bool) -> str:
    floor = frame.height - frame.bottom
    at = [m for m in ticks(0.0, max(len(result.trials) - 1, 1), 8 if wide else 4) if m % 1 == 0]
    body = f'<path class="axis" d="M{frame.left:g} {floor:g}H{frame.width - frame.right:g}"/>'
    body += "".join(label(frame.px(m), floor + 16, f"{m:g}", "tick mid") for m in at)
    name = "trial" if numbered(result) else "evaluation, in order of arrival"
    centre = (frame.left + frame.width - frame.right) / 2
    return body + label(centre, frame.height - 6, name, "name mid")


def _measured(frame: Frame, result: Result, suspects: frozenset[int]) -> str:
    """Measurements inside the borders, without the suspects."""
    inside = [
        (i, t.value)
        for i, t in enumerate(result.trials)
        if t.value is not None and i not in suspects and frame.within(t.value)
    ]
    if len(inside) <= _MAX_TITLED_DOTS:
        size = 3.0 if len(inside) < 200 else 2.2
        return "".join(
            dot(frame.px(i), frame.py(y), "pt", _title(result, i, suspects), size)
            for i, y in inside
        )
    inside = inside[:: -(-len(inside) // _MAX_DOTS)]
    d = "".join(f"M{frame.px(i):.1f} {frame.py(y):.1f}h0" for i, y in inside)
    return f'<path class="{"pts" if len(inside) < 2000 else "pts fine"}" d="{d}"/>'


def _estimated(frame: Frame, estimates: list[Estimate], wide: bool) -> str:
    """The estimates as steps: each holds until the next."""
    top, floor = frame.top, frame.height - frame.bottom

    def steps(those: Sequence[Estimate], what: str) -> list[str]:
        found: list[str] = []
        for e in those:
            x, y = frame.px(e.position), min(max(frame.py(getattr(e, what)), top), floor)
            found += [f"{x:.1f} {found[-1].split()[1]}"] if found else []
            found.append(f"{x:.1f} {y:.1f}")
        return found

    middle = steps(estimates, "value")
    last = estimates[-1]
    x, y = frame.px(last.position), frame.py(last.value)
    value, low, high = with_interval(last.value, (last.low, last.high))
    title, band, bar = f"the answer: {value}, {UNKNOWN}", "", ""
    if last.bounded:
        title = f"the answer: {value}, 90% interval {low} to {high}"
        sure = [e for e in estimates if e.bounded]
        around = steps(sure, "low") + steps(sure, "high")[::-1]
        band = f'<path class="band" d="M{"L".join(around)}Z"/>'
        bar = line(x, frame.py(last.low), x, frame.py(last.high), "est", title)
    return (
        f'{band}<path class="est" d="M{"L".join(middle)}"/>{bar}'
        + dot(x, y, "best", title, 5.0)
        + label(x + (10 if wide else 8), y + 4, value, "value")
    )


def _suspected(frame: Frame, result: Result, suspects: frozenset[int], wide: bool) -> str:
    """Crosses for suspects; triangles for values beyond the border, the farthest with values."""
    found, texts = [], []
    written: list[tuple[bool, float]] = []
    middle = frame.y[0] / 2 + frame.y[1] / 2
    good = [(i, t.value) for i, t in enumerate(result.trials) if t.value is not None]
    far = [(i, y) for i, y in good if i in suspects or not frame.within(y)]
    far.sort(key=lambda item: -abs(item[1] / 2 - middle / 2))
    for i, y in far[:_MAX_SYMBOLS]:
        x, kind = frame.px(i), "sus" if i in suspects else "far"
        if frame.within(y):
            found.append(wrong(x, frame.py(y), kind, _title(result, i, suspects)))
            continue
        up = y > frame.y[1]
        edge = frame.top if up else frame.height - frame.bottom
        found.append(triangle(x, edge, up, kind + " full", _title(result, i, suspects)))
        clear = all(side is not up or abs(at - x) > 70 for side, at in written)
        if clear and len(written) < (_MAX_LABELS if wide else 3):
            written.append((up, x))
            right = x > frame.width - frame.right - 60
            where = (x - 7, "end") if right else (x + 7, "")
            low = edge + 9 if up else edge - 2
            texts.append(label(where[0], low, figure(y), f"tick {kind}-text {where[1]}"))
    return "".join(found + texts)


def _luckiest(frame: Frame, result: Result, suspects: frozenset[int]) -> str:
    at = lucky(result)
    if at is None:
        return ""
    y = min(max(result.trials[at].value or 0.0, frame.y[0]), frame.y[1])
    middle = frame.py(y)
    middle = min(max(middle, frame.top + 4), frame.height - frame.bottom - 4)
    return ring(frame.px(at), middle, "luck", f"luckiest: {_title(result, at, suspects)}")


def _failed(frame: Frame, result: Result, suspects: frozenset[int]) -> str:
    floor = frame.height - frame.bottom
    where = [i for i, t in enumerate(result.trials) if t.failed]
    where = where[:: max(1, -(-len(where) // _MAX_SYMBOLS))]
    return "".join(
        line(frame.px(i), floor - 11, frame.px(i), floor, "fail", _title(result, i, suspects))
        for i in where
    )


def _title(result: Result, i: int, suspects: frozenset[int]) -> str:
    trial = result.trials[i]
    came = f"failed: {trial.reason or 'no reason given'}"
    if trial.value is not None:
        came = figure(trial.value) + " (suspect)" * (i in suspects)
    return f"trial {trial.number}: {came}; {config(trial.params)}"
