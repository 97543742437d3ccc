"""Runs: the loop that asks, evaluates and tells until the budget is spent."""

from stoic.runs.run import maximize, minimize

__all__ = ["maximize", "minimize"]
