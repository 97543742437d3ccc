"""Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019."""

from stoic.lab.experiments.catalogue.chowdhury2019 import synthetic
from stoic.lab.experiments.catalogue.chowdhury2019.lower_bound import LOWER_BOUND
from stoic.lab.experiments.catalogue.chowdhury2019.random_features import RANDOM_FEATURES
from stoic.lab.experiments.catalogue.chowdhury2019.real_data import SENSORS, STOCKS
from stoic.lab.experiments.catalogue.chowdhury2019.truncation import (
    TRUNCATION,
    LogWidth,
    RootLogWidth,
)

__all__ = ["REPRODUCTIONS", "LogWidth", "RootLogWidth"]

REPRODUCTIONS = (
    *synthetic.REPRODUCTIONS,
    STOCKS,
    SENSORS,
    TRUNCATION,
    LOWER_BOUND,
    RANDOM_FEATURES,
)
