"""The report of an optimisation: one HTML file that needs nothing but a browser."""

from stoic.study.report.document import render, write_report

__all__ = ["render", "write_report"]
