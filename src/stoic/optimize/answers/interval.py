"""The 90% interval of the mean of the metric at a point.

All in z, where higher is better, with

    m_i, v_i, p_i   mean, variance and weight of the i-th fitted surrogate at the point
    μ, e            mean of the noise about its ordinary part, and its standard error
    n, w            the number of measurements, and the sum of their weights
    r               the mean residual of the measurements near the point
    k               by how much m_1 rises with length-scales half as long
    [·]             1 if true, else 0

the interval is (centre − low, centre + high):

    c      = μ² / (μ² + (e/2)²)                        how certain it is that the noise is skewed
    centre = m_1 + c·μ
    σ²     = Σ_i p_i·(v_i + (m_i − m_1)²)
    low    = hypot(a₋·σ, b₋·e·(1 + c·(1 + [μ < 0])))·max(N/max(w, 1), 1)^¼
    side   = hypot(a₊·σ, b₊·e·(1 + c·(1 + [μ > 0])))
    top    = (g·max(r, 0) + q·max(k, 0))·√max(N/n, 1)
    high   = hypot(side, top)·(1 + h·(1 − w/n))

σ is what the surrogates do not know, and how far they disagree. The error of the noise's mean
counts for more where the noise is skewed, since a tail may be outliers, and most on the side of
the tail, of which a few measurements never show the whole. ``low`` counts more of both: the point
is the best of many. ``top`` is there because a smooth surrogate rounds off a sharp top, and never
the opposite. Both sides are wider while fewer than N measurements have shown the length-scales,
and the upper one the more outliers there are, since some may hide a higher top.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.checks import Array
from stoic.optimize.model import Model

__all__ = ["interval", "skew_shift"]


@dataclass(frozen=True)
class IntervalRule:
    """The constants of the interval.

    Chosen so that nine in ten intervals hold the truth on 1,462 runs of
    ``benchmarks/robust/run.py --set develop``, after 30 and after 60 measurements; the form was
    chosen by quantile regression there (benchmarks/results/robust.md, "Intervals on fresh seeds").
    """

    low_surrogate: float = 2.1  # a₋, standard deviations of the surrogates
    low_noise: float = 1.4  # b₋, standard errors of the noise's mean
    high_surrogate: float = 1.1  # a₊
    high_noise: float = 0.65  # b₊
    residual: float = 1.4  # g, what residuals near the point count for
    rise: float = 1.9  # q, what a rise with shorter length-scales counts for
    length_factor: float = 0.5  # of the length-scales, for k
    nearby: float = 5.0  # the least weight of the measurements that are near the point
    nearby_share: float = 1.0 / 6.0  # of w: the same
    enough: float = 60.0  # N, measurements that show the length-scales
    hidden: float = 2.0  # h, what the share of outliers counts for


_RULE = IntervalRule()


def interval(model: Model, point: Array) -> tuple[float, float, float]:
    """Centre of the interval at a point, and its half-widths below and above, in z."""
    gp, rule = model.gp, _RULE
    modes = [(p, *mode.predict(point[None])) for mode, p in model.modes()]
    m1 = float(modes[0][1][0])
    variance = sum(p * (float(v[0]) + (float(m[0]) - m1) ** 2) for p, m, v in modes)
    shift, e, c = _skew(model)
    std, left, right = math.sqrt(variance), shift < 0.0, shift > 0.0  # where a tail is
    low = math.hypot(rule.low_surrogate * std, rule.low_noise * e * (1.0 + c * (1 + left)))
    side = math.hypot(rule.high_surrogate * std, rule.high_noise * e * (1.0 + c * (1 + right)))
    n, w = len(gp), float(gp.weights.sum())
    r = gp.mean_residual(point, max(rule.nearby, rule.nearby_share * w))
    k = float(gp.rescaled(rule.length_factor, 1.0).mean(point[None])[0]) - m1
    top = rule.residual * max(r, 0.0) + rule.rise * max(k, 0.0)
    top *= math.sqrt(max(rule.enough / n, 1.0))
    low *= max(rule.enough / max(w, 1.0), 1.0) ** 0.25
    high = math.hypot(side, top) * (1.0 + rule.hidden * (1.0 - w / n))
    return m1 + shift, low, high


def skew_shift(model: Model) -> float:
    """c·μ: by how much skewed noise moves every estimate, in z."""
    return _skew(model)[0]


def _skew(model: Model) -> tuple[float, float, float]:
    """c·μ, e and c."""
    mu, e = model.fits[0].noise_mean
    c = mu**2 / (mu**2 + (0.5 * e) ** 2) if e > 0.0 else 0.0
    return c * mu, e, c
