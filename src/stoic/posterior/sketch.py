"""Posteriors on the features of a sketch: a dictionary that is empty at first, or quadrature."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray
from stoic.features import GrowingMap, NystromMap, QuadratureMap, SpannedGrowingMap
from stoic.kernels import Kernel
from stoic.posterior.features import FeaturePosterior
from stoic.posterior.quickest import spanning_map
from stoic.spaces import Arms, Domain

__all__ = ["quadrature_posterior", "sketched_posterior"]

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


def quadrature_posterior(
    kernel: Kernel, domain: Domain, lam: float, nodes: int | None
) -> FeaturePosterior:
    """A posterior on quadrature Fourier features; None: as many nodes as the kernel needs."""
    if isinstance(domain, Arms):
        points = filling = domain.X
        low, high = points.min(axis=0), points.max(axis=0)
    else:
        points, filling = np.zeros((0, domain.dimension)), domain.spread(_BOX_POINTS, 0)
        low, high = domain.low, domain.high
    map = QuadratureMap(kernel, low, high, nodes)
    map.reduce(filling)
    return FeaturePosterior(kernel, points, lam, map, root=True)
