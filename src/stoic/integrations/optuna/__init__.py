"""Stoic inside Optuna: a sampler, and an answer for the trials of any study."""

from stoic.errors import MissingExtra

try:
    import optuna as optuna
except ImportError as missing:
    raise MissingExtra.of("optuna", "StoicSampler", "optuna") from missing

from stoic.integrations.optuna.recommendation import Recommendation, recommend
from stoic.integrations.optuna.sampler import StoicSampler

__all__ = ["Recommendation", "StoicSampler", "recommend"]
