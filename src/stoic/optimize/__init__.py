"""The optimiser: a person's noisy problem, solved with no knob about the noise."""

from stoic.optimize.answers import Answer, Luckiest, Suspect, Trial
from stoic.optimize.optimizer import Optimizer
from stoic.optimize.tactics import Tactics

__all__ = ["Answer", "Luckiest", "Optimizer", "Suspect", "Tactics", "Trial"]
