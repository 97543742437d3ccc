"""Marks in the log of a study: notes on trials, and wider spaces."""
