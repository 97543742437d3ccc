"""The optimiser: a person's noisy problem, solved with no knob about the noise."""

from stoic.optimize.answers import Answer, Luckiest, Suspect, Trial
from stoic.optimize.optimizer import Optimizer
from stoic.optimize.result import Result
from stoic.optimize.run import maximize, minimize
from stoic.optimize.tactics import Tactics

__all__ = [
    "Answer",
    "Luckiest",
    "Optimizer",
    "Result",
    "Suspect",
    "Tactics",
    "Trial",
    "maximize",
    "minimize",
]
