"""Light sensors: find the brightest position."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.kernels import MatrixKernel, SquaredExponential
from stoic.lab.datasets import light_sensors as load
from stoic.lab.datasets.files import PathArgument
from stoic.lab.noise import Rows
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.tables import covariance
from stoic.spaces import Arms

__all__ = ["light_sensors"]


@problems.register("light-sensors")
def light_sensors(*, path: PathArgument = None) -> Problem:
    """The sensor experiment of Chowdhury & Gopalan, NeurIPS 2019, §6 (their Fig. 1e).

    A payoff is the sensor's level in a random test reading, f the mean test level, K the
    covariance of the standardised training readings. B = max f and v = mean squared test level;
    regret is reported in units of max f, as the authors' script does. The levels are not
    heavy-tailed (median excess kurtosis −1.4).

    For quadrature features, which need coordinates, the view ``"coordinates"`` has the sensors'
    positions scaled to [0, 1]² and a squared exponential kernel with ℓ² = 0.1.

    Parameters
    ----------
    path
        As in :func:`stoic.lab.datasets.light_sensors`.
    """
    data = load(path)
    kernel = MatrixKernel(covariance(data.train))
    f: Array = data.test.mean(axis=0)
    low, high = data.coordinates.min(axis=0), data.coordinates.max(axis=0)
    positions = (data.coordinates - low) / (high - low)
    brightest = float(f.max())
    return Problem(
        domain=Arms.matrix(kernel),
        kernel=kernel,
        f=f,
        norm_bound=brightest,
        noise=Rows(data.test),
        constants={"moment_order": 1.0, "raw_moment": float(np.mean(data.test**2))},
        unit=brightest,
        views={"coordinates": (Arms(positions), SquaredExponential(math.sqrt(0.1)))},
    )
