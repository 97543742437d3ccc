"""Charts of the estimate along one parameter, with the others as in the answer."""

from __future__ import annotations

import math

import numpy as np

from stoic.report.html.markup import esc, figure, printable, shown
from stoic.report.html.svg import Frame, dot, label, line, log_ticks, ticks, triangle, wrong
from stoic.report.importance import Importance
from stoic.report.result import Result
from stoic.report.views import Slice, limits, suspected
from stoic.spaces.choices import Listed

__all__ = ["bars", "slices"]

_MAX_BARS = 12
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_LETTER_PIXELS = 6.2  # mean width of a letter


def slices(result: Result, cuts: list[Slice]) -> str:
    """A chart of each slice, all to one scale."""
    if not cuts:
        return ""
    ends = limits(result, cuts)
    suspects = suspected(result)
    drawn = [_slice(result, cut, ends, suspects) for cut in cuts]
    return f'<div class="slices">{"".join(drawn)}</div>'


def bars(shares: list[Importance]) -> str:
    """How much of the estimate's variation involves each parameter."""
    rows = []
    for share in shares[:_MAX_BARS]:
        total = f"{100 * share.total:.0f}%"
        title = f"{total} with others, {100 * share.main:.0f}% alone"
        rows.append(
            f'<div class="who">{esc(share.name, 40)}</div>'
            f'<svg class="bar" role="img" aria-label="{title}"><title>{title}</title>'
            f'<rect class="with" width="{100 * share.total:.1f}%" height="100%"/>'
            f'<rect class="alone" width="{100 * share.main:.1f}%" height="100%"/></svg>'
            f'<div class="n">{total}</div>'
        )
    return f'<div class="bars">{"".join(rows)}</div>'


def _slice(result: Result, cut: Slice, ends: tuple[float, float], suspects: frozenset[int]) -> str:
    labels = _labels(cut)
    tilted = cut.separate and sum(len(text) + 2 for _, text in labels) * _LETTER_PIXELS > 250
    x = float(cut.x.min()), float(cut.x.max())
    if cut.separate and not cut.log:
        x = x[0] - 0.6, x[1] + 0.6
    elif cut.separate:
        x = x[0] / 1.2, x[1] * 1.2
    frame = Frame(320, 226 if tilted else 196, x, ends, bottom=56 if tilted else 26, log=cut.log)
    floor = frame.height - frame.bottom
    body = frame.grid(4) + f'<path class="axis" d="M{frame.left:g} {floor:g}H308"/>'
    for at, text in labels:
        spot = frame.px(at), floor + (13 if tilted else 16), text
        body += label(*spot, "tick end", -32) if tilted else label(*spot, "tick mid")
    body += _nearby(frame, result, cut, suspects)
    body += _points(frame, cut) if cut.separate else _line(frame, cut)
    best = cut.values[int(np.flatnonzero(cut.x == cut.best)[0])]
    name = esc(cut.name, 40)
    heading = f"<b>{name}</b> <span>best: {esc(shown(best), 40)}</span>"
    chart = frame.svg(body, f"Estimate along {printable(cut.name, 60)}; the best is {shown(best)}.")
    return f"<figure><figcaption>{heading}</figcaption>{chart}</figure>"


def _labels(cut: Slice) -> list[tuple[float, str]]:
    """Positions and texts of the labels along the x-axis."""
    if cut.separate or isinstance(cut.parameter, Listed):
        every = math.ceil(len(cut.x) / 12)
        pairs = list(zip(cut.x.tolist(), cut.values, strict=True))[::every]
        return [(x, printable(shown(value), 14)) for x, value in pairs]
    low, high = float(cut.x.min()), float(cut.x.max())
    numbers = log_ticks(low, high) if cut.log else ticks(low, high, 4)
    return [(number, _power(number) if cut.log else figure(number)) for number in numbers]


def _power(value: float) -> str:
    """A short number, or a power of ten."""
    exponent = math.log10(value)
    if 1e-3 <= value < 1e5 or exponent % 1.0:
        return figure(value)
    return "10" + str(round(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _nearby(frame: Frame, result: Result, cut: Slice, suspects: frozenset[int]) -> str:
    """Measurements, fainter the more they differ in the other parameters."""
    found = []
    for k, (at, i, near) in enumerate(zip(cut.near_x, cut.near, cut.nearness, strict=True)):
        trial, wide = result.trials[i], 0.0
        y = float(trial.value or 0.0)
        if cut.separate:  # beside each other, so that none is hidden
            gap = (frame.width - frame.left - frame.right) / max(len(cut.x), 1)
            wide = min(0.36 * gap, 60.0) * (k * _GOLDEN % 1.0 - 0.5)
        x, faint = frame.px(float(at)) + wide, 0.75 * float(near)
        title = f"trial {trial.number}: {figure(y)}"
        kind = "sus" if int(i) in suspects else "pt"
        if not frame.within(y):
            up = y > frame.y[1]
            edge = frame.top if up else frame.height - frame.bottom
            found.append(triangle(x, edge, up, kind + " full", title, faint))
        elif kind == "sus":
            found.append(wrong(x, frame.py(y), kind, title, faint))
        else:
            found.append(dot(x, frame.py(y), kind, title, 2.4, faint))
    return "".join(found)


def _line(frame: Frame, cut: Slice) -> str:
    top, floor = frame.top, frame.height - frame.bottom

    def path(values: list[float]) -> list[str]:
        pairs = zip(cut.x.tolist(), values, strict=True)
        return [f"{frame.px(x):.1f} {min(max(frame.py(y), top), floor):.1f}" for x, y in pairs]

    around = path(cut.low.tolist()) + path(cut.high.tolist())[::-1]
    at = int(np.flatnonzero(cut.x == cut.best)[0])
    x, y = frame.px(cut.best), frame.py(float(cut.mean[at]))
    return (
        f'<path class="band" d="M{"L".join(around)}Z"/>'
        f'<path class="est" d="M{"L".join(path(cut.mean.tolist()))}"/>'
        + line(x, top, x, floor, "here")
        + dot(x, y, "best", f"the answer: {shown(cut.values[at])}", 4.5)
    )


def _points(frame: Frame, cut: Slice) -> str:
    top, floor = frame.top, frame.height - frame.bottom
    found = []
    for x, value, mean, low, high in zip(
        cut.x, cut.values, cut.mean, cut.low, cut.high, strict=True
    ):
        kind = "best" if x == cut.best else "other"
        at = frame.px(float(x))
        a, m, b = (min(max(frame.py(float(v)), top), floor) for v in (low, mean, high))
        title = f"{shown(value)}: {figure(mean)}, band {figure(low)} to {figure(high)}"
        found.append(f'<path class="{kind} whisker" d="M{at:.1f} {a:.1f}V{b:.1f}"/>')
        found.append(dot(at, m, kind, title, 4.5))
    return "".join(found)
