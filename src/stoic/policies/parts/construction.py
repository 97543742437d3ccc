"""The arguments that all policies share, checked."""

from __future__ import annotations

from typing import Any

from stoic.checks import describe, integer, number
from stoic.errors import InvalidInput
from stoic.kernels import Kernel, MatrixKernel
from stoic.schedules import Assumptions, Setting
from stoic.schema import LARGEST
from stoic.spaces import Arms, Box, Domain

__all__ = ["checked_assumptions", "checked_domain", "checked_kernel", "checked_setting"]


def checked_domain(domain: Any) -> Domain:
    """Arms or a box."""
    if not isinstance(domain, Arms | Box):
        raise InvalidInput(
            f"expected a domain, stoic.Arms(X) or stoic.Box(low, high), got {describe(domain)}"
        )
    return domain


def checked_kernel(domain: Domain, kernel: Kernel | None) -> Kernel:
    """The kernel given, or the one that the arms bring."""
    given = domain.kernel if isinstance(domain, Arms) else None
    if given is not None and isinstance(kernel, Kernel) and not _has_matrix(kernel):
        raise InvalidInput(
            "expected no kernel, or one made of a MatrixKernel, for Arms.matrix(K), "
            f"got {kernel!r}; these arms have no coordinates"
        )
    kernel = given if kernel is None else kernel
    if not isinstance(kernel, Kernel):
        raise InvalidInput(
            "expected a kernel such as stoic.SquaredExponential(0.2), or stoic.Arms.matrix(K) "
            f"that brings its own, got {describe(kernel)}"
        )
    return kernel


def _has_matrix(kernel: Kernel) -> bool:
    inner = [part for part in kernel.parameters().values() if isinstance(part, Kernel)]
    return isinstance(kernel, MatrixKernel) or any(_has_matrix(part) for part in inner)


def checked_assumptions(assumptions: Assumptions | None) -> Assumptions:
    """The assumptions given, or the defaults."""
    if assumptions is not None and not isinstance(assumptions, Assumptions):
        raise InvalidInput(f"expected stoic.Assumptions(…), got {describe(assumptions)}")
    return assumptions or Assumptions()


def checked_setting(
    domain: Domain,
    kernel: Kernel,
    lam: float,
    horizon: int | None,
    assumptions: Assumptions,
    arms_of_a_box: int,
) -> Setting:
    """What stays fixed over a run; the ridge must fit the kernel's variance."""
    points = domain.X if isinstance(domain, Arms) else domain.landmarks()
    kernel.check(points)
    prior_var = float(kernel.diag(points).max())
    if not 1e-30 <= prior_var <= 1e30:
        raise InvalidInput(
            "expected a kernel whose largest variance k(x, x) on the domain is from 1e-30 to "
            f"1e30, got {prior_var:g}; rescale the kernel"
        )
    lam = number(lam, "lam", above=0.0)
    if not 1e-12 * prior_var <= lam <= 1e12 * prior_var:
        raise InvalidInput(
            f"expected lam from 1e-12 to 1e12 of the kernel's variance ({prior_var:g}), "
            f"got {lam:g}; rescale the kernel or lam"
        )
    if horizon is not None:
        horizon = integer(horizon, "horizon", at_least=1, at_most=LARGEST - 1)
    arms = len(domain) if isinstance(domain, Arms) else arms_of_a_box
    return Setting(assumptions, lam, horizon, arms, prior_var, isinstance(domain, Box))
