"""Slow, literal transcriptions of the algorithms from their papers, for testing only.

They share no code with the package: each keeps the whole history, one entry per round, and solves
the dense system anew whenever a value is asked for. Nothing is carried over between rounds but
what the algorithm itself remembers: a truncation decided at arrival, a dictionary, an epoch's plan.
Notation and conventions: `std` is the posterior standard deviation
without 1/lam, `width` multiplies it, and every information gain is the realised one. Random draws
come from outside: `include` maps inclusion probabilities to a mask, `variate` a round to a number.
"""

from .atagpucb import ATAGPUCB
from .base import Constants, Reference
from .bbkb import BBKB
from .bkb import BKB
from .catgpucb import CATGPUCB
from .fastslowgpucb import FastSlowGPUCB
from .gpucb import GPUCB
from .hubergpucb import HuberGPUCB
from .momgpucb import MoMGPUCB
from .rcgpucb import RCGPUCB
from .rgppe import RGPPE
from .rgpucb import RGPUCB
from .tgpucb import TGPUCB

ALL: dict[str, type[Reference]] = {
    "gpucb": GPUCB,
    "tgpucb": TGPUCB,
    "atagpucb": ATAGPUCB,
    "catgpucb": CATGPUCB,
    "momgpucb": MoMGPUCB,
    "bkb": BKB,
    "bbkb": BBKB,
    "rgpucb": RGPUCB,
    "rgppe": RGPPE,
    "fastslowgpucb": FastSlowGPUCB,
    "rcgpucb": RCGPUCB,
    "hubergpucb": HuberGPUCB,
}

__all__ = [
    "ALL",
    "ATAGPUCB",
    "BBKB",
    "BKB",
    "CATGPUCB",
    "GPUCB",
    "RCGPUCB",
    "RGPPE",
    "RGPUCB",
    "TGPUCB",
    "Constants",
    "FastSlowGPUCB",
    "HuberGPUCB",
    "MoMGPUCB",
    "Reference",
]
