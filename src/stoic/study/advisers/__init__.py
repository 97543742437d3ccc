"""Advisers of a study: they suggest its trials and draw its conclusions."""

from stoic.study.advisers.adviser import Adviser, Mark, Observation, Params

__all__ = ["Adviser", "Mark", "Observation", "Params"]
