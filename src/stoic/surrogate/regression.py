"""Robust regression of values at points in any units: where it predicts what, and how surely."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stoic.checks import Array
from stoic.surrogate.covariance import ROUGH
from stoic.surrogate.fitting import Fit, Start, fit
from stoic.surrogate.scaling import Scaling

__all__ = ["Regression"]

_STARTS = (
    Start(lengthscale=2.0),
    Start(clip=8.0, lengthscale=0.4),
    Start(clip=8.0, covariance=ROUGH, micro=-2.0),
)  # the cold starts of the optimiser's models
_MAX_Z = 40.0  # the widest component of the noise, in spreads of the values
_PREDICTED_ELEMENTS = 2**22  # of a covariance between points and measurements, at a time


@dataclass(frozen=True)
class OutlierRule:
    """When a measurement is an outlier; as for the suspects of the optimiser."""

    max_weight: float = 1.0 / 25.0  # that of an error of five times the ordinary deviation
    median_errors: float = 5.0  # the least error; however small the noise, half are not far
    min_measurements: int = 4  # of fewer, none is an outlier


_RULE = OutlierRule()


class Regression:
    """f | y for y_i = f(x_i) + noise with outliers: a mixture of robust Gaussian processes.

    Inputs are scaled to the unit cube of the data, values linearly to robust units. Fits from
    different starts are weighted by their evidence. Costs O(n³) for n measurements.

    Parameters
    ----------
    X
        (n, d) points, in any units.
    y
        Their values.

    >>> x = np.linspace(0.0, 6.0, 25)
    >>> y = np.sin(x)
    >>> y[7] = 50.0
    >>> found = Regression(x[:, None], y)
    >>> np.flatnonzero(found.outliers).tolist()
    [7]
    >>> mean, std = found.predict(x[:, None])
    >>> bool(np.abs(mean - np.sin(x)).max() < 0.05)
    True
    """

    def __init__(self, X: Array, y: Array) -> None:
        self._low, self._half_side = X.min(0), X.max(0) / 2.0 - X.min(0) / 2.0
        self._scaling = Scaling.of(y, len(y))
        z = np.clip(self._scaling.units(y), -_MAX_Z, _MAX_Z)
        U, groups = self._unit_cube(X), np.arange(X.shape[1])
        fits = [fit(U, z, groups, start=start) for start in _STARTS]
        self._fits = sorted(fits, key=lambda each: -each.evidence)

    def _unit_cube(self, X: Array) -> Array:
        """Points in the unit cube of the data; a column that is constant there becomes 0."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            U = (X / 2.0 - self._low / 2.0) / self._half_side
        scaled: Array = np.where(self._half_side > 0.0, np.clip(U, -1e6, 1e6), 0.0)
        return scaled

    @property
    def best(self) -> Fit:
        """The fit of the highest evidence."""
        return self._fits[0]

    @property
    def noise_std(self) -> float:
        """The standard deviation of ordinary noise, in units of y."""
        return math.sqrt(self.best.gp.hyper.noise) * self._unit

    @property
    def _unit(self) -> float:
        return math.ldexp(self._scaling.unit, self._scaling.exponent)

    @property
    def outliers(self) -> npt.NDArray[np.bool_]:
        """(n,): which measurements the others contradict."""
        gp = self.best.gp
        errors = np.abs(self.best.z - gp.left_out[0])
        far: npt.NDArray[np.bool_] = errors > _RULE.median_errors * np.median(errors)
        if len(gp) < _RULE.min_measurements:
            return np.zeros(len(gp), dtype=bool)
        return far & (gp.usualness < _RULE.max_weight)

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of f at the rows of X, in units of y."""
        U, rows = self._unit_cube(X), max(_PREDICTED_ELEMENTS // len(self.best.gp), 1)
        blocks = [self._block(U[i : i + rows]) for i in range(0, len(U), rows)]
        mean, std = (np.concatenate(part) for part in zip(*blocks, strict=True))
        return np.ldexp(self._scaling.centre + self._scaling.unit * mean, self._scaling.exponent), (
            std * self._unit
        )

    def _block(self, U: Array) -> tuple[Array, Array]:
        lead = np.array([each.evidence - self.best.evidence for each in self._fits])
        weights = np.exp(lead) / np.exp(lead).sum()
        means, variances = zip(*(each.gp.predict(U) for each in self._fits), strict=True)
        mean = np.einsum("i,ij->j", weights, np.array(means))
        gaps = (np.array(means) - mean) ** 2
        std: Array = np.sqrt(np.einsum("i,ij->j", weights, np.array(variances) + gaps))
        return mean, std
