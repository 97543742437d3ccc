"""Compare two contenders by paired measurements, with answers that are valid at every look."""

from stoic.comparison.paired import Comparison, Decision, Margin, compare

__all__ = ["Comparison", "Decision", "Margin", "compare"]
