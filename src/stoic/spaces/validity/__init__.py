"""Constraints of a space: which configurations are valid, by expressions or by functions."""

from stoic.spaces.validity.constraints import Constraint, Constraints

__all__ = ["Constraint", "Constraints"]
