"""Marks in the log of a study: notes on trials, wider spaces, and finals."""
