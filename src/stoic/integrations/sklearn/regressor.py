"""A regressor for scikit-learn that outliers do not move."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from stoic.checks import number
from stoic.parallel import one_thread
from stoic.surrogate.regression import Regression

__all__ = ["RobustGPRegressor"]


class RobustGPRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian-process regression that outliers do not move, without settings.

    Length-scales, smoothness, noise and the weight of each sample are learned; inputs and targets
    may have any scale. For up to a few thousand samples (the cost is cubic). It predicts what a
    typical measurement shows; targets that span decades need a logarithm before.

    Parameters
    ----------
    coverage
        The share of the true values that ``return_interval`` is to cover.

    Attributes
    ----------
    outliers_
        (n_samples,) mask: the samples that the others contradict.
    weights_
        (n_samples,): from 1 for ordinary samples towards 0 for outliers.
    noise_std_
        The standard deviation of ordinary noise.

    >>> X = np.linspace(0.0, 6.0, 25)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> y[7] = 50.0
    >>> model = RobustGPRegressor().fit(X, y)
    >>> np.flatnonzero(model.outliers_).tolist()
    [7]
    >>> mean, interval = model.predict(X, return_interval=True)
    >>> interval.shape, bool(abs(mean[7] - np.sin(X[7, 0])) < 0.05)
    ((25, 2), True)
    """

    def __init__(self, coverage: float = 0.9) -> None:
        self.coverage = coverage

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples, of which some targets may be outliers."""
        number(self.coverage, "coverage", above=0.0, at_most=1.0 - 1e-9)
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        with one_thread():
            self.regression_ = Regression(X, np.asarray(y, dtype=np.float64))
            self.outliers_ = self.regression_.outliers
        self.weights_ = self.regression_.best.gp.weights
        self.noise_std_ = self.regression_.noise_std
        return self

    def predict(self, X: Any, return_std: bool = False, return_interval: bool = False) -> Any:
        """The function at the rows of X, with its standard deviation or an interval if wanted.

        Both are of the function, without the noise of a measurement. The interval is an
        (n_samples, 2) array.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        with one_thread():
            mean, std = self.regression_.predict(X)
        found = [mean]
        if return_std:
            found.append(std)
        if return_interval:
            side = NormalDist().inv_cdf(0.5 + self.coverage / 2.0) * std
            found.append(np.column_stack([mean - side, mean + side]))
        return tuple(found) if len(found) > 1 else mean
