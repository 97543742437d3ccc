"""The result of a run, its figures, and its report as one HTML file."""

from stoic.report.html.document import render, write_report
from stoic.report.result import Result

__all__ = ["Result", "render", "write_report"]
