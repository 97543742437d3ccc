"""Everything that a finished experiment shows: figures, summaries, a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stoic.lab.experiments.catalogue.base import Finding, Reproduction
from stoic.lab.experiments.figures import draw, save
from stoic.lab.experiments.report import write_report
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.summary import write_curves, write_summary

__all__ = ["publish"]

KINDS = ("average-regret", "cumulative-regret")  # of an experiment that says nothing else


def publish(
    folder: Path,
    results: Results,
    about: Reproduction | str,
    *,
    findings: Sequence[Finding] = (),
    command: str = "",
) -> Path:
    """Write figures (SVG and PNG), ``summary.csv``, ``curves.csv`` and ``report.html``.

    ``about`` is a reproduction, or the title of an experiment of one's own. Returns the report.
    """
    title, kinds = (about, KINDS) if isinstance(about, str) else (about.title, about.figures)
    figures = []
    for kind in kinds:
        figures += save(draw(kind, results, title=title), folder, kind)
    write_summary(results, folder / "summary.csv")
    write_curves(results, folder / "curves.csv")
    return write_report(folder, about, results, findings=findings, figures=figures, command=command)
