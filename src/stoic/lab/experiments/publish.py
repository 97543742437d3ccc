"""The output of a finished experiment: figures, summaries and a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stoic.lab.experiments.catalogue.base import CheckedClaim, Reproduction
from stoic.lab.experiments.figures import draw, save
from stoic.lab.experiments.report import write_report
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.summary import write_curves, write_summary

__all__ = ["publish"]

KINDS = ("average-regret", "cumulative-regret")  # of a user's own experiment


def publish(
    folder: Path,
    results: Results,
    about: Reproduction | str,
    *,
    claims: Sequence[CheckedClaim] = (),
    command: str = "",
) -> Path:
    """Write figures (SVG and PNG), ``summary.csv``, ``curves.csv`` and ``report.html``.

    ``about`` is a reproduction, or the title of a user's own experiment. Returns the report's path.
    """
    title, kinds = (about, KINDS) if isinstance(about, str) else (about.title, about.figures)
    load = None if isinstance(about, str) else about.printed
    printed = None if load is None else load()
    figures = []
    for kind in kinds:
        figures += save(draw(kind, results, title=title, printed=printed), folder, kind)
    write_summary(results, folder / "summary.csv", printed=printed)
    write_curves(results, folder / "curves.csv")
    return write_report(folder, about, results, claims=claims, figures=figures, command=command)
