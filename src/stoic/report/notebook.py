"""What a notebook shows of a result: its summary, and its measurements in one light picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoic.notebook import block, picture, table, words
from stoic.numbers import shown
from stoic.report.figure.progress_panel import draw_progress
from stoic.report.figure.style import settings
from stoic.report.replay import Estimate
from stoic.report.views import suspected
from stoic.spaces.wording import assignments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stoic.report.result import Result

__all__ = ["notebook_result"]

_MAX_ROWS = 20  # of trials in a table
_INCHES = (8.0, 2.8)


def notebook_result(result: Result, *above: str) -> str:
    """A result as its summary and a picture of all trials, or a table of the last ones.

    ``above`` is HTML that stands before it. The picture shows the answer's estimate only at the
    end: estimates over time take seconds, see `stoic.Result.plot`.
    """
    drawn = ""
    if result.trials:
        drawn = picture(lambda: _progress(result), "all trials in order, and the estimate")
    return block(*above, words(str(result)), drawn or _trials(result))


def _progress(result: Result) -> Figure:
    with settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=_INCHES, layout="constrained")
        best, last = result.best, len(result.trials) - 1
        estimates = [] if best is None else [Estimate(last, best.value, *best.interval)]
        draw_progress(figure.subplots(), result, estimates)
        figure.draw_without_rendering()
        return figure


def _trials(result: Result) -> str:
    if not result.trials:
        return ""
    suspects, first = suspected(result), max(len(result.trials) - _MAX_ROWS, 0)
    rows = [
        (
            trial.number,
            assignments(trial.params),
            "" if trial.value is None else shown(trial.value),
            trial.reason if trial.failed else "suspect" if i in suspects else "",
        )
        for i, trial in enumerate(result.trials)
        if i >= first
    ]
    return table(["trial", "parameters", result.objective, "remark"], rows)
