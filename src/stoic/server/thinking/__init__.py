"""Processes that compute: suggestions, answers, and what the page shows."""
