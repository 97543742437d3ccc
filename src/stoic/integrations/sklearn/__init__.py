"""Stoic inside scikit-learn: a robust regressor, and a search by cross-validation."""

from stoic.errors import MissingExtra

try:
    import sklearn as _sklearn  # noqa: F401 - only whether it is there
except ImportError as missing:
    raise MissingExtra.of("scikit-learn", "RobustGPRegressor and StoicSearchCV", "sklearn") from (
        missing
    )

from stoic.integrations.sklearn.regressor import RobustGPRegressor
from stoic.integrations.sklearn.search import LuckiestCandidate
from stoic.integrations.sklearn.search_cv import StoicSearchCV

__all__ = ["LuckiestCandidate", "RobustGPRegressor", "StoicSearchCV"]
