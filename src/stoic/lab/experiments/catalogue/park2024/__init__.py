"""Park & Lee, *Contextually adaptive algorithms for Gaussian process bandits …*, ECAI 2024."""

from stoic.lab.experiments.catalogue.park2024 import figure1, tables
from stoic.lab.experiments.catalogue.park2024.offset import OFFSET

__all__ = ["REPRODUCTIONS"]

REPRODUCTIONS = (*figure1.REPRODUCTIONS, *tables.REPRODUCTIONS, OFFSET)
