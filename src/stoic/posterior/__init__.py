"""Posteriors: which arms were played → std, logdet, gain. They never see a payoff."""

from stoic.posterior.base import Posterior, Step
from stoic.posterior.dense import DensePosterior
from stoic.posterior.design import rare_switching_design
from stoic.posterior.exact import ExactPosterior
from stoic.posterior.features import FeaturePosterior
from stoic.posterior.quickest import AnyPosterior, exact_posterior, spanning_map
from stoic.posterior.sketch import (
    few_quadrature_features,
    fixed_posterior,
    sketched_posterior,
)
from stoic.posterior.weighted import WeightedPosterior

__all__ = [
    "AnyPosterior",
    "DensePosterior",
    "ExactPosterior",
    "FeaturePosterior",
    "Posterior",
    "Step",
    "WeightedPosterior",
    "exact_posterior",
    "few_quadrature_features",
    "fixed_posterior",
    "rare_switching_design",
    "sketched_posterior",
    "spanning_map",
]
