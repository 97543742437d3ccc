"""Posteriors on the features of a sketch: a dictionary that is empty at first, or fixed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput
from stoic.features import (
    FixedMap,
    GrowingMap,
    NystromMap,
    QuadratureMap,
    SpannedGrowingMap,
)
from stoic.kernels import Kernel
from stoic.posterior.features import FeaturePosterior
from stoic.posterior.quickest import spanning_map
from stoic.spaces import Arms, Domain

__all__ = ["few_quadrature_features", "fixed_posterior", "sketched_posterior"]

_BOX_POINTS = 512  # points of a box, at which features are reduced to their span
_MIN_RIDGE = 0.1  # of the prior variance: below it, λ needs more digits than features have
_MAX_POINTS = 50_000  # beyond it, the reduction to their span delays the first round
_FEW_FEATURES = 512  # before the reduction


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
    kernel: Kernel,
    domain: Domain,
    lam: float,
    make: Callable[[Array, Array], FixedMap],
    *,
    root: bool = True,
) -> FeaturePosterior:
    """A posterior on features that stay as they are.

    ``make`` makes their map from the two corners of the domain; ``root`` as above.
    """
    if isinstance(domain, Arms):
        points = filling = domain.X
    else:
        points, filling = np.zeros((0, domain.dimension)), domain.spread(_BOX_POINTS, 0)
    map = make(*_corners(domain))
    map.reduce(filling)
    return FeaturePosterior(kernel, points, lam, map, root=root)


def few_quadrature_features(kernel: Kernel, domain: Domain, lam: float) -> bool:
    """Whether quadrature features represent the kernel to rounding, and soon.

    They don't for other kernels than the squared exponential, for small ridges λ, which need more
    digits than features have, and for short length-scales in several dimensions.
    """
    points = domain.X if isinstance(domain, Arms) else domain.landmarks()
    prior = float(kernel.diag(points).max())
    if lam < _MIN_RIDGE * prior or len(points) > _MAX_POINTS:
        return False
    try:
        return QuadratureMap.size_for(kernel, *_corners(domain)) <= _FEW_FEATURES
    except InvalidInput:
        return False


def _corners(domain: Domain) -> tuple[Array, Array]:
    if isinstance(domain, Arms):
        return domain.X.min(axis=0), domain.X.max(axis=0)
    return domain.low, domain.high
