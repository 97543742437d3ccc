"""Checks of a store, and what can be recovered from a damaged one."""
