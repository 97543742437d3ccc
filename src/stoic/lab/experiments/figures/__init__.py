"""Figures of results, in the quality of a paper: :func:`draw` one kind, :func:`save` it.

Figures over trials show the mean, and the sample standard deviation as a band. A policy has the
same colour, dash and marker in all figures of its results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stoic.checks import describe
from stoic.errors import InvalidInput, UnknownName
from stoic.lab.experiments.figures import beliefs, cost, regret
from stoic.lab.experiments.figures.style import matplotlib, save, setting
from stoic.lab.experiments.printed import Printed
from stoic.lab.experiments.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CAPTIONS", "KINDS", "caption", "draw", "matplotlib", "save"]

KINDS: dict[str, Callable[..., Any]] = {
    "average-regret": regret.average_regret,
    "cumulative-regret": regret.cumulative_regret,
    "final-regret": regret.final_regret,
    "beliefs": beliefs.beliefs,
    "seconds": cost.seconds,
    "seconds-per-round": cost.seconds_per_round,
    "features": cost.features,
    "accuracy": cost.accuracy,
    "epochs": beliefs.epochs,
    "scaling": regret.scaling,
}
"""Functions of the results and a title; those in :data:`WITH_PRINT` also of a print."""

WITH_PRINT = ("average-regret", "beliefs")

CAPTIONS = {
    "average-regret": "Average regret R_t/t against the round t; bands are one standard deviation "
    "over trials to either side of the mean.",
    "cumulative-regret": "Regret R_t against the round t; bands are one standard deviation over "
    "trials to either side of the mean.",
    "final-regret": "Final average regret R_T/T under each noise, mean over trials, on a "
    "logarithmic axis.",
    "beliefs": "The function f, each policy's estimate and its confidence bounds at the end, means "
    "over trials.",
    "seconds": "Mean CPU seconds of a whole run.",
    "seconds-per-round": "CPU time per round against the round t, mean over trials.",
    "features": "Features of the posterior against the round t; bands are one standard "
    "deviation over trials to either side of the mean. Dashed: effective dimension.",
    "accuracy": "Least and largest ratio over arms of the approximate to the exact posterior "
    "variance against the round t, means over trials; at 1 they agree.",
    "epochs": "Arms left at the end of each epoch: mean, with fewest and most over trials.",
    "scaling": "Final regret R_T against the horizon T, with slopes of least-squares lines on "
    "logarithmic axes.",
}


def draw(kind: str, results: Results, *, title: str = "", printed: Printed | None = None) -> Figure:
    """A figure of one of the :data:`KINDS`.

    Each setting has a panel, labelled by the fields that vary, and each policy a curve. The points
    of a print are drawn over the panels that they belong to.
    """
    if kind not in KINDS:
        raise UnknownName(
            f"expected a kind of figure among {', '.join(KINDS)}, got {describe(kind)}"
        )
    with setting():
        if not results.cases():
            raise InvalidInput("expected results with at least one case, got none; run it first")
        more = {"printed": printed} if kind in WITH_PRINT else {}
        figure: Figure = KINDS[kind](results, title, **more)
        return figure


def caption(stem: str) -> str:
    """The caption of a figure, from the stem of its file, which ends with the kind.

    >>> caption("fig1a-seconds")
    'Mean CPU seconds of a whole run.'
    """
    kinds = [kind for kind in KINDS if stem.endswith(kind)]
    return CAPTIONS[max(kinds, key=len)] if kinds else stem
