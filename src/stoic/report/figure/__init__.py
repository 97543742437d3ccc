"""A result as one figure: progress, importance of the parameters, slices through the answer."""

from stoic.report.figure.drawing import draw, write

__all__ = ["draw", "write"]
