"""What replicates show of the noise, before any surrogate is fitted.

Measurements of one point differ by noise alone, whatever f is. Where replicates are exactly equal
the system is deterministic, and what a smooth surrogate does not explain is ruggedness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from stoic.checks import Array
from stoic.surrogate.hyper import Prior
from stoic.surrogate.rows import distinct

__all__ = ["informed", "replicate_errors"]

_NORMAL_MEDIAN = 0.6745  # of |e| for standard normal e


@dataclass(frozen=True)
class ReplicateRule:
    """What replicates count for; chosen on noise-free BBOB and the develop set (benchmarks/robust).

    With n errors of a median size that stands for a noise variance v, the mean of log s² becomes
    (n·log v + k·m)/(n + k), where m is the prior's.
    """

    prior_errors: float = 4.0  # k
    prior_errors_if_equal: float = 1.0  # k, where replicates are exactly equal
    min_errors: int = 4  # n, unless they are exactly equal: few differ little by chance
    min_equal: float = 0.8  # share of equal replicates that shows a deterministic system: a
    # clock with few digits makes some equal as well
    outlier: float = 5.0  # spreads of the values: a larger error does not count for that share
    min_distinct: float = 0.8  # distinct values per distinct point: fewer coincide by rounding
    min_error: float = 1e-4  # in spreads of the values
    min_spread: float = 0.5  # of log s² where replicates are exactly equal
    quiet: float = 2.0  # by which log s² must fall below the prior's for a micro part
    micro: float = -4.0  # mean of log b² then


_RULE = ReplicateRule()


def informed(prior: Prior, X: Array, z: Array) -> Prior:
    """A prior whose noise is that of the replicates, as far as there are any."""
    errors = replicate_errors(X, z)
    n, rule = len(errors), _RULE
    equal = n > 0 and _deterministic(errors, z)
    if n < rule.min_errors and not equal:
        return prior
    median = 0.0 if equal else float(np.median(np.abs(errors)))
    size = max(median / _NORMAL_MEDIAN, rule.min_error)
    k = rule.prior_errors_if_equal if equal else rule.prior_errors
    noise = (n * math.log(size**2) + k * prior.noise) / (n + k)
    spread = max(math.sqrt(2.0 / n), rule.min_spread) if equal else prior.noise_spread
    micro = rule.micro if noise < prior.noise - rule.quiet else prior.micro
    spread = min(spread, prior.noise_spread)
    return replace(prior, noise=noise, noise_spread=spread, micro=micro)


def replicate_errors(X: Array, z: Array) -> Array:
    """Each measurement of a point less the one before, divided by √2.

    >>> X = np.array([[0.1], [0.5], [0.1], [0.1]])
    >>> replicate_errors(X, np.array([1.0, 7.0, 1.0, 3.0])).round(2).tolist()
    [0.0, 1.41]
    """
    of = distinct(X)
    order = np.argsort(of, kind="stable")
    same = np.diff(of[order]) == 0
    errors: Array = np.diff(z[order])[same] / math.sqrt(2.0)
    return errors


def _deterministic(errors: Array, z: Array) -> bool:
    """Whether replicates are equal, and not because the values are coarse."""
    points, usual = len(z) - len(errors), errors[np.abs(errors) < _RULE.outlier]
    equal = len(usual) > 0 and float(np.mean(usual == 0.0)) >= _RULE.min_equal
    return equal and len(np.unique(z)) >= _RULE.min_distinct * points
