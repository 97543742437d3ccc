"""The chart of where a run has measured: a line for each configuration across all parameters."""

from __future__ import annotations

from stoic.report.coverage import Axis, Coverage, Line
from stoic.report.html.markup import config, esc, figure, printable, shown, table
from stoic.report.html.phrases import count
from stoic.report.html.svg import label
from stoic.report.result import Result

__all__ = ["covered"]

_TOP, _FLOOR = 34.0, 296.0  # of the axes, in pixels
_WIDTH, _MARGIN = 920.0, 70.0
_MAX_ROWS = 10
_THICK = ((10, 3), (4, 2), (2, 1))  # measurements, from which on a line is so thick


def covered(result: Result, found: Coverage) -> str:
    """Where the run has measured and how often, as a chart and as a table."""
    if not found.lines or not found.axes:
        return ""
    replicated = count(found.replicated, "was", "were")
    text = (
        f"<p>{count(found.configurations, 'configuration has', 'configurations have')} a value; "
        f"{replicated} measured more than once. Each line is a configuration: the darker the "
        "better, the thicker the more often measured.</p>"
    )
    left_out = found.configurations - len(found.lines)
    if left_out > 0:
        text += (
            f"<p class=small>Drawn are those measured most often, the best, and some of the "
            f"others: {len(found.lines):,} of {found.configurations:,}.</p>"
        )
    if found.parameters > len(found.axes):
        text += f"<p class=small>{found.parameters - len(found.axes)} parameters are left out.</p>"
    chart = _chart(result, found) if len(found.axes) > 1 else ""
    return text + (f'<div class="scroll" tabindex="0" role="region" aria-label="Configurations">'
                   f"{chart}</div>" if chart else "") + _most_measured(found)  # fmt: skip


def _chart(result: Result, found: Coverage) -> str:
    n = len(found.axes)
    xs = [_MARGIN + i * (_WIDTH - 2 * _MARGIN) / (n - 1) for i in range(n)]
    parts = [_line(each, xs) for each in found.lines]
    special = ((result.baseline, "base"), (result.best and result.best.params, "answer"))
    for params, kind in special:
        same = [each for each in found.lines if params is not None and each.trial.params == params]
        parts += [_line(each, xs, kind) for each in same]
    parts += [_axis(axis, x) for axis, x in zip(found.axes, xs, strict=True)]
    about = (
        f"{len(found.lines)} configurations as lines across {n} parameters; the table below has "
        "those measured most often."
    )
    return (
        f'<svg class="chart coverage" viewBox="0 0 {_WIDTH:g} 320" role="img" '
        f'aria-label="{esc(about)}">{"".join(parts)}</svg>'
    )


def _y(at: float) -> float:
    return _FLOOR - at * (_FLOOR - _TOP)


def _line(each: Line, xs: list[float], kind: str = "") -> str:
    """A polyline, interrupted where the configuration lacks a parameter."""
    d, pen = "", "M"
    for x, at in zip(xs, each.at, strict=True):
        if at is None:
            pen = "M"
            continue
        d += f"{pen}{x:.0f} {_y(at):.1f}" + ("h.1" if pen == "M" else "")
        pen = "L"
    thick = next((size for least, size in _THICK if each.times >= least), 0)
    style = f"run s{each.shade} t{thick}" + (f" {kind}" if kind else "")
    name = {"answer": "the answer: ", "base": "the baseline: "}.get(kind, "")
    wrong = f", {count(each.suspects, 'suspect', 'suspects')}" if each.suspects else ""
    title = (
        f"{name}{config(each.trial.params, 8)}: {figure(each.value)}, measured "
        f"{count(each.times, 'time', 'times')}{wrong}"
    )
    return f'<path class="{style}" d="{d}"><title>{esc(title)}</title></path>'


def _axis(axis: Axis, x: float) -> str:
    name = printable(axis.name, 16)
    body = f'<path class="axis" d="M{x:.1f} {_TOP:g}V{_FLOOR:g}"/>'
    body += label(x, 18, name, "name mid")
    return body + "".join(
        label(x + 5, _y(at) + 4, printable(shown(value), 12), "tick halo")
        for at, value in axis.labels
    )


def _most_measured(found: Coverage) -> str:
    """The configurations measured most often, as a table."""
    most = sorted(found.lines, key=lambda each: -each.times)[:_MAX_ROWS]
    rows = [
        (
            f'<td class="text">{esc(config(each.trial.params, 8))}</td>',
            f'<td class="n">{each.times:,}</td>',
            f'<td class="n">{figure(each.value)}</td>',
            f'<td class="n">{each.suspects:,}</td>',
        )
        for each in most
        if each.times > 1
    ]
    if not rows:
        return ""
    head = ["configuration", "measured", "median", "suspects"]
    return "<h3>Measured most often</h3>" + table("Measured most often", head, rows)
