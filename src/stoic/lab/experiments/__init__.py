"""Experiments: specification, runner, results, figures, reports."""
