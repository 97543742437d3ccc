"""Estimators: payoffs → mean. They know the smoother, never the width."""

from stoic.estimators.adaptive import AdaptivelyTruncatedMean
from stoic.estimators.calibration import Calibration
from stoic.estimators.overview import Overview
from stoic.estimators.replicates import EpochPayoffs, replicate_estimate
from stoic.estimators.smoothed import SmoothedMean
from stoic.estimators.truncation import contextual_threshold, truncate

__all__ = [
    "AdaptivelyTruncatedMean",
    "Calibration",
    "EpochPayoffs",
    "Overview",
    "SmoothedMean",
    "contextual_threshold",
    "replicate_estimate",
    "truncate",
]
