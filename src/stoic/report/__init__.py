"""What people look at: a result, its figures, and a report in one HTML file."""

from stoic.report.html.document import render, write_report
from stoic.report.result import Result

__all__ = ["Result", "render", "write_report"]
