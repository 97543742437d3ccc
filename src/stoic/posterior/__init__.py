"""Posteriors: which arms were played → std, logdet, gain. They never see a payoff."""

from stoic.posterior.base import Posterior, Step
from stoic.posterior.design import rare_switching_design
from stoic.posterior.exact import ExactPosterior
from stoic.posterior.features import FeaturePosterior

__all__ = ["ExactPosterior", "FeaturePosterior", "Posterior", "Step", "rare_switching_design"]
