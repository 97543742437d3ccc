"""The functions of Theorem 2, on which no policy can beat the lower bound.

Chowdhury, Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019, Theorem 2
and Appendix C; after Scarlett, Bogunovic, Cevher, COLT 2017.

Notation, in one dimension on [0, 1]:

    H, h     the bump exp(−1/(1 − ω²)) on [−1, 1], and its inverse Fourier transform
    ζ        h < h(0)/2 beyond it
    g        (2Δ/h(0))·h(xζ/w), at most 2Δ, and below Δ beyond |x| = w
    s        ζ/w, the highest frequency in g
    M        functions f_1 … f_M, which are g shifted to the middles of M equal parts of [0, 1]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln

from stoic.checks import Array, choice, integer, number
from stoic.errors import InvalidInput
from stoic.lab.noise import LowerBoundPayoff
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.functions import make_kernel
from stoic.randomness import generator
from stoic.spaces import Arms

__all__ = ["bound_exponent", "lower_bound"]

_CHOICE_STREAM = 131  # stream of the trial's randomness
_NODES = 512
_BUMP_RADIUS = 1500.0  # |h| < 1e-15·h(0) beyond it

# The midpoint rule on (0, 1), by symmetry: exact to rounding for a smooth function that
# vanishes with all its derivatives at ±1, for h(x) as long as |x| < 2π·_NODES − _BUMP_RADIUS.
_OMEGA = (np.arange(_NODES) + 0.5) / _NODES
_LOG_BUMP = -1.0 / (1.0 - _OMEGA**2)
_BUMP = np.exp(_LOG_BUMP)


@problems.register("lower-bound")
def lower_bound(
    *,
    seed: int,
    horizon: int,
    kernel: str = "se",
    nu: float = 2.5,
    lengthscale: float = 0.2,
    order: float = 1.0,
    raw_moment: float = 1.0,
    norm_bound: float = 1.0,
    constant: float = 0.5,
    arms: int = 100,
) -> Problem:
    """One of the M functions of Theorem 2 with its payoffs; the trial draws j.

    f_j(x) = g(x − c_j), c_j = (j − ½)/M. The problem has its own noise, the two-valued
    payoff of Appendix C.2, with mean f and E|y|^{1+α} ≤ v.
    Δ = ½ (min{½, M/(4C²T)})^{α/(1+α)} v^{1/(1+α)}, and M is the largest number of functions that
    fit side by side.

    Parameters
    ----------
    seed, horizon
        The trial's number, and T.
    kernel, nu, lengthscale
        ``"se"``, or ``"matern"`` with smoothness ν.
    order, raw_moment
        α in (0, 1], and v > 0.
    norm_bound
        B > 0; the norm of g on the whole line is exactly that.
    constant
        C > 0 of the proof, an absolute constant without a given value. An arm at the maximum
        pays with probability M/(4C²T), with C = ½ once in T/M plays. A policy that spreads T
        plays evenly over the M parts then sees about one payoff of the right part.
    arms
        The least number of arms: they are the middles of cells, an odd number of cells in each
        part, so that all parts are alike and every maximum is an arm.

    Departures from print: with the printed step of the grid, w, any two neighbours share
    Δ-optimal points, since g ≥ Δ holds up to w on both sides. Our step is at least 2w, which
    halves M and changes no rate. We do not use the asymptotic formula for w: our w is the
    smallest at which the norm of g, (1/2π)∫|G|²/S with the kernel's spectral density S, is B.

    >>> problem = lower_bound(seed=1, horizon=1000)
    >>> len(problem.domain), round(problem.optimum, 3)
    (105, 0.071)
    """
    alpha = number(order, "order", above=0.0, at_most=1.0)
    v = number(raw_moment, "raw_moment", above=0.0)
    B = number(norm_bound, "norm_bound", above=0.0)
    C = number(constant, "constant", above=0.0)
    T = integer(horizon, "horizon", at_least=1)
    k = make_kernel(kernel, lengthscale, nu)
    log_norm = _log_norm(kernel, number(lengthscale, "lengthscale", above=0.0), nu)

    def gap(M: int) -> float:
        """Δ, eq. (20)."""
        share = min(0.5, M / (4.0 * C * C * T))
        return 0.5 * math.pow(share, alpha / (1.0 + alpha)) * math.pow(v, 1.0 / (1.0 + alpha))

    M, w = _largest_family(log_norm, gap, B)
    delta = gap(M)
    j = int(generator(seed, 0, _CHOICE_STREAM).integers(M))
    cells = math.ceil(integer(arms, "arms", at_least=1) / M)
    cells += 1 - cells % 2  # of each part, odd
    x = (np.arange(M * cells) + 0.5) / (M * cells)
    centre = x[j * cells + cells // 2]  # c_j, exactly
    return Problem(
        Arms(x),
        k,
        2.0 * delta * _shape((x - centre) * (_zeta() / w)),
        norm_bound=B,
        norm=B,
        noise=LowerBoundPayoff(alpha, v, delta),
        constants={"moment_order": alpha, "raw_moment": v},
    )


def bound_exponent(kernel: str, nu: float = 2.5, order: float = 1.0, d: int = 1) -> float:
    """The exponent of T in Theorem 2, logarithms aside.

    1/(1+α) for the SE kernel, (ν + dα)/(ν(1+α) + dα) for Matérn.

    >>> bound_exponent("se"), round(bound_exponent("matern", nu=2.5), 3)
    (0.5, 0.583)
    """
    alpha = number(order, "order", above=0.0, at_most=1.0)
    if choice(kernel, "kernel", ("se", "matern")) == "se":
        return 1.0 / (1.0 + alpha)
    nu, d = number(nu, "nu", above=0.0), integer(d, "d", at_least=1)
    return (nu + d * alpha) / (nu * (1.0 + alpha) + d * alpha)


def _shape(x: Array) -> Array:
    """h(x)/h(0)."""
    near = np.abs(x) < _BUMP_RADIUS
    h = np.cos(np.outer(np.where(near, x, 0.0), _OMEGA)) @ _BUMP / _BUMP.sum()
    return np.where(near, h, 0.0)


@cache
def _zeta() -> float:
    """ζ: where h has fallen to h(0)/2; its later waves stay below h(0)/10."""
    return float(brentq(lambda x: float(_shape(np.array([x]))[0]) - 0.5, 1.0, 6.0, xtol=1e-14))


def _log_norm(kernel: str, lengthscale: float, nu: float) -> Callable[[float], float]:
    """The function ln s ↦ ln ‖g‖, for Δ = 1.

    g has the Fourier transform G(ω) = (2Δ/(h(0) s))·H(ω/s), and ‖g‖² = (1/2π)∫|G|²/S dω, hence
    ‖g‖² = (2Δ/h(0))²·(1/2πs)·∫H(u)²/S(su) du. It is convex in ln s: large s gives g
    frequencies that the kernel's functions lack, small s spreads g over the line.
    """
    height = 2.0 / (_BUMP.mean() / math.pi)  # 2/h(0)

    def log_norm(log_s: float) -> float:
        omega = _OMEGA * math.exp(log_s)
        terms = 2.0 * _LOG_BUMP + _log_inverse_density(omega, kernel, lengthscale, nu)
        top = float(terms.max())
        integral = 2.0 * float(np.mean(np.exp(terms - top)))
        return 0.5 * (math.log(integral / (2.0 * math.pi)) + top - log_s) + math.log(height)

    return log_norm


def _log_inverse_density(omega: Array, kernel: str, lengthscale: float, nu: float) -> Array:
    """Minus ln S(ω), where k(x) = (1/2π)∫S(ω) e^{iωx} dω."""
    if kernel == "se":  # S = √(2π) l exp(−l²ω²/2)
        squared: Array = 0.5 * (lengthscale * omega) ** 2
        return squared - math.log(math.sqrt(2.0 * math.pi) * lengthscale)
    # S = 2√π Γ(ν+½)/Γ(ν) · (2ν/l²)^ν · (2ν/l² + ω²)^{−(ν+½)}
    a = 2.0 * nu / lengthscale**2
    scale = math.log(2.0 * math.sqrt(math.pi)) + gammaln(nu + 0.5) - gammaln(nu)
    inverse: Array = (nu + 0.5) * np.log(a + omega**2) - nu * math.log(a) - scale
    return inverse


def _largest_family(
    log_norm: Callable[[float], float], gap: Callable[[int], float], B: float
) -> tuple[int, float]:
    """M, the largest number of functions that fit on [0, 1], and w.

    M functions fit if w ≤ 1/(2M). Δ and w grow with M; if M functions fit, fewer functions fit
    too. The norm decreases with w up to the w of ``widest`` and increases beyond it.
    """
    widest = float(minimize_scalar(log_norm, bounds=(-60.0, 60.0), method="bounded").x)

    def excess(M: int, log_s: float) -> float:
        return log_norm(log_s) + math.log(gap(M) / B)

    def fits(M: int) -> bool:
        return excess(M, max(math.log(2.0 * M * _zeta()), widest)) <= 0.0

    if not fits(2):
        raise InvalidInput(
            f"expected a setting in which two functions fit, of norm {B:g} and height "
            f"{2 * gap(2):.3g} on [0, 1], got fewer; take a longer horizon, a larger "
            "norm_bound, a smaller raw_moment or a shorter lengthscale"
        )
    low, high = 2, 4
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    narrow = steep = max(math.log(2.0 * low * _zeta()), widest)
    while excess(low, steep) <= 0.0:
        steep += 0.5
    log_s = brentq(lambda y: excess(low, y), narrow, steep, xtol=1e-13)
    return low, _zeta() / math.exp(float(log_s))
