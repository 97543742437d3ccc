"""The base of all kernels, and their sums, products and multiples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, describe, number
from stoic.errors import InvalidInput, InvalidState

__all__ = ["Kernel", "Product", "Scaled", "Sum"]


class Kernel(ABC):
    """A positive semi-definite function k(x, z) of two points.

    ``kernel(X, Z)`` gives the (n, m) matrix between the rows of X and Z, and
    ``kernel.diag(X)`` the n values k(x, x) without the matrix. Kernels add,
    multiply, and take a positive factor: ``2.0 * SquaredExponential(0.2) + Linear()``.
    """

    _registry: ClassVar[dict[str, type[Kernel]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Kernel._registry[cls.__name__] = cls

    @abstractmethod
    def __call__(self, X: Array, Z: Array) -> Array:
        """The matrix of k between rows of ``X`` (n, d) and of ``Z`` (m, d)."""

    @abstractmethod
    def diag(self, X: Array) -> Array:
        """The values k(x, x) at the rows of ``X``."""

    def check(self, X: Array) -> None:  # noqa: B027, most kernels can be evaluated anywhere
        """Raise a typed error if this kernel can't be evaluated at ``X``."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments as scalars, arrays and kernels."""

    def state(self) -> dict[str, Any]:
        """This kernel as a nested state."""
        inner = {k: v.state() if isinstance(v, Kernel) else v for k, v in self.parameters().items()}
        return {"type": type(self).__name__, **inner}

    @staticmethod
    def from_state(state: Mapping[str, Any]) -> Kernel:
        """The kernel of a nested state."""
        arguments = dict(state)
        kind = arguments.pop("type", None)
        if kind not in Kernel._registry:
            known = ", ".join(sorted(Kernel._registry))
            raise InvalidState(f"expected a kernel of type {known}, got {describe(kind)}")
        inner = {
            k: Kernel.from_state(v) if isinstance(v, Mapping) else v for k, v in arguments.items()
        }
        try:
            return Kernel._registry[kind](**inner)
        except TypeError as cause:
            raise InvalidState(f"the state of kernel {kind} does not fit: {cause}") from cause

    def __add__(self, other: Kernel) -> Kernel:
        return Sum(self, other)

    def __mul__(self, other: Kernel | float) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, other)

    def __rmul__(self, other: float) -> Kernel:
        return Scaled(self, other)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Kernel):
            return NotImplemented
        mine, theirs = self.parameters(), other.parameters()
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inner = ", ".join(f"{k}={v!r}" for k, v in self.parameters().items())
        return f"{type(self).__name__}({inner})"


def _kernel(value: object, name: str) -> Kernel:
    if not isinstance(value, Kernel):
        raise InvalidInput(
            f"expected {name} to be a stoic kernel such as stoic.Matern(2.5, 0.2), "
            f"got {describe(value)}"
        )
    return value


class Scaled(Kernel):
    """variance · k(x, z)."""

    def __init__(self, kernel: Kernel, variance: float) -> None:
        self.kernel = _kernel(kernel, "kernel")
        self.variance = number(variance, "the factor of a kernel", above=0.0)

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.variance * self.kernel(X, Z)

    def diag(self, X: Array) -> Array:
        return self.variance * self.kernel.diag(X)

    def check(self, X: Array) -> None:
        self.kernel.check(X)

    def parameters(self) -> dict[str, Any]:
        return {"kernel": self.kernel, "variance": self.variance}


class _Pair(Kernel):
    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left, self.right = _kernel(left, "left"), _kernel(right, "right")

    def check(self, X: Array) -> None:
        self.left.check(X)
        self.right.check(X)

    def parameters(self) -> dict[str, Any]:
        return {"left": self.left, "right": self.right}


class Sum(_Pair):
    """k₁(x, z) + k₂(x, z)."""

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.left(X, Z) + self.right(X, Z)

    def diag(self, X: Array) -> Array:
        return self.left.diag(X) + self.right.diag(X)


class Product(_Pair):
    """k₁(x, z) · k₂(x, z)."""

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.left(X, Z) * self.right(X, Z)

    def diag(self, X: Array) -> Array:
        return self.left.diag(X) * self.right.diag(X)
