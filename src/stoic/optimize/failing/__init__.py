"""Models of where evaluations fail: a kernel average, and a forest of randomised trees."""

from stoic.optimize.failing.average import KernelAverage
from stoic.optimize.failing.calibration import CalibratedForest

__all__ = ["CalibratedForest", "KernelAverage"]
