"""The whole report: its sections in order, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import stoic
from stoic.checks import describe, number
from stoic.errors import InvalidInput
from stoic.report.coverage import coverage
from stoic.report.html import parts, tables
from stoic.report.html.closeness import Truth, closeness
from stoic.report.html.confidence import Case
from stoic.report.html.coverage import covered
from stoic.report.html.markup import esc, section
from stoic.report.html.page import page
from stoic.report.html.phrases import clock, count
from stoic.report.html.verdict import finals
from stoic.report.result import Result
from stoic.report.views import View, view
from stoic.streams import write_out

__all__ = ["render", "write_report"]


def write_report(
    result: Result,
    path: str | Path,
    *,
    title: str,
    command: str | None = None,
    started: float | datetime | None = None,
    seconds: float | None = None,
    truth: Mapping[str, Any] | None = None,
    logs: Mapping[int, str] | None = None,
) -> Path:
    """Write a result as one HTML file that needs nothing else; see `render`.

    The file appears whole or not at all, so a report of a running study may be written again
    and again while someone reads it. The path - is standard output.
    """
    path = Path(path)
    text = render(
        result, title=title, command=command, started=started, seconds=seconds, truth=truth,
        logs=logs,
    )  # fmt: skip
    write_out(path, text)
    return path


def render(
    result: Result,
    *,
    title: str,
    command: str | None = None,
    started: float | datetime | None = None,
    seconds: float | None = None,
    truth: Mapping[str, Any] | None = None,
    logs: Mapping[int, str] | None = None,
) -> str:
    """A result as an HTML page: the answer first, then the evidence for and against it.

    Parameters
    ----------
    result
        Of a finished or running optimisation.
    title
        Of the page.
    command
        What was run, to run it again.
    started, seconds
        When it began (unix seconds, or a datetime), and how long it took.
    truth
        Where it is known: ``value`` of the optimum (at ``params``), ``at_best``, the true value
        of the recommended configuration, and perhaps ``at_luckiest``, that of the luckiest, and
        ``at_baseline``, that of the baseline.
    logs
        Addresses of the trials' logs, relative to the page, by the number of the trial.

    >>> from stoic.runs.run import maximize
    >>> result = maximize(lambda x: 1.0 - (x - 0.3) ** 2, {"x": (0.0, 1.0)}, budget=12)
    >>> "<h2>The answer</h2>" in render(result, title="A parabola")
    True
    """
    if not isinstance(result, Result):
        raise InvalidInput(f"expected a result to report, got {describe(result)}")
    known = Truth.of(truth) if truth is not None else None
    begun = None if started is None else _moment(started)
    took = None if seconds is None else clock(number(seconds, "seconds", at_least=0.0))
    seen = view(result)
    best = result.best
    body = [
        parts.answer(result, best, Case.of(result, best, seen))
        if best is not None
        else parts.nothing(result)
    ]
    if known is not None and best is not None:
        body.append(closeness(result, best, known))
    body += [
        finals(result),
        parts.course(result, seen),
        tables.flukes(result, logs or {}),
        tables.failures(result),
        parts.parameters(result, seen),
        section("Where it measured", covered(result, coverage(result, _names(seen)))),
        tables.trials(result, logs or {}),
        parts.meanings(result, _facts(result, begun, took), command),
    ]
    return page(title, _subtitle(result, begun, took), "\n".join(filter(None, body)))


def _names(seen: View) -> list[str]:
    """The parameters, the most important first."""
    return [share.name for share in seen.shares]


def _subtitle(result: Result, begun: datetime | None, took: str | None) -> str:
    verb = result.direction.replace("ize", "ised").capitalize()
    what = [f"{verb} {esc(result.objective, 60)}"]
    what.append(count(len(result.trials), "evaluation", "evaluations"))
    what += [f"{result.excluded:,} more excluded"] if result.excluded else []
    if begun is not None:
        what.append(f"{begun.day} {begun:%B %Y}")
    if took is not None:
        what.append(took)
    if result.interrupted:
        what.append("<b>stopped before the end</b>")
    return " · ".join(what)


def _facts(result: Result, begun: datetime | None, took: str | None) -> dict[str, str]:
    better = "higher is better" if result.direction == "maximize" else "lower is better"
    facts = {"Objective": f"{result.objective} ({better})", "Seed": str(result.seed)}
    if result.explanation is not None:
        facts["What explains the values"] = str(result.explanation)
    if begun is not None:
        facts["Started"] = f"{begun:%Y-%m-%d %H:%M:%S %Z}"
    if took is not None:
        facts["Took"] = took
    return facts | {"Made by": f"stoic {stoic.__version__}"}


def _moment(when: float | datetime) -> datetime:
    if isinstance(when, datetime):
        return when.astimezone(UTC)
    try:
        return datetime.fromtimestamp(number(when, "started"), UTC)
    except (OverflowError, OSError, ValueError) as beyond:
        raise InvalidInput(
            f"expected started in unix seconds or as a datetime, got {describe(when)}"
        ) from beyond
