"""Advisers of a study: they suggest its trials and draw its conclusions."""

from stoic.study.advisers.adviser import Adviser, LeftOut, Mark, Observation, Params

__all__ = ["Adviser", "LeftOut", "Mark", "Observation", "Params"]
