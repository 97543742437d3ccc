"""Alpha-stable noise.

Chambers, Mallows, Stuck, *A method for simulating stable random variables*, JASA 1976.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, number
from stoic.errors import InvalidInput
from stoic.lab.noise.additive import Additive, in_units
from stoic.lab.noise.base import noises
from stoic.lab.noise.light import Gaussian
from stoic.lab.noise.quadrature import ARMS_PER_CHUNK, panels

__all__ = ["AlphaStable"]

Complex = NDArray[np.complex128]
NEGLIGIBLE_EXPONENT = 40.0  # e^{−40} is below rounding
MAX_SKEW = 100.0  # of |β tan(πα/2)|; the integration ray grows with it
SERIES_BELOW = 0.25  # |u| below which differences of exponentials use their series


@noises.register("alpha-stable")
@dataclass(frozen=True)
class AlphaStable(Additive):
    """α-stable noise of mean zero: E e^{iuX} = exp(−|scale·u|^α (1 − iβ sgn(u) tan(πα/2))).

    This is S(α, β, scale, 0) in the first parametrisation, whose location is the mean for α > 1.
    With α = 2 it is Gaussian of standard deviation √2·scale. Moments of order α < 2 and above
    are infinite; for p < α, with ψ = arctan(β tan(πα/2)),
    E|X|^p = scale^p 2^p Γ((1+p)/2) Γ(1−p/α) / (√π Γ(1−p/2)) · cos(ψ)^{−p/α} cos(pψ/α).

    Moments about other points integrate the characteristic function along a rotated ray, whose
    length grows with |β tan(πα/2)|. So does the distance between the mode and the mean.

    Parameters
    ----------
    alpha
        Tail index α in (1, 2].
    beta
        Skewness β in [−1, 1], such that |β tan(πα/2)| ≤ 100 (α ≥ 1.0064 for β = ±1).
    scale
        > 0.

    >>> noise = AlphaStable(1.5)
    >>> noise.central_moment(1.0, np.zeros(1)).round(6)  # 2Γ(1/3)/π
    array([1.705465])
    >>> noise.raw_moment(1.5, np.ones(1))
    array([inf])
    """

    alpha: float
    beta: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if number(self.alpha, "alpha", at_most=2.0) <= 1.0:
            raise InvalidInput(
                f"expected alpha above 1, got {self.alpha!r}: the mean of the payoffs would not "
                "exist; raise alpha"
            )
        number(self.beta, "beta", at_least=-1.0, at_most=1.0)
        number(self.scale, "scale", above=0.0)
        skew = self.beta * math.tan(math.pi * self.alpha / 2.0)
        if abs(skew) > MAX_SKEW:
            raise InvalidInput(
                f"expected |beta·tan(π·alpha/2)| of at most {MAX_SKEW:g}, got {abs(skew):g}; "
                "raise alpha or bring beta closer to 0"
            )

    @property
    def tail_index(self) -> float:
        return self.alpha if self.alpha < 2.0 else math.inf

    @property
    def symmetric(self) -> bool:
        return self.beta == 0.0 or self.alpha == 2.0

    @property
    def _psi(self) -> float:
        return math.atan(self.beta * math.tan(math.pi * self.alpha / 2.0))

    @property
    def _gaussian(self) -> Gaussian:
        return Gaussian(math.sqrt(2.0) * self.scale)

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        """By the method of Chambers, Mallows and Stuck."""
        if self.alpha == 2.0:
            return self._gaussian.draw(rng, n)
        a, shift = self.alpha, self._psi / self.alpha
        v = math.pi * (rng.random(n) - 0.5)
        w = rng.standard_exponential(n)
        angle = a * (v + shift)
        # the cosine is ≥ 0; at the very ends of v rounding could make it negative
        power = (w / np.maximum(np.cos(v - angle), 1e-17)) ** ((a - 1.0) / a)
        spread = self.scale * math.cos(self._psi) ** (-1.0 / a)
        return np.asarray(spread * np.sin(angle) / np.cos(v) ** (1.0 / a) * power)

    def absolute_moment(self, order: float) -> float:
        if self.alpha == 2.0:
            return self._gaussian.absolute_moment(order)
        p, ratio = order, order / self.alpha
        log = p * math.log(2.0) + math.lgamma((1.0 + p) / 2.0) + math.lgamma(1.0 - ratio)
        log -= 0.5 * math.log(math.pi) + math.lgamma(1.0 - p / 2.0)
        log -= ratio * math.log(math.cos(self._psi))
        cosine = math.cos(ratio * self._psi)
        return float(np.power(self.scale, p) * np.exp(log) * cosine)

    def shifted_moment(self, order: float, f: Array) -> Array:
        if self.alpha == 2.0:
            return self._gaussian.shifted_moment(order, np.abs(f))
        spread = self.scale * math.cos(self._psi) ** (-1.0 / self.alpha)  # |1 − iβ tan|^{1/α}
        _, unit = in_units(f, spread)
        result = np.full(len(f), self.absolute_moment(order))
        for sign in (1.0, -1.0):
            side = sign * f > 0.0
            if side.any():
                f_, spread_ = np.abs(f[side]) / unit[side], spread / unit[side]
                moment = _about(order, self.alpha, -sign * self._psi, f_, spread_)
                result[side] = unit[side] ** order * moment
        return result


def _about(p: float, alpha: float, psi: float, f: Array, spread: Array) -> Array:
    """E|f + X|^p for E e^{iuX} = exp(−(spread·u)^α e^{iψ}), u > 0; max(f, spread) = 1, f > 0.

    |x|^p = C ∫_0^∞ (1 − cos(ux)) u^{−1−p} du for 0 < p < 2, C = 2Γ(1+p) sin(πp/2)/π. The
    terms of 1 − E e^{iu(f+X)} that converge slowly at either end (1 + u², iuf, −(fu)²/2 and
    −(spread·u)^α e^{iψ}) are damped by e^{−u²} and integrated in closed form. The remainder,
    O(u^{1+α}), is integrated along u = r e^{iθ}, where it does not oscillate.
    """
    theta = min(math.pi / 4.0, (math.pi / 2.0 - psi) / alpha) / 2.0
    small, large = _ray(p, alpha, psi, theta)
    c = spread**alpha
    taken = math.gamma(1.0 - p / 2.0) * (1.0 / p - 0.5 + f**2 / 4.0)
    taken += c * math.cos(psi) * math.gamma((alpha - p) / 2.0) / 2.0
    rest = np.empty(len(f))
    for start in range(0, len(f), ARMS_PER_CHUNK):
        part = slice(start, start + ARMS_PER_CHUNK)
        drift, decay = f[part, None], c[part, None] * np.exp(1j * psi)
        rest[part] = _small_u(alpha, *small, drift, decay) + _large_u(alpha, *large, drift, decay)
    return np.asarray(2.0 * math.gamma(1.0 + p) * math.sin(math.pi * p / 2.0) / math.pi) * (
        taken + rest
    )


def _ray(
    p: float, alpha: float, psi: float, theta: float
) -> tuple[tuple[Complex, Complex], tuple[Complex, Complex]]:
    """Nodes u on the ray and weights u^{−1−p} du, for small and for large |u|."""
    low = math.log(SERIES_BELOW) - NEGLIGIBLE_EXPONENT / (1.0 + alpha - p)
    s, weight = panels(np.linspace(low, math.log(SERIES_BELOW), math.ceil(-low / 2.5)), 12)
    end = max(
        NEGLIGIBLE_EXPONENT / math.sin(theta),
        (NEGLIGIBLE_EXPONENT / math.cos(alpha * theta + psi)) ** (1.0 / alpha),
        8.0,
    )
    grid = np.concatenate([[SERIES_BELOW, 0.5, 1.0], np.linspace(2.0, end, math.ceil(end / 2.0))])
    r, dr = panels(grid, 12)
    ray = np.exp(1j * theta)
    u_small, u_large = ray * np.exp(s), ray * r
    return (u_small, weight * u_small**-p), (u_large, dr / r * u_large**-p)


def _small_u(alpha: float, u: Complex, weight: Complex, drift: Array, decay: Complex) -> Array:
    """The integral over small |u|, by series, so that no digits cancel."""
    a, b = 1j * drift * u, -decay * u**alpha
    w = a + b
    cubic = np.zeros_like(w)  # e^w − 1 − w − w²/2
    for k in range(16, 2, -1):
        cubic = (1.0 + cubic) * w / k
    cubic *= w**2 / 2.0
    v, damped = u**2, np.zeros_like(u)  # (1 + v)e^{−v} − 1
    for k in range(12, 1, -1):
        damped += (1.0 - k) * (-v) ** k / math.factorial(k)
    value = damped + np.expm1(-v) * (w + a**2 / 2.0) - cubic - b * (a + b / 2.0)
    return np.asarray((value @ weight).real)


def _large_u(alpha: float, u: Complex, weight: Complex, drift: Array, decay: Complex) -> Array:
    """The integral over large |u|, minus the subtracted terms, by powers of f and c."""
    damped = np.exp(-(u**2)) * weight
    power = u**alpha
    taken = damped @ (1.0 + u**2) + 1j * drift * (damped @ u) - decay * (damped @ power)
    taken = taken - drift**2 / 2.0 * (damped @ u**2)
    exponent = drift * (1j * u) - decay * power + np.log(weight)
    left = np.sum(np.exp(exponent.real) * np.cos(exponent.imag), axis=1)  # Re e^x, computed faster
    return np.asarray(taken[:, 0].real - left)
