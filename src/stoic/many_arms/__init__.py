"""Exact inference on very many arms that computes only few of them in each round."""

from stoic.many_arms.belief import ManyArmsBelief
from stoic.many_arms.mean import ManyArmsMean
from stoic.many_arms.posterior import ManyArmsPosterior

__all__ = ["ManyArmsBelief", "ManyArmsMean", "ManyArmsPosterior"]
