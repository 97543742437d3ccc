"""The optimiser: Bayesian optimisation of noisy functions, with no settings about the noise."""

from stoic.optimize.answers import Answer, Luckiest, Suspect, Trial
from stoic.optimize.finals import FinalsRecord, Verdict
from stoic.optimize.optimizer import Optimizer
from stoic.optimize.tactics import Tactics

__all__ = [
    "Answer",
    "FinalsRecord",
    "Luckiest",
    "Optimizer",
    "Suspect",
    "Tactics",
    "Trial",
    "Verdict",
]
