"""Noises: distributions of a payoff given its mean, with their moments."""

from stoic.lab.noise.additive import Additive
from stoic.lab.noise.base import Noise, noises
from stoic.lab.noise.contaminated import Contamination, Spike
from stoic.lab.noise.light import Gaussian, Lognormal, NoNoise
from stoic.lab.noise.lower_bound import LowerBoundPayoff
from stoic.lab.noise.offset import Offset
from stoic.lab.noise.pareto import ParetoPayoff, SymmetrisedPareto
from stoic.lab.noise.stable import AlphaStable
from stoic.lab.noise.student import StudentT
from stoic.lab.noise.tables import Cells, Rows

__all__ = [
    "Additive",
    "AlphaStable",
    "Cells",
    "Contamination",
    "Gaussian",
    "Lognormal",
    "LowerBoundPayoff",
    "NoNoise",
    "Noise",
    "Offset",
    "ParetoPayoff",
    "Rows",
    "Spike",
    "StudentT",
    "SymmetrisedPareto",
    "noises",
]
