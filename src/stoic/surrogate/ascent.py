"""Many small maximisations at once: BFGS within bounds, all starts together.

A step evaluates every row once. SciPy's optimisers treat one start after the other, and their
bookkeeping takes longer than the evaluations here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stoic.checks import Array

__all__ = ["ascend"]

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class StepRule:
    """When a step is taken, when it is shortened, and when the search ends."""

    sufficient_gain: float = 1e-4  # share of the gain by the gradient (Armijo's usual constant)
    shortening: float = 0.3  # factor on the next step of a row that gained less
    bound_distance: float = 1e-12  # in a coordinate: what is nearer to a bound is on it
    final_gain: float = 1e-7  # in units of the score: the search ends when no row gains more


_RULE = StepRule()


def ascend(
    score: Callable[[Array], tuple[Array, Array]],
    starts: Array,
    low: Array,
    high: Array,
    *,
    steps: int,
    max_step: float,
) -> tuple[Array, Array]:
    """Local maxima uphill of each row of ``starts``, and the scores there.

    Parameters
    ----------
    score
        Maps (m, d) points to m values and (m, d) gradients, row by row.
    starts
        (m, d) points within the bounds.
    low, high
        Bounds of each coordinate.
    steps
        Evaluations after the first.
    max_step
        The most by which a coordinate changes in one step.
    """
    X = starts.copy()
    f, g = score(X)
    m, d = X.shape
    H = np.broadcast_to(np.eye(d), (m, d, d)).copy()  # inverse curvature of each row
    fresh = np.ones(m, dtype=bool)
    length = np.ones((m, 1))
    for _ in range(steps):
        stuck = ((low + _RULE.bound_distance >= X) & (g < 0.0)) | (
            (high - _RULE.bound_distance <= X) & (g > 0.0)
        )
        uphill = np.where(stuck, 0.0, g)
        p = np.where(stuck, 0.0, (H @ uphill[:, :, None])[:, :, 0])
        p = np.where((p * uphill).sum(1, keepdims=True) > 0.0, p, uphill)
        far = np.abs(p).max(1, keepdims=True)
        p *= max_step / np.maximum(far, np.where(fresh[:, None], 1e-300, max_step))
        trial = np.clip(X + length * p, low, high)
        moved = trial - X
        f_new, g_new = score(trial)
        gain = f_new - f
        better = gain >= _RULE.sufficient_gain * (g * moved).sum(1)  # NaN is not better
        better &= np.isfinite(g_new).all(1)
        _update_curvature(H, moved, g - g_new, better, fresh)
        X[better], f[better], g[better] = trial[better], f_new[better], g_new[better]
        length = np.where(better[:, None], 1.0, _RULE.shortening * length)
        if (better & (gain < _RULE.final_gain)).all():
            break
    return X, f


def _update_curvature(H: Array, s: Array, y: Array, rows: Flags, fresh: Flags) -> None:
    """BFGS update of the rows that moved, where the curvature is that of a hill."""
    sy = (s * y).sum(1)
    yy = (y * y).sum(1)
    rows = rows & (sy > 1e-10 * np.sqrt(yy * (s * s).sum(1))) & (sy > 0.0)
    if not rows.any():
        return
    first = rows & fresh
    H[first] *= (sy[first] / yy[first])[:, None, None]
    fresh[rows] = False
    s, y, r = s[rows], y[rows], 1.0 / sy[rows][:, None, None]
    A = np.eye(s.shape[1]) - r * s[:, :, None] * y[:, None, :]
    H[rows] = A @ H[rows] @ A.swapaxes(1, 2) + r * s[:, :, None] * s[:, None, :]
