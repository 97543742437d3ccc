"""Functions of a kernel's RKHS, samples of the process, and Griewank's function, on finite arms."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, choice, integer
from stoic.kernels import Kernel, Matern, SquaredExponential
from stoic.lab.problems.base import Problem, problems
from stoic.randomness import generator
from stoic.spaces import Arms

__all__ = ["gp_sample", "griewank", "rkhs_chowdhury2019", "rkhs_park2024"]

_FUNCTION_STREAM = 103  # stream of the trial's randomness


def make_kernel(kernel: str, lengthscale: float, nu: float = 2.5) -> Kernel:
    """The kernel of a name, ``"se"`` or ``"matern"``."""
    if choice(kernel, "kernel", ("se", "matern")) == "se":
        return SquaredExponential(lengthscale)
    return Matern(nu, lengthscale)


def grid(low: float, high: float, per_dimension: int, dimension: int) -> Array:
    """An even grid of [low, high]^dimension, one row for each point."""
    axis = np.linspace(low, high, integer(per_dimension, "per_dimension", at_least=1))
    axes = np.meshgrid(*[axis] * integer(dimension, "dimension", at_least=1), indexing="ij")
    return np.stack([values.ravel() for values in axes], axis=1)


@problems.register("rkhs-chowdhury2019")
def rkhs_chowdhury2019(
    *,
    seed: int,
    arms: int = 100,
    kernel: str = "se",
    lengthscale: float = 0.2,
    nu: float = 2.5,
    support: int = 100,
    coefficients: str = "symmetric",
    scale: str = "max",
    function: int | None = None,
) -> Problem:
    """A function Σ aᵢ k(·, xᵢ) on even points of [0, 1]: Chowdhury & Gopalan, NeurIPS 2019, §6.

    The xᵢ are drawn from the arms; aᵢ ~ U[−1, 1] (``coefficients="symmetric"``) or U[0, 1]
    (``"positive"``). ``scale="max"`` divides f by max|f| as the authors' scripts do, ``"unit"``
    maps it onto [0, 1], ``"none"`` leaves it unchanged. B = max|f|, which is smaller than ‖f‖.
    With ``function``, all trials share the function of that number.

    >>> rkhs_chowdhury2019(seed=1).norm_bound
    1.0
    """
    choice(coefficients, "coefficients", ("symmetric", "positive"))
    choice(scale, "scale", ("max", "unit", "none"))
    X = grid(0.0, 1.0, arms, 1)
    rng = generator(seed if function is None else function, 0, _FUNCTION_STREAM)
    low = -1.0 if coefficients == "symmetric" else 0.0
    a = rng.uniform(low, 1.0, integer(support, "support", at_least=1))
    centres = rng.integers(0, len(X), len(a))
    k = make_kernel(kernel, lengthscale, nu)
    K = k(X, X)
    f = K[:, centres] @ a
    square = float(a @ K[np.ix_(centres, centres)] @ a)
    norm: float | None = max(square, 0.0) ** 0.5
    if scale == "max":
        largest = float(np.abs(f).max())
        norm, f = max(square, 0.0) ** 0.5 / largest, f / largest
    elif scale == "unit":
        norm, f = None, (f - f.min()) / np.ptp(f)  # a constant is not in the space
    return Problem(Arms(X), k, f, norm_bound=float(np.abs(f).max()), norm=norm)


@problems.register("rkhs-park2024")
def rkhs_park2024(
    *, seed: int, arms: int = 1000, lengthscale: float = 1.0, spread: float = 3.0
) -> Problem:
    """A function Σ aᵢ k(·, cᵢ) of ten terms on even points of [−10, 10]: Park & Lee, ECAI 2024.

    aᵢ ~ 10(−1 + 2·N(0, 1)); cᵢ ~ N(0, 3), read as standard deviation 3. SE kernel; the paper
    does not print its length-scale.

    >>> len(rkhs_park2024(seed=1).domain)
    1000
    """
    X = grid(-10.0, 10.0, arms, 1)
    rng = generator(seed, 0, _FUNCTION_STREAM)
    a = 10.0 * (-1.0 + 2.0 * rng.standard_normal(10))
    centres = spread * rng.standard_normal((10, 1))
    k = SquaredExponential(lengthscale)
    f = k(X, centres) @ a
    norm = float(np.sqrt(a @ k(centres, centres) @ a))
    return Problem(Arms(X), k, f, norm_bound=float(np.abs(f).max()), norm=norm)


@problems.register("griewank")
def griewank(
    *,
    seed: int = 0,
    dimension: int = 2,
    per_dimension: int | None = 20,
    points: int | None = None,
    lengthscale: float = 1.0,
) -> Problem:
    """Griewank's function, maximised: 1 + Σ xᵢ²/4000 − Π cos(xᵢ/√i), as in Park & Lee, ECAI 2024.

    On an even grid of [−5, 5]^d, or, with ``points``, on that many draws of N(0, I).

    >>> problem = griewank()
    >>> len(problem.domain), round(problem.optimum, 3)
    (400, 1.97)
    """
    if points is not None:
        rng = generator(seed, 0, _FUNCTION_STREAM)
        X: Array = rng.standard_normal((points, integer(dimension, "dimension", at_least=1)))
    else:
        X = grid(-5.0, 5.0, per_dimension or 20, dimension)
    roots = np.sqrt(np.arange(1.0, X.shape[1] + 1.0))
    f = 1.0 + (X**2).sum(axis=1) / 4000.0 - np.cos(X / roots).prod(axis=1)
    return Problem(Arms(X), SquaredExponential(lengthscale), f, norm_bound=float(np.abs(f).max()))


@problems.register("gp-sample")
def gp_sample(
    *,
    seed: int,
    low: float = -5.0,
    high: float = 5.0,
    per_dimension: int = 10,
    dimension: int = 2,
    kernel: str = "se",
    lengthscale: float = 0.5,
    nu: float = 2.5,
    function: int | None = None,
) -> Problem:
    """A draw of the Gaussian process itself on an even grid.

    The defaults are f₁ of Bogunovic et al., NeurIPS 2022, §4; its target region is x₁ ≤ x₂.
    B = max|f| (a draw's own norm is not bounded). With ``function``, all trials share the draw
    of that number.

    >>> gp_sample(seed=3).f.shape
    (100,)
    """
    X = grid(low, high, per_dimension, dimension)
    k = make_kernel(kernel, lengthscale, nu)
    values, vectors = np.linalg.eigh(k(X, X))
    # the symmetric root: on a grid eigenvalues coincide, and their vectors depend on the machine
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    number = seed if function is None else function
    f = root @ generator(number, 0, _FUNCTION_STREAM).standard_normal(len(X))
    target = X[:, 0] <= X[:, 1] if dimension > 1 else None
    return Problem(Arms(X), k, f, norm_bound=float(np.abs(f).max()), target=target)
