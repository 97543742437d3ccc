"""Student's t noise, whose tail index is ``df``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc, betaln

from stoic.checks import Array, number
from stoic.errors import InvalidInput
from stoic.lab.noise.additive import Additive, in_units
from stoic.lab.noise.base import noises
from stoic.lab.noise.quadrature import EVEN, integrate

__all__ = ["StudentT"]


@noises.register("student-t")
@dataclass(frozen=True)
class StudentT(Additive):
    """Student's t noise: y = f + scale·T, T of ``df`` degrees of freedom.

    E|X|^p = scale^p df^{p/2} Γ((p+1)/2) Γ((df−p)/2) / (√π Γ(df/2)) for p < df, else infinite.

    Parameters
    ----------
    df
        Degrees of freedom ν > 1, so that the mean exists.
    scale
        > 0.

    >>> noise = StudentT(3.0)
    >>> noise.central_moment(2.0, np.zeros(1)).round(6), noise.raw_moment(3.0, np.zeros(1))
    (array([3.]), array([inf]))
    """

    df: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        if number(self.df, "df") <= 1.0:
            raise InvalidInput(
                f"expected df above 1, got {self.df!r}: the mean of the payoffs would not exist; "
                "raise df"
            )
        number(self.scale, "scale", above=0.0)

    @property
    def tail_index(self) -> float:
        return self.df

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return self.scale * rng.standard_t(self.df, n)

    def absolute_moment(self, order: float) -> float:
        return float(np.power(self.scale, order) * np.exp(self._log_moment(order)))

    def _log_moment(self, order: float) -> float:
        # Γ((df−p)/2)/Γ(df/2) as a beta function, which stays exact for huge df
        log = order / 2.0 * math.log(self.df) + math.lgamma((order + 1.0) / 2.0)
        log += float(betaln((self.df - order) / 2.0, order / 2.0)) - math.lgamma(order / 2.0)
        return log - 0.5 * math.log(math.pi)

    def shifted_moment(self, order: float, f: Array) -> Array:
        """∫_0^z g(x)((z−x)^p + (z+x)^p) dx + ∫_z^∞ g(x)((x−z)^p + (x+z)^p) dx, z = |f|/scale.

        The part 2∫_z^∞ g(x) x^p dx of the second integral is an incomplete beta function. The
        remainder decays by x^{−2} faster, so that orders just below df are no harder than others.
        """
        z, unit = in_units(f, self.scale)
        log_unit = np.log(np.maximum(z, 1.0))
        a, b = (order + 1.0) / 2.0, (self.df - order) / 2.0
        near, far = z**2 / (self.df + z**2), self.df / (self.df + z**2)
        shares = np.where(near < far, betaincc(a, b, near), betainc(b, a, far))
        moment = shares * np.exp(self._log_moment(order) - order * log_unit)
        some = z > 0.0
        kink, log_unit = np.arcsinh(z[some]), log_unit[some]  # x = sinh s
        cut = math.asinh(9.0 + math.sqrt(order)) + 40.0 / (2.0 + self.df - order)
        about = (kink, z[some], log_unit)
        above, below = self._integrand(order, 1.0), self._integrand(order, -1.0)
        bulk = np.minimum(kink / 2.0, 4.0)  # z may be far from the bulk of the density

        def within(s: Array, kink: Array, *others: Array) -> Array:
            return below(kink - s, kink, *others)

        moment[some] += integrate(above, np.full_like(kink, min(20.0, cut)), *about)
        moment[some] += integrate(below, kink - bulk, *about)
        moment[some] += integrate(within, bulk, *about, rule=EVEN)
        return np.asarray(unit**order * moment)

    def _integrand(
        self, order: float, sign: float
    ) -> Callable[[Array, Array, Array, Array], Array]:
        """As a function of the distance d from the kink, x = sinh(kink ± d)."""
        constant = -float(betaln(self.df / 2.0, 0.5)) - 0.5 * math.log(self.df)

        def integrand(d: Array, kink: Array, z: Array, log_unit: Array) -> Array:
            x = np.sinh(kink + sign * d)
            gap = 2.0 * np.cosh(kink + sign * d / 2.0) * np.sinh(d / 2.0)  # |x − z|
            largest = x if sign > 0.0 else z
            log = order * (np.log(largest) - log_unit) + constant
            log = log - (self.df + 1.0) / 2.0 * np.log1p(x**2 / self.df)
            change = (gap / largest) ** order + ((x + z) / largest) ** order
            if sign > 0.0:
                change -= 2.0
            return np.asarray(np.exp(log) * np.sqrt(1.0 + x**2) * change)

        return integrand
