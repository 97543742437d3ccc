"""The outcome of a comparison in words."""

from __future__ import annotations

from stoic.comparison import Comparison
from stoic.comparison.words import change_in_words, interval_in_words, size_in_words

__all__ = ["change_in_words", "interval_in_words", "verdict_of"]


def verdict_of(name: str, baseline: str, found: Comparison, objective: str) -> str:
    """The decision about a challenger as one sentence."""
    change, level = change_in_words(found), f"{100.0 * found.confidence:g} %"
    details = f"{objective} {change} ({level} interval: {interval_in_words(found)})"
    margin = size_in_words(found.margin, found, exact=True)
    if found.decision == "equal":
        return f"{name} equals {baseline} within {margin}: {details}"
    if found.decision in ("better", "worse"):
        low, high = found.interval
        small = found.decision == "better" and max(abs(low), abs(high)) < found.margin
        note = f", by less than the margin of {margin}" if small else ""
        return f"{name} is {found.decision} than {baseline}{note}: {details}"
    if not found.blocks:
        return f"{name} against {baseline} is undecided: no block was finished"
    return f"{name} against {baseline} is undecided: {details}"
