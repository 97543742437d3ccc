"""Which form of the exact posterior is the quickest for given points."""

from __future__ import annotations

from collections import deque

import numpy as np

from stoic.checks import Array
from stoic.features import SpanningMap
from stoic.kernels import Kernel
from stoic.kernels.stationary import Stationary
from stoic.posterior.dense import DensePosterior
from stoic.posterior.exact import ExactPosterior
from stoic.posterior.features import FeaturePosterior

__all__ = ["AnyPosterior", "exact_posterior", "spanning_map"]

_MOST_FEATURES = 128  # beyond it, columns of the points played are as quick
_SMALL = 0.1  # of the prior variance: below it, λ calls for more digits than features have
_NOT_SMALL = 0.5  # of the prior variance: from here on λ allows rank-one steps to be put off
_FEW_POINTS = 512  # up to here, the whole covariance is at hand at little cost
_LATELY: deque[tuple[Array, SpanningMap]] = deque(maxlen=2)  # points and their map, for other runs
_MOST_POINTS = 50_000  # beyond it, looking for features would be felt at the start


AnyPosterior = ExactPosterior | DensePosterior | FeaturePosterior


def exact_posterior(kernel: Kernel, points: Array, lam: float) -> AnyPosterior:
    """The exact posterior of tracked points, on few features where the kernel is that smooth."""
    map = spanning_map(kernel, points, lam)
    if map is not None:
        return FeaturePosterior(kernel, points, lam, map)
    prior = float(kernel.diag(points).max(initial=0.0))
    if 0 < len(points) <= _FEW_POINTS and lam >= _NOT_SMALL * prior:
        return DensePosterior(kernel, points, lam)
    return ExactPosterior(kernel, points, lam)


def spanning_map(kernel: Kernel, points: Array, lam: float) -> SpanningMap | None:
    """Few features that span the kernel at the points, where there are such.

    They are out of the question where λ is small: what they leave out to rounding would be
    multiplied by 1/λ.
    """
    prior = float(kernel.diag(points).max(initial=0.0))
    if len(points) > _MOST_POINTS or not lam >= _SMALL * prior > 0.0:
        return None
    shared = isinstance(kernel, Stationary)  # others may hold a large matrix
    for at, map in tuple(_LATELY) if shared else ():  # other threads may add to it meanwhile
        if np.array_equal(at, points) and map.fits(kernel):
            return map
    found = SpanningMap.of(kernel, points, min(_MOST_FEATURES, len(points) // 4))
    if shared and found is not None:
        _LATELY.append((points.copy(), found))
    return found
