"""Scales on which far values count less: compressed z, and a log-compressed scale of values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array

__all__ = ["COMPRESSION", "compressed", "decades", "log_compressed", "mad"]

_MAD_TO_STD = 1.4826  # for normal values


@dataclass(frozen=True)
class Compression:
    """Where z is compressed; chosen on the develop set of benchmarks/robust."""

    linear: float = 30.0  # |z| up to which size alone compresses nothing
    beyond: float = 10.0  # by how much more |z| can grow, however far the value
    bad: float = 3.0  # below −bad, z is logarithmic: how bad a bad value is matters little


@dataclass(frozen=True)
class DecadesRule:
    """When a log-compressed scale is considered; chosen on the develop set of benchmarks/robust."""

    min_values: int = 6  # different ones
    min_gain: float = 4.0  # nats of likelihood over the linear scale
    linear_share: float = 0.25  # of the values, the best: among them the scale is linear


COMPRESSION = Compression()
_DECADES = DecadesRule()


def compressed(z: Array) -> tuple[Array, Array]:
    """z, nearly flat beyond ±30, logarithmic below −3; and the logarithms of its slopes."""
    c = COMPRESSION
    size = np.abs(z)
    far = size > c.linear
    rise = np.log(np.where(far, size, c.linear) / c.linear) / c.beyond
    slopes = np.where(far, -np.log(np.maximum(size, 1.0)) - 2.0 * np.log(np.cosh(rise)), 0.0)
    z = np.where(far, np.copysign(c.linear + c.beyond * np.tanh(rise), z), z)
    below = np.minimum(z + c.bad, 0.0)
    logs = np.log1p(-below / c.bad)
    return np.maximum(z, -c.bad) - c.bad * logs, slopes - logs


def log_compressed(y: Array, pivot: float, log_unit: float) -> Array:
    """v(y) with u = ``log_unit``: (y − pivot)/u above the pivot, −log(1 + (pivot − y)/u) below.

    With ``log_unit`` 0 the scale is linear, and v(y) = y.
    """
    if not log_unit > 0.0:
        return y
    with np.errstate(over="ignore"):
        below = (pivot / 2.0 - y / 2.0) / (log_unit / 2.0)
    below = np.clip(below, -1e300, 1e300)
    v: Array = np.where(below > 0.0, -np.log1p(np.maximum(below, 0.0)), -below)
    return v


def decades(y: Array) -> tuple[float, float]:
    """Pivot and log-unit of a log-compressed scale; (0, 0) if a linear one is more likely.

    The scale is linear among the best quarter of the values, whose range is the log-unit. Compares
    the likelihoods of Student-t distributions with two degrees of freedom.
    """
    y = np.unique(y)
    if len(y) < _DECADES.min_values or not 0.0 < mad(y) < 1e300:
        return 0.0, 0.0
    pivot = float(y[-1 - max(2, int(_DECADES.linear_share * len(y)))])
    log_unit = float(y[-1]) - pivot
    v = log_compressed(y, pivot, log_unit)
    slopes = float(np.minimum(v, 0.0).sum()) - len(y) * math.log(log_unit)  # log dv/dy
    gain = _log_likelihood(v) + slopes - _log_likelihood(y)
    return (pivot, log_unit) if gain > _DECADES.min_gain else (0.0, 0.0)


def _log_likelihood(v: Array) -> float:
    """The logarithm of the density of values, up to a constant of their number."""
    scale = mad(v)
    if not scale > 0.0:
        return -math.inf
    with np.errstate(over="ignore"):
        u = np.clip((v - np.median(v)) / scale, -1e100, 1e100)
    return -len(v) * math.log(scale) - 1.5 * float(np.log1p(u * u / 2.0).sum())


def mad(y: Array) -> float:
    """The median absolute deviation, as an estimate of the standard deviation."""
    return _MAD_TO_STD * float(np.median(np.abs(y - np.median(y))))
