"""Estimators: payoffs → mean, and how a payoff is limited before. They never know the width."""

from stoic.estimators.adaptive import AdaptivelyTruncatedMean
from stoic.estimators.belief import Belief, DenseBelief
from stoic.estimators.clipping import (
    AdaptiveClipping,
    Clipping,
    ContextualClipping,
    NoiseWatch,
)
from stoic.estimators.huber import HuberClipping, HuberThreshold
from stoic.estimators.limited import Limited
from stoic.estimators.limiter import (
    AdaptiveTruncation,
    ContextualTruncation,
    Limiter,
    Limiters,
    Truncation,
    Unlimited,
)
from stoic.estimators.replicates import ClippedEpochPayoffs, EpochPayoffs, replicate_estimate
from stoic.estimators.sketched import BatchedBelief, FixedFeaturesBelief, SketchedBelief
from stoic.estimators.smoothed import SmoothedMean
from stoic.estimators.truncation import contextual_threshold, truncate
from stoic.estimators.weighting import (
    FixedWeights,
    LearnedWeights,
    WeightedBelief,
    WeightedMean,
)

__all__ = [
    "AdaptiveClipping",
    "AdaptiveTruncation",
    "AdaptivelyTruncatedMean",
    "BatchedBelief",
    "Belief",
    "ClippedEpochPayoffs",
    "Clipping",
    "ContextualClipping",
    "ContextualTruncation",
    "DenseBelief",
    "EpochPayoffs",
    "FixedFeaturesBelief",
    "FixedWeights",
    "HuberClipping",
    "HuberThreshold",
    "LearnedWeights",
    "Limited",
    "Limiter",
    "Limiters",
    "NoiseWatch",
    "SketchedBelief",
    "SmoothedMean",
    "Truncation",
    "Unlimited",
    "WeightedBelief",
    "WeightedMean",
    "contextual_threshold",
    "replicate_estimate",
    "truncate",
]
