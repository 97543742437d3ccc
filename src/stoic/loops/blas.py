"""Rank updates in place, by BLAS."""

from __future__ import annotations

from scipy.linalg.blas import dgemm, dger, dsyrk

from stoic.checks import Array

__all__ = ["add_half", "add_outer", "add_outers"]


def add_outer(matrix: Array, factor: float, x: Array, y: Array) -> None:
    """Add factor·x yᵀ in place to a matrix in Fortran order."""
    done = dger(factor, x, y, a=matrix, overwrite_a=1, overwrite_x=0, overwrite_y=0)
    _same(done, matrix)


def add_outers(matrix: Array, factor: float, X: Array, Y: Array) -> None:
    """Add factor·X Yᵀ in place to a matrix in Fortran order."""
    done = dgemm(factor, X, Y, 1.0, matrix, trans_b=1, overwrite_c=1)
    _same(done, matrix)


def add_half(matrix: Array, factor: float, X: Array) -> None:
    """Add factor·X Xᵀ in place to the lower half of a matrix in Fortran order."""
    done = dsyrk(factor, X, 1.0, matrix, lower=1, overwrite_c=1)
    _same(done, matrix)


def _same(done: Array, matrix: Array) -> None:
    if done is not matrix:  # a copy was updated instead: the wrong order or type
        raise RuntimeError("expected an update in place: a float64 matrix in Fortran order")
