"""Noises: their moments, their samples, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from stoic.checks import Array
from stoic.errors import InvalidInput, UnknownName
from stoic.lab.noise import (
    Additive,
    AlphaStable,
    Cells,
    Contamination,
    Gaussian,
    Lognormal,
    LowerBoundPayoff,
    Noise,
    NoNoise,
    ParetoPayoff,
    Rows,
    Spike,
    StudentT,
    SymmetrisedPareto,
    noises,
)

ADDITIVE: list[Additive] = [
    NoNoise(),
    Gaussian(0.7),
    Lognormal(0.8, 0.5),
    StudentT(3.0, 0.5),
    StudentT(30.0),
    SymmetrisedPareto(2.5, 0.7),
    SymmetrisedPareto(12.0),
    AlphaStable(1.5, scale=0.5),
    AlphaStable(1.7, beta=-0.6),
    AlphaStable(2.0, scale=0.3),
    Contamination(0.2, size=4.0, base=StudentT(4.0), side="up"),
    Contamination(0.2, size=4.0),
]
F = np.array([-3.0, -0.4, 0.0, 0.25, 1.0, 8.0])


def name(noise: object) -> str:
    return repr(noise)


def t_pdf(df: float, scale: float) -> Callable[[float], float]:
    top = math.exp(math.lgamma((df + 1.0) / 2.0) - math.lgamma(df / 2.0))
    top /= math.sqrt(math.pi * df) * scale
    return lambda x: top * float((1.0 + (x / scale) ** 2 / df) ** (-(df + 1.0) / 2.0))


def normal_pdf(std: float) -> Callable[[float], float]:
    return lambda x: math.exp(-((x / std) ** 2) / 2.0) / (math.sqrt(2.0 * math.pi) * std)


def pareto_pdf(shape: float, scale: float = 1.0) -> Callable[[float], float]:
    return lambda x: float(shape * (scale / x) ** shape / x) if x >= scale else 0.0


def moment_by_quad(
    pdf: Callable[[float], float], cuts: list[float], order: float, f: float
) -> float:
    """E|f + X|^order, the kink and the density's own cuts being ends of intervals."""
    ends = sorted({-math.inf, *cuts, -f, -f - 1.0, -f + 1.0, math.inf})
    return math.fsum(
        integrate.quad(
            lambda x: abs(f + x) ** order * pdf(x), a, b, epsabs=0.0, epsrel=1e-10, limit=400
        )[0]
        for a, b in pairwise(ends)
    )


def signed(most: float) -> st.SearchStrategy[float]:
    """Zero, or a number whose powers stay in the range of floats."""
    size = st.floats(1e-6, most)
    return st.one_of(st.just(0.0), size, size.map(lambda x: -x))


def close(found: Array, expected: Any, rtol: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=0.0)


# Moments against densities


@pytest.mark.parametrize("order", [0.2, 1.0, 1.5, 2.3, 5.0])
def test_gaussian_moments(order: float) -> None:
    expected = [moment_by_quad(normal_pdf(0.7), [0.0], order, f) for f in F]
    close(Gaussian(0.7).raw_moment(order, F), expected, 1e-8)
    close(Gaussian(0.7).central_moment(order, F), expected[2], 1e-8)


@pytest.mark.parametrize(
    ("df", "order"), [(3.0, 1.0), (3.0, 1.5), (3.0, 2.5), (1.2, 0.3), (20.0, 3.3)]
)
def test_student_moments(df: float, order: float) -> None:
    expected = [moment_by_quad(t_pdf(df, 0.5), [0.0], order, f) for f in F]
    close(StudentT(df, 0.5).raw_moment(order, F), expected, 1e-7)
    close(StudentT(df, 0.5).central_moment(order, F), expected[2], 1e-7)


@pytest.mark.parametrize(("df", "below"), [(3.0, 1e-3), (3.0, 1e-7), (10.5, 1e-2), (100.0, 0.1)])
def test_student_moments_just_below_the_tail_index(df: float, below: float) -> None:
    """E|z + T|^p = E|T|^p (1 + z²/ν)^{p/2} ₂F₁(−p/2, (1−ν+p)/2; ½; z²/(ν+z²))."""
    z, p = np.array([1e-9, 0.01, 0.5, 2.0, 10.0, 100.0]), df - below
    noise = StudentT(df)
    factor = special.hyp2f1(-p / 2.0, (1.0 - df + p) / 2.0, 0.5, z**2 / (df + z**2))
    expected = noise.central_moment(p, z) * (1.0 + z**2 / df) ** (p / 2.0) * factor
    close(noise.raw_moment(p, z), expected, 1e-10)
    closed = df**1.0 / (df - 2.0)
    close(noise.central_moment(2.0, z), closed, 1e-12)


def test_student_of_many_degrees_is_gaussian() -> None:
    z = np.array([0.0, 0.5, 3.0, 100.0])
    close(StudentT(1e9).raw_moment(3.3, z), Gaussian(1.0).raw_moment(3.3, z), 1e-7)


@pytest.mark.parametrize("sigma", [0.01, 0.8, 2.0])
@pytest.mark.parametrize("order", [0.3, 1.0, 1.5, 3.0])
def test_lognormal_moments(sigma: float, order: float) -> None:
    """By quadrature over Z rather than over the payoff."""
    mean, scale = math.exp(sigma**2 / 2.0), 0.5
    f = F * scale * mean * sigma

    def expected(f: float) -> float:
        kink = math.log(mean - f / scale) / sigma if f < scale * mean else 0.0
        ends = sorted({-12.0, -1.0, 0.0, 1.0, order * sigma, kink, 12.0 + order * sigma})
        return math.fsum(
            integrate.quad(
                lambda s: (
                    normal_pdf(1.0)(s) * abs(f + scale * (math.exp(sigma * s) - mean)) ** order
                ),
                a,
                b,
                epsabs=0.0,
                epsrel=1e-9,
                limit=200,
            )[0]
            for a, b in pairwise(ends)
        )

    raw = [expected(x) for x in f]
    close(Lognormal(sigma, scale).raw_moment(order, f), raw, 1e-6)
    close(Lognormal(sigma, scale).central_moment(order, f), raw[2], 1e-6)


@pytest.mark.parametrize("sigma", [1e-8, 1e-3, 0.5, 3.0, 6.0])
def test_lognormal_fourth_moment_is_the_closed_one(sigma: float) -> None:
    s = sigma**2
    kurtosis = math.exp(4.0 * s) + 2.0 * math.exp(3.0 * s) + 3.0 * math.exp(2.0 * s) - 3.0
    expected = (math.exp(s) * math.expm1(s)) ** 2 * kurtosis
    close(Lognormal(sigma).central_moment(4.0, F), expected, 1e-10)


@pytest.mark.parametrize(
    ("shape", "order"), [(2.5, 1.0), (2.5, 1.8), (1.31, 0.4), (1.31, 1.1), (9.0, 3.3), (9.0, 8.5)]
)
def test_symmetrised_pareto_moments(shape: float, order: float) -> None:
    centre, law = shape / (shape - 1.0), pareto_pdf(shape)
    cuts = [1.0 - centre, centre - 1.0]

    def pdf(x: float) -> float:
        return (law(x + centre) + law(centre - x)) / 2.0

    f = np.array([-3.0, 0.0, 0.1, 2.0])
    expected = [0.7**order * moment_by_quad(pdf, cuts, order, x / 0.7) for x in f]
    close(SymmetrisedPareto(shape, 0.7).raw_moment(order, f), expected, 1e-6)
    close(SymmetrisedPareto(shape, 0.7).central_moment(order, f), expected[1], 1e-6)


@pytest.mark.parametrize("below", [1e-2, 1e-5, 1e-9])
@pytest.mark.parametrize("z", [0.0, 0.3, 5.0, 1e5])
def test_symmetrised_pareto_moments_just_below_the_tail_index(below: float, z: float) -> None:
    """Twice E|z + X|^p, less twice the tail's ∫_1^∞ a y^{p−a−1} dy, by v = 1/y."""
    a = 1.5
    p, m = a - below, a / (a - 1.0)

    def rest(v: float) -> float:
        both = abs(1.0 - (m - z) * v) ** p + abs(1.0 - (m + z) * v) ** p
        return float(a * v ** (a - p - 1.0) * (both - 2.0))

    ends = sorted({0.0, 1.0, 1.0 / (m + z), min(1.0, 1.0 / abs(m - z)), 0.1 / (m + z)})
    found = math.fsum(
        integrate.quad(rest, u, v, epsabs=0.0, epsrel=1e-9)[0] for u, v in pairwise(ends)
    )
    expected = a / (a - p) + found / 2.0
    close(SymmetrisedPareto(a).raw_moment(p, np.array([z])), [expected], 1e-7)


@pytest.mark.parametrize("noise", [n for n in ADDITIVE if n.tail_index > 4.0], ids=name)
def test_the_expansion_of_even_orders_agrees_with_the_integral(noise: Additive) -> None:
    for order in (2.0, 4.0):
        f = np.abs(F[F != 0.0]) if noise.symmetric else F[F != 0.0]
        close(noise.shifted_moment(order, f), noise.raw_moment(order, f), 1e-9)


def composite(edges: Array) -> tuple[Array, Array]:
    """Gauss–Legendre between the edges."""
    x, w = np.polynomial.legendre.leggauss(12)
    half = np.diff(edges)[:, None] / 2.0
    return ((edges[1:] + edges[:-1])[:, None] / 2.0 + half * x).ravel(), (half * w).ravel()


@pytest.mark.parametrize(
    ("alpha", "beta", "order"),
    [(1.5, 0.0, 0.5), (1.5, 0.0, 1.4), (1.3, -1.0, 1.0), (1.8, 0.7, 1.5), (1.95, 1.0, 1.9)],
)
def test_stable_moments_against_the_density(alpha: float, beta: float, order: float) -> None:
    """The density by Fourier inversion on ±60, and by its expansion in x^{−nα−1} beyond."""
    bound, c = 60.0, 1.0 - 1j * beta * math.tan(math.pi * alpha / 2.0)
    f = np.array([-3.0, 0.0, 0.5, 7.0])
    near = 10.0 ** np.linspace(-6.0, -0.5, 12)
    u, du = composite(np.concatenate([[0.0], near, np.linspace(0.35, 45.0 ** (1.0 / alpha), 150)]))

    def density(x: Array) -> Array:
        phase = np.exp(-1j * np.outer(x, u) - c * u**alpha)
        return np.asarray((phase @ du).real / math.pi)

    def tail(y: float, coefficient: complex) -> float:
        terms = (
            (-coefficient) ** n
            * math.gamma(n * alpha + 1.0)
            / math.factorial(n)
            * (1j * y) ** (-n * alpha - 1.0)
            for n in range(1, 6)
        )
        return sum(terms).real / math.pi

    for centre, found in zip(f, AlphaStable(alpha, beta).raw_moment(order, f), strict=True):
        steps = np.concatenate([[0.0], 2.0 ** np.arange(-14.0, 0.0), np.arange(1.0, bound)])
        edges = np.unique(np.concatenate([-centre - steps, -centre + steps]))
        x, dx = composite(edges)
        expected = float(dx @ (density(x) * np.abs(x + centre) ** order))
        for sign, end, coefficient in ((1.0, edges[-1], c), (-1.0, -edges[0], c.conjugate())):
            expected += integrate.quad(
                lambda y, s=sign, k=coefficient, m=centre: tail(y, k) * abs(y + s * m) ** order,
                end,
                math.inf,
                epsrel=1e-9,
                limit=400,
            )[0]
        assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("alpha", "beta"), [(1.5, 0.0), (1.5, 0.7), (1.3, -1.0), (1.9, 1.0)])
def test_the_slope_of_the_first_stable_moment_is_the_distribution(
    alpha: float, beta: float
) -> None:
    """d/df E|f + X| = 1 − 2 P(X < −f), at full precision where the density's grid has little."""
    f, h = np.array([-6.0, -0.5, 0.2, 2.0]), 1e-3
    noise = AlphaStable(alpha, beta)
    up, down = noise.raw_moment(1.0, f + h), noise.raw_moment(1.0, f - h)
    np.testing.assert_allclose(
        (up - down) / (2.0 * h), 1.0 - 2.0 * stats.levy_stable.cdf(-f, alpha, beta), atol=3e-7
    )


@settings(deadline=None, max_examples=40)
@given(
    alpha=st.floats(1.05, 1.99),
    beta=st.floats(-1.0, 1.0),
    share=st.floats(0.02, 0.999),
    scale=st.floats(-8.0, 8.0).map(lambda x: 10.0**x),
)
def test_stable_moments_join_the_closed_form_at_zero(
    alpha: float, beta: float, share: float, scale: float
) -> None:
    """E|f + X|^p is even in (f, β), and its mean over ±f joins E|X|^p as f → 0."""
    noise, mirrored = AlphaStable(alpha, beta, scale), AlphaStable(alpha, -beta, scale)
    f, order = np.array([1e-6, -1e-6]) * scale, share * alpha
    found = noise.raw_moment(order, f)
    close(found, mirrored.raw_moment(order, -f), 1e-10)
    close(found.mean(), noise.central_moment(order, f)[0], 1e-9)


def test_stable_moment_at_one_half_is_the_printed_one() -> None:
    """Γ(1−p/α)/(Γ(1−p) cos(πp/2)) (1 + β²t²)^{p/2α} cos((p/α) arctan βt), t = tan(πα/2)."""
    alpha, beta, p, scale = 1.6, 0.8, 0.5, 3.0
    t = beta * math.tan(math.pi * alpha / 2.0)
    expected = math.gamma(1.0 - p / alpha) / (math.gamma(1.0 - p) * math.cos(math.pi * p / 2.0))
    expected *= (1.0 + t**2) ** (p / (2.0 * alpha)) * math.cos(p / alpha * math.atan(t))
    close(AlphaStable(alpha, beta, scale).central_moment(p, F), scale**p * expected, 1e-12)


def test_stable_of_index_two_is_gaussian() -> None:
    for order in (0.5, 1.5, 2.0, 3.7):
        found = AlphaStable(2.0, 0.5, 0.3).raw_moment(order, F)
        close(found, Gaussian(0.3 * math.sqrt(2.0)).raw_moment(order, F), 1e-12)
    near = AlphaStable(2.0 - 1e-9).raw_moment(1.5, F)
    close(near, AlphaStable(2.0).raw_moment(1.5, F), 1e-7)


# What holds for all additive noises


@pytest.mark.parametrize("noise", ADDITIVE, ids=name)
def test_the_moment_at_zero_is_the_one_about_the_mean(noise: Additive) -> None:
    for share in (0.1, 0.5, 0.99):
        order = share * min(noise.tail_index, 6.0)
        if order >= 2.0 or not isinstance(noise, NoNoise):
            shifted = noise.raw_moment(order, np.zeros(1))
            close(shifted, noise.central_moment(order, np.zeros(1)), 1e-9)


@settings(deadline=None, max_examples=60)
@given(
    noise=st.sampled_from(ADDITIVE),
    share=st.floats(0.01, 0.99),
    f=st.lists(signed(1e6), min_size=1, max_size=5),
)
def test_moments_obey_the_inequalities_of_norms(
    noise: Additive, share: float, f: list[float]
) -> None:
    """Lyapunov: ‖y‖_p grows with p; Minkowski: |‖y‖_p − ‖X‖_p| ≤ |f| for p ≥ 1."""
    top = min(noise.tail_index, 8.0)
    order, values = share * top, np.array(f)
    norm = noise.raw_moment(order, values) ** (1.0 / order)
    lower = noise.raw_moment(order / 2.0, values) ** (2.0 / order)
    assert (lower <= norm * (1.0 + 1e-8)).all()
    if order >= 1.0:
        own = noise.central_moment(order, values) ** (1.0 / order)
        assert (np.abs(norm - own) <= np.abs(values) + 1e-7 * (norm + own)).all()


SCALED: list[Callable[[float], Additive]] = [
    Gaussian,
    lambda s: StudentT(2.5, s),
    lambda s: SymmetrisedPareto(2.5, s),
    lambda s: AlphaStable(1.8, 0.3, s),
    lambda s: Lognormal(0.9, s),
]


@pytest.mark.parametrize("make", SCALED)
@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1e9, 1e100])
def test_moments_scale(make: Callable[[float], Additive], scale: float) -> None:
    order = 1.7
    expected = make(1.0).raw_moment(order, F) * scale**order
    close(make(scale).raw_moment(order, scale * F), expected, 1e-9)


@pytest.mark.parametrize("make", SCALED)
def test_far_from_zero_the_noise_hardly_counts(make: Callable[[float], Additive]) -> None:
    f = np.array([-1.0, 1.0])
    for scale in (1e-300, 1e-150, 1e-12):
        close(make(scale).raw_moment(1.7, f), [1.0, 1.0], 1e-9)


@pytest.mark.parametrize("noise", ADDITIVE, ids=name)
def test_each_arm_has_its_own_moment(noise: Additive) -> None:
    order = 0.7 * min(noise.tail_index, 4.0)
    f = np.array([0.5, -2.0, 0.5, 0.0, 2.0] * 20)
    one_by_one = [float(noise.raw_moment(order, np.array([x]))[0]) for x in f[:5]]
    close(noise.raw_moment(order, f), one_by_one * 20, 1e-12)
    assert noise.raw_moment(order, np.zeros((2, 3))).shape == (2, 3)


# Infinite where infinite


@pytest.mark.parametrize(
    ("noise", "index"),
    [
        (StudentT(3.0), 3.0),
        (StudentT(1.5), 1.5),
        (SymmetrisedPareto(1.51), 1.51),
        (ParetoPayoff(2.0), 2.0),
        (AlphaStable(1.4, 0.5), 1.4),
        (Contamination(0.5, 1.0, StudentT(2.0)), 2.0),
    ],
    ids=name,
)
def test_infinite_where_infinite(noise: Noise, index: float) -> None:
    f = np.array([-1.0, 0.3])
    for order in (index, index + 1e-9, index + 2.0):
        assert (noise.raw_moment(order, f) == math.inf).all()
        assert (noise.central_moment(order, f) == math.inf).all()
    assert np.isfinite(noise.raw_moment(index - 1e-9, f)).all()
    assert np.isfinite(noise.central_moment(index - 1e-9, f)).all()


def test_finite_where_only_the_base_is_infinite() -> None:
    assert Contamination(1.0, 2.0, StudentT(2.0)).raw_moment(3.0, np.ones(1))[0] == 14.0


@pytest.mark.parametrize("noise", [*ADDITIVE, ParetoPayoff(1.5), Spike(2.0, 0)], ids=name)
def test_order_zero_counts_all_payoffs(noise: Noise) -> None:
    assert noise.raw_moment(0.0, np.zeros(3)).tolist() == [1.0, 1.0, 1.0]
    assert noise.central_moment(0.0, np.ones(3)).tolist() == [1.0, 1.0, 1.0]


# Pareto payoffs, lower-bound payoffs, spikes, tables


@pytest.mark.parametrize(("shape", "order"), [(2.0, 1.5), (2.0, 0.4), (5.0, 3.3), (1.2, 1.1)])
def test_pareto_payoffs(shape: float, order: float) -> None:
    f = np.array([-2.0, 0.0, 0.5])
    start = 0.5 * (shape - 1.0) / shape
    law = pareto_pdf(shape, start)
    assert stats.pareto(shape, scale=start).mean() == pytest.approx(0.5)

    def about(centre: float) -> float:
        ends = [start, max(start, centre), 2.0 + centre, math.inf]
        return math.fsum(
            integrate.quad(
                lambda x: law(x) * abs(x - centre) ** order, a, b, epsrel=1e-9, limit=200
            )[0]
            for a, b in pairwise(ends)
        )

    unit = np.abs(f / 0.5) ** order  # a mirrored law for the negative one
    close(ParetoPayoff(shape).raw_moment(order, f), about(0.0) * unit, 1e-6)
    close(ParetoPayoff(shape).central_moment(order, f), about(0.5) * unit, 1e-6)


@settings(deadline=None)
@given(
    order=st.floats(0.05, 1.0),
    v=st.floats(0.01, 100.0),
    share=st.floats(0.01, 1.0),
    f=signed(1.0),
)
def test_lower_bound_payoffs_keep_their_promise(
    order: float, v: float, share: float, f: float
) -> None:
    gap = share * 0.5 * v ** (1.0 / (1.0 + order))
    noise, mean = LowerBoundPayoff(order, v, gap), 2.0 * gap * f
    size = (v / (2.0 * gap)) ** (1.0 / order)
    chance = abs(mean) / size
    assert chance <= 1.0 + 1e-9
    assert noise.raw_moment(1.0 + order, np.array([mean]))[0] <= v * (1.0 + 1e-9)
    close(noise.raw_moment(1.0, np.array([mean])), abs(mean), 1e-9)
    hit = noise.payoff(mean, 0, 0.0)
    assert hit == (pytest.approx(math.copysign(size, mean)) if mean else 0.0)
    below = math.nextafter(chance, 0.0) * (1.0 - 1e-9)
    assert noise.payoff(mean, 0, below) == hit
    if chance < 1.0 - 1e-8:
        assert noise.payoff(mean, 0, chance * (1.0 + 1e-9) + 1e-300) == 0.0
    expected = chance * (size - abs(mean)) ** 2 + (1.0 - chance) * mean**2
    found = noise.central_moment(2.0, np.array([mean]))[0]
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6 * size * abs(mean))


def test_a_spike_is_at_one_arm() -> None:
    noise = Spike(10.0)
    arms = {noise.settle(np.random.default_rng(seed), 3).arm for seed in range(30)}
    assert arms == {0, 1, 2}
    settled = noise.settle(np.random.default_rng(1), 3)
    assert settled == noise.settle(np.random.default_rng(1), 3)
    for arm in range(3):
        payoffs = settled.sample(1.0, arm, np.random.default_rng(0), 200)
        assert set(payoffs) == ({-9.0, 11.0} if arm == settled.arm else {1.0})
    assert noise.raw_moment(1.0, np.array([1.0, 20.0])).tolist() == [10.0, 20.0]
    assert Spike(10.0, 1).central_moment(2.0, F).tolist() == [0.0, 100.0, 0.0, 0.0, 0.0, 0.0]
    with pytest.raises(InvalidInput, match="settle"):
        noise.payoff(1.0, 0, 10.0)
    with pytest.raises(InvalidInput, match="at most 2"):
        Spike(10.0, 3).settle(np.random.default_rng(0), 3)


def test_rows_are_drawn_whole() -> None:
    table = np.array([[1.0, -2.0, 0.0], [3.0, 5.0, 0.0], [2.0, 0.0, 7.0]])
    noise, f = Rows(table), table.mean(axis=0)
    draws = noise.draw(np.random.default_rng(0), 300)
    played = np.array([[noise.payoff(0.0, arm, d) for arm in range(3)] for d in draws.tolist()])
    assert {tuple(row) for row in played} == {tuple(row) for row in table}
    close(noise.raw_moment(1.5, f), np.mean(np.abs(table) ** 1.5, axis=0), 1e-14)
    close(noise.central_moment(2.0, f), np.var(table, axis=0), 1e-14)
    table[0, 0] = 99.0
    assert noise.payoff(0.0, 0, 0.0) == 1.0


def test_cells_are_drawn_arm_by_arm() -> None:
    samples = [np.array([1.0, 2.0, 4.0]), np.array([5.0]), np.arange(7.0)]
    noise, f = Cells(samples), np.array([7.0 / 3.0, 5.0, 3.0])
    last = math.nextafter(1.0, 0.0)
    for arm, sample in enumerate(samples):
        payoffs = noise.sample(0.0, arm, np.random.default_rng(0), 5000)
        values, counts = np.unique(payoffs, return_counts=True)
        assert values.tolist() == sample.tolist()
        assert stats.chisquare(counts).pvalue > 1e-3 or len(sample) == 1
        assert noise.payoff(0.0, arm, last) == sample[-1]
    close(noise.raw_moment(3.0, f), [np.mean(np.abs(x) ** 3) for x in samples], 1e-14)
    expected = [np.mean(np.abs(x - x.mean())) for x in samples]
    np.testing.assert_allclose(noise.central_moment(1.0, f), expected, atol=1e-14)


# Samples

LAWS: list[tuple[Additive, Callable[[Array], Array]]] = [
    (Gaussian(0.7), stats.norm(0.0, 0.7).cdf),
    (Lognormal(0.8, 0.5), lambda x: stats.lognorm(0.8, -0.5 * math.exp(0.32), 0.5).cdf(x)),
    (StudentT(3.0, 0.5), stats.t(3.0, scale=0.5).cdf),
    (
        SymmetrisedPareto(2.5, 0.7),
        lambda x: (
            (stats.pareto.cdf(x / 0.7 + 5 / 3, 2.5) + stats.pareto.sf(5 / 3 - x / 0.7, 2.5)) / 2.0
        ),
    ),
]


@pytest.mark.parametrize(("noise", "cdf"), LAWS, ids=[name(law[0]) for law in LAWS])
def test_samples_follow_the_law(noise: Additive, cdf: Callable[[Array], Array]) -> None:
    sample = noise.draw(np.random.default_rng(7), 20_000)
    assert stats.kstest(sample, cdf).pvalue > 1e-3
    assert stats.kstest(sample * 1.1, cdf).pvalue < 1e-3  # the test can tell


@pytest.mark.parametrize(("alpha", "beta"), [(1.5, 0.0), (1.2, 0.5), (1.7, -1.0), (2.0, 0.3)])
def test_stable_samples_follow_the_law(alpha: float, beta: float) -> None:
    grid = np.linspace(-6.0, 6.0, 13)
    cdf = stats.levy_stable.cdf(grid, alpha, beta, scale=0.8)
    sample = AlphaStable(alpha, beta, 0.8).draw(np.random.default_rng(3), 40_000)
    share = (sample[:, None] <= grid).mean(axis=0)
    assert np.abs(share - cdf).max() < 1.95 / math.sqrt(40_000)  # Kolmogorov's 0.1% point
    assert np.abs((sample[:, None] * 1.1 <= grid).mean(axis=0) - cdf).max() > 1.95 / 200.0
    assert np.isfinite(sample).all()


def test_pareto_payoffs_follow_the_law() -> None:
    payoffs = ParetoPayoff(2.0).sample(0.6, 3, np.random.default_rng(5), 20_000)
    assert stats.kstest(payoffs, stats.pareto(2.0, scale=0.3).cdf).pvalue > 1e-3
    mirrored = ParetoPayoff(2.0).sample(-0.6, 3, np.random.default_rng(5), 20_000)
    assert (mirrored == -payoffs).all()


SIMULATED: list[tuple[Noise, float, float]] = [  # an order whose double is finite; expected f
    (NoNoise(), 2.0, 0.6),
    (Gaussian(0.7), 1.5, 0.6),
    (Lognormal(0.5, 0.5), 1.5, -0.6),
    (StudentT(5.0, 0.5), 1.7, 0.6),
    (SymmetrisedPareto(5.0), 1.7, -0.6),
    (AlphaStable(1.9, 0.5, 0.5), 0.7, 0.6),
    (Contamination(0.2, size=4.0, base=StudentT(6.0)), 1.5, 0.6),
    (ParetoPayoff(5.0), 1.6, 0.6),
    (LowerBoundPayoff(1.0, 2.0, 0.5), 2.0, -0.6),
    (Spike(3.0, 1), 1.5, 0.6),
]


@pytest.mark.parametrize(("noise", "order", "f"), SIMULATED, ids=name)
def test_simulated_means_and_moments(noise: Noise, order: float, f: float) -> None:
    y = noise.sample(f, 1, np.random.default_rng(11), 100_000)
    arms = np.full(2, f)

    def within(values: Array, expected: float) -> bool:
        error = 5.0 * float(values.std()) / math.sqrt(len(y)) + 1e-12
        return abs(float(values.mean()) - expected) <= error

    assert within(np.abs(y) ** order, noise.raw_moment(order, arms)[1])
    assert within(np.abs(y - f) ** order, noise.central_moment(order, arms)[1])
    if noise != AlphaStable(1.9, 0.5, 0.5):  # whose variance is infinite
        assert within(y, f)


def test_the_mean_of_stable_noise_is_zero() -> None:
    """E X = ∫_0^∞ (1 − F(x) − F(−x)) dx, F by sampling within ±60, by its tail beyond."""
    noise = AlphaStable(1.7, 0.8)
    x = np.clip(noise.draw(np.random.default_rng(2), 400_000), -60.0, 60.0)
    c = math.gamma(1.7) * math.sin(math.pi * 0.85) / math.pi  # P(X > x) ≈ c(1 + β) x^{−α}
    beyond = c * 2.0 * 0.8 * 60.0**-0.7 / 0.7
    assert abs(float(x.mean()) + beyond) < 5.0 * float(x.std()) / math.sqrt(len(x)) + 1e-3


def test_one_sided_contamination_moves_the_mean() -> None:
    for side, mean in (("up", 1.3), ("down", 0.7), ("both", 1.0)):
        noise = Contamination(0.1, 3.0, Gaussian(0.1), side)
        y = noise.sample(1.0, 0, np.random.default_rng(0), 50_000)
        assert abs(y.mean() - mean) < 5.0 * float(y.std()) / math.sqrt(len(y))
        close(noise.central_moment(2.0, np.ones(1)), 0.9 * 0.01 + 0.1 * 9.0, 1e-12)
        up = {"up": 1.0, "down": 0.0, "both": 0.5}[side]
        outliers = 0.1 * (up * 4.0**1.5 + (1.0 - up) * 2.0**1.5)
        base = 0.9 * Gaussian(0.1).raw_moment(1.5, np.ones(1))
        close(noise.raw_moment(1.5, np.ones(1)), base + outliers, 1e-12)


@pytest.mark.parametrize("noise", [case[0] for case in SIMULATED], ids=name)
def test_draws_are_reproducible_and_common_to_all_arms(noise: Noise) -> None:
    draws = [noise.draw(np.random.default_rng(4), 50) for _ in range(2)]
    assert draws[0].shape == (50,)
    assert draws[0].dtype == np.float64
    assert (draws[0] == draws[1]).all()
    draw = draws[0].tolist()[0]
    here, there = noise.payoff(0.5, 1, draw), noise.payoff(0.5, 2, draw)
    assert type(here) is float
    assert here == there or isinstance(noise, Spike)
    if isinstance(noise, Additive):
        assert noise.payoff(0.25, 0, draw) == 0.25 + draw


# Tables and errors


@pytest.mark.parametrize(
    ("table", "noise"),
    [
        ({"kind": "none"}, NoNoise()),
        ({"kind": "gaussian", "std": 1}, Gaussian(1.0)),
        ({"kind": "student-t", "df": 3}, StudentT(3.0, 1.0)),
        ({"kind": "pareto-payoff", "shape": 2}, ParetoPayoff(2.0)),
        ({"kind": "symmetrised-pareto", "shape": 1.51}, SymmetrisedPareto(1.51, 1.0)),
        ({"kind": "alpha-stable", "alpha": 1.5, "beta": 0.1}, AlphaStable(1.5, 0.1, 1.0)),
        ({"kind": "lognormal", "sigma": 1.0, "scale": 2.0}, Lognormal(1.0, 2.0)),
        ({"kind": "spike"}, Spike(10.0, None)),
        ({"kind": "lower-bound", "order": 1, "v": 1, "gap": 0.1}, LowerBoundPayoff(1.0, 1.0, 0.1)),
        ({"kind": "contamination", "share": 0.1, "size": 5}, Contamination(0.1, 5, Gaussian(1.0))),
        (
            {
                "kind": "contamination",
                "share": 0.1,
                "size": 5.0,
                "base": {"kind": "student-t", "df": 3.0},
                "side": "down",
            },
            Contamination(0.1, 5.0, StudentT(3.0), "down"),
        ),
    ],
)
def test_noises_come_from_tables(table: dict[str, Any], noise: Noise) -> None:
    assert noises.make(table) == noise
    assert hash(noises.make(table)) == hash(noise)


def test_all_kinds_are_known() -> None:
    assert noises.kinds() == sorted(
        [
            "alpha-stable",
            "contamination",
            "gaussian",
            "lognormal",
            "lower-bound",
            "none",
            "offset",
            "pareto-payoff",
            "spike",
            "student-t",
            "symmetrised-pareto",
        ]
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Gaussian(-1.0), "std at least 0"),
        (lambda: Gaussian(math.nan), "std to be finite"),
        (lambda: Gaussian("1"), "std to be a real number"),  # type: ignore[arg-type]
        (lambda: StudentT(1.0), "mean of the payoffs would not exist"),
        (lambda: StudentT(3.0, 0.0), "scale above 0"),
        (lambda: ParetoPayoff(1.0), "shape above 1"),
        (lambda: SymmetrisedPareto(0.5), "shape above 1"),
        (lambda: SymmetrisedPareto(2.0, -1.0), "scale above 0"),
        (lambda: AlphaStable(1.0), "alpha above 1"),
        (lambda: AlphaStable(2.1), "alpha at most 2"),
        (lambda: AlphaStable(1.5, 1.5), "beta at least -1 and at most 1"),
        (lambda: AlphaStable(1.0001, 0.9), "at most 100"),
        (lambda: Lognormal(0.0), "sigma above 0"),
        (lambda: Lognormal(31.0), "at most 30"),
        (lambda: Contamination(1.1, 1.0), "share at least 0 and at most 1"),
        (lambda: Contamination(0.1, -1.0), "size at least 0"),
        (lambda: Contamination(0.1, 1.0, side="left"), "side to be one of"),
        (lambda: Contamination(0.1, 1.0, ParetoPayoff(2.0)), "added to f"),
        (lambda: Contamination(0.1, 1.0, 3.0), "added to f"),  # type: ignore[arg-type]
        (lambda: Spike(-1.0), "size at least 0"),
        (lambda: Spike(1.0, -1), "arm of at least 0"),
        (lambda: LowerBoundPayoff(0.0, 1.0, 0.1), "order above 0"),
        (lambda: LowerBoundPayoff(1.0, 1.0, 0.6), "gap of at most"),
        (lambda: LowerBoundPayoff(1e-4, 1.0, 0.1), "range of floats"),
        (lambda: LowerBoundPayoff(1.0, 1.0, 0.1).payoff(0.3, 0, 0.5), "at most 2·gap"),
        (lambda: LowerBoundPayoff(1.0, 1.0, 0.1).raw_moment(2.0, F), "at most 2·gap"),
        (lambda: Rows(np.zeros((0, 2))), "at least one row"),
        (lambda: Rows(np.zeros(3)), "2 dimensions"),
        (lambda: Rows(np.ones((2, 2))).raw_moment(1.0, F), "each of 2 arms"),
        (lambda: Cells([]), "no arms"),
        (lambda: Cells([[1.0], []]), "none for arm 1"),
        (lambda: Cells([[1.0], [math.inf]]), "samples.1. to be finite"),
        (lambda: Gaussian(1.0).raw_moment(-0.5, F), "order at least 0"),
        (lambda: ParetoPayoff(2.0).central_moment(math.inf, F), "order to be finite"),
        (lambda: StudentT(3.0).raw_moment(1.0, np.array([math.nan])), "f to be finite"),
        (lambda: noises.make({"kind": "gaussian"}), "missing std"),
    ],
)
def test_bad_input(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


def test_unknown_base() -> None:
    with pytest.raises(UnknownName, match="expected a noise among"):
        Contamination(0.1, 1.0, {"kind": "gausian"})


@pytest.mark.parametrize("side", ["up", "down", "both"])
def test_second_moment_of_one_sided_outliers(side: str) -> None:
    noise = Contamination(0.1, 10.0, Gaussian(0.5), side)
    f = np.array([1.0, -2.0, 0.0])
    outliers = {"up": [10.0], "down": [-10.0], "both": [-10.0, 10.0]}[side]
    expected = 0.9 * (f**2 + 0.25) + 0.1 * np.mean([(f + x) ** 2 for x in outliers], axis=0)
    np.testing.assert_allclose(noise.raw_moment(2.0, f), expected, rtol=1e-12)
    np.testing.assert_allclose(noise.raw_moment(2.0 + 1e-9, f), expected, rtol=1e-7)
