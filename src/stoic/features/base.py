"""The features of a domain's points, as a feature map returns them."""

from __future__ import annotations

from dataclasses import dataclass

from stoic.checks import Array
from stoic.features.parts import NO_PARTS, Parts

__all__ = ["Features"]


@dataclass(frozen=True)
class Features:
    """A finite feature map φ(x) = P ψ(x) with kernel φ(x)ᵀφ(z) ≈ k(x, z).

    The m coordinates of φ are those of the paper; at the points of a domain they span
    only r ≤ m directions, the orthonormal columns of P. All linear algebra is done on ψ;
    only what depends on the coordinates themselves, such as the truncation of ATA-GP-UCB,
    goes through P.

    Attributes
    ----------
    psi
        (A, r) coordinates ψ of the tracked points.
    basis
        (m, r) P, with orthonormal columns.
    parts
        A form of Ψ that makes products faster, if there is one.
    """

    psi: Array
    basis: Array
    parts: Parts = NO_PARTS

    @property
    def dimension(self) -> int:
        """m, the number of features that the paper counts."""
        return int(self.basis.shape[0])

    @property
    def rank(self) -> int:
        """r, the number of directions that the points span."""
        return int(self.basis.shape[1])
