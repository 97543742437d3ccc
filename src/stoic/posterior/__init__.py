"""Posteriors: which arms were played → std, logdet, gain. They never see a payoff."""

from stoic.posterior.base import Posterior, Step
from stoic.posterior.dense import DensePosterior
from stoic.posterior.design import rare_switching_design
from stoic.posterior.exact import ExactPosterior
from stoic.posterior.features import FeaturePosterior
from stoic.posterior.quickest import AnyPosterior, exact_posterior, spanning_map
from stoic.posterior.sketch import fixed_posterior, sketched_posterior

__all__ = [
    "AnyPosterior",
    "DensePosterior",
    "ExactPosterior",
    "FeaturePosterior",
    "Posterior",
    "Step",
    "exact_posterior",
    "fixed_posterior",
    "rare_switching_design",
    "sketched_posterior",
    "spanning_map",
]
