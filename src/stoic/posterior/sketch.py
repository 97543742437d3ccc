"""Posteriors on the features of a sketch: a dictionary that is empty at first, or fixed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stoic.checks import Array, IntArray
from stoic.features import FixedMap, GrowingMap, NystromMap, SpannedGrowingMap
from stoic.kernels import Kernel
from stoic.posterior.features import FeaturePosterior
from stoic.posterior.quickest import spanning_map
from stoic.spaces import Arms, Domain

__all__ = ["fixed_posterior", "sketched_posterior"]

_BOX_POINTS = 512  # points of a box, at which features are reduced to their span


def sketched_posterior(
    kernel: Kernel, points: Array, lam: float, *, grows: bool, root: bool
) -> FeaturePosterior:
    """A posterior on Nyström features of an empty dictionary.

    Parameters
    ----------
    kernel, points, lam
        k, the (A, d) tracked points and λ.
    grows
        Whether points will join the dictionary more often than it is drawn again.
    root
        Whether V^{-½} itself will be asked for.
    """
    span = spanning_map(kernel, points, lam)
    nothing: IntArray = np.zeros(0, dtype=np.int64)
    empty: NystromMap | GrowingMap
    if root or not grows:
        coordinates = None if span is None else span.features(points).psi
        empty = NystromMap(kernel, points, nothing, span=coordinates, grows=grows)
    elif span is None:
        empty = GrowingMap(kernel, points, nothing)
    else:
        empty = SpannedGrowingMap(kernel, points, nothing, span=span)
    return FeaturePosterior(kernel, points, lam, empty, root=root)


def fixed_posterior(
    kernel: Kernel, domain: Domain, lam: float, make: Callable[[Array, Array], FixedMap]
) -> FeaturePosterior:
    """A posterior on features that stay as they are.

    ``make`` makes their map from the two corners of the domain.
    """
    if isinstance(domain, Arms):
        points = filling = domain.X
        low, high = points.min(axis=0), points.max(axis=0)
    else:
        points, filling = np.zeros((0, domain.dimension)), domain.spread(_BOX_POINTS, 0)
        low, high = domain.low, domain.high
    map = make(low, high)
    map.reduce(filling)
    return FeaturePosterior(kernel, points, lam, map, root=True)
