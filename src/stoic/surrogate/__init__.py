"""Gaussian-process regression that learns its hyper-parameters and is robust to outliers."""

from stoic.surrogate.fitting import fit
from stoic.surrogate.gp import RobustGP
from stoic.surrogate.hyper import Hyper, Prior
from stoic.surrogate.scaling import Scaling

__all__ = ["Hyper", "Prior", "RobustGP", "Scaling", "fit"]
