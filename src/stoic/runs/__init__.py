"""The one loop of all runs: ask, evaluate, tell, until the budget is spent."""

from stoic.runs.run import maximize, minimize

__all__ = ["maximize", "minimize"]
