"""Choose the fastest form of the exact posterior for given points."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.features import SpanningMap
from stoic.kernels import Kernel
from stoic.kernels.stationary import Stationary
from stoic.posterior.dense import DensePosterior
from stoic.posterior.exact import ExactPosterior
from stoic.posterior.features import FeaturePosterior

__all__ = ["AnyPosterior", "exact_posterior", "spanning_map"]


@dataclass(frozen=True)
class _Limits:
    """Limits beyond which another form is faster; ridges λ are shares of the prior variance."""

    max_features: int = 128  # beyond it, columns of the points played are as quick
    max_feature_points: int = 50_000  # beyond it, the search for features delays the first round
    min_feature_ridge: float = 0.1  # below it, λ needs more digits than features have
    max_dense_points: int = 512  # up to here, the whole covariance costs little
    min_dense_ridge: float = 0.5  # from here on, rank-one steps may be put off


_LIMITS = _Limits()
_RECENT_MAPS: deque[tuple[Array, SpanningMap]] = deque(maxlen=2)  # points and map, for other runs


AnyPosterior = ExactPosterior | DensePosterior | FeaturePosterior
"""A posterior of any form; the forms agree where they are defined."""


def exact_posterior(kernel: Kernel, points: Array, lam: float) -> AnyPosterior:
    """The exact posterior of tracked points, on few features where the kernel is that smooth."""
    map = spanning_map(kernel, points, lam)
    if map is not None:
        return FeaturePosterior(kernel, points, lam, map)
    prior = float(kernel.diag(points).max(initial=0.0))
    if 0 < len(points) <= _LIMITS.max_dense_points and lam >= _LIMITS.min_dense_ridge * prior:
        return DensePosterior(kernel, points, lam)
    return ExactPosterior(kernel, points, lam)


def spanning_map(kernel: Kernel, points: Array, lam: float) -> SpanningMap | None:
    """Few features that span the kernel at the points, or None.

    There are none where λ is small: the rounding error that they leave out would be multiplied
    by 1/λ.
    """
    prior = float(kernel.diag(points).max(initial=0.0))
    if len(points) > _LIMITS.max_feature_points:
        return None
    if not lam >= _LIMITS.min_feature_ridge * prior > 0.0:
        return None
    shared = isinstance(kernel, Stationary)  # others may hold a large matrix
    for at, map in tuple(_RECENT_MAPS) if shared else ():  # other threads may add to it meanwhile
        if np.array_equal(at, points) and map.fits(kernel):
            return map
    found = SpanningMap.of(kernel, points, min(_LIMITS.max_features, len(points) // 4))
    if shared and found is not None:
        _RECENT_MAPS.append((points.copy(), found))
    return found
