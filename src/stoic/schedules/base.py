"""The inputs of schedules (assumptions, setting, progress) and their interface.

Notation (chowdhury2019 / park2024 / bogunovic2022 / calandriello2019 in brackets):

    t            payoffs so far; n = t + 1 the coming round
    logdet       ln det(I + K_t/λ) of what was played = 2·(realised information gain γ)
    width        multiplies the posterior std            [β_t / α_t / β_h + … / β̃_t]
    truncation   level beyond which a payoff is cut      [b_t / h(x_t)/weight / – / –]
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import NamedTuple, Protocol

from stoic.checks import number
from stoic.errors import InvalidInput

__all__ = ["Assumptions", "Progress", "Schedule", "Setting"]

MAX_CONSTANT = 1e100  # of a theorem: beyond it widths would not be finite


@dataclass(frozen=True)
class Assumptions:
    """The assumptions of a theorem about the function, the noise and the adversary.

    The practical schedules need none of it. Those that a schedule needs and that are
    missing are named in the error.

    Attributes
    ----------
    norm_bound
        B ≥ ‖f‖ in the kernel's function space, > 0.
    moment_order
        α (chowdhury2019), ε (park2024) in (0, 1]: the (1 + order)-th moment is finite.
    raw_moment
        v (chowdhury2019), ν̄ (park2024): a bound on E|y|^(1+order).
    central_moment
        ν (park2024): a bound on E|noise|^(1+order).
    noise_std
        R, σ, ξ: sub-Gaussian scale of the noise.
    budget
        C (bogunovic2022): the sum of all corruptions; left out, √T/γ as in its §3.4.
    delta
        δ in (0, 1): the probability of failure.
    """

    norm_bound: float = 1.0
    moment_order: float = 1.0
    raw_moment: float | None = None
    central_moment: float | None = None
    noise_std: float | None = None
    budget: float | None = None
    delta: float = 0.1

    def __post_init__(self) -> None:
        number(self.norm_bound, "norm_bound", above=0.0, at_most=MAX_CONSTANT)
        number(self.moment_order, "moment_order", above=0.0, at_most=1.0)
        number(self.delta, "delta", at_least=1.0 / MAX_CONSTANT, at_most=1.0)
        for name in ("raw_moment", "central_moment"):
            if getattr(self, name) is not None:
                number(getattr(self, name), name, above=0.0, at_most=MAX_CONSTANT)
        for name in ("noise_std", "budget"):
            if getattr(self, name) is not None:
                number(getattr(self, name), name, at_least=0.0, at_most=MAX_CONSTANT)

    def state(self) -> dict[str, float]:
        """The values that are given, by name."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: float(value) for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Setting:
    """What stays fixed over a run: the assumptions, the ridge, the horizon, the arms.

    On a box, ``continuous`` is true, and ``arms`` is the number of points that stand for it.
    """

    assumptions: Assumptions
    lam: float
    horizon: int | None = None
    arms: int = 1
    prior_var: float = 1.0  # κ², the largest k(x, x)
    continuous: bool = False  # whether the domain is a box

    def need(self, name: str) -> float:
        """An assumption, or an error that names it as missing."""
        value: float | None = getattr(self.assumptions, name)
        if value is None:
            raise InvalidInput(
                f"expected Assumptions({name}=…) for this schedule, got none; "
                "give it, or use schedule='practical', which needs no constants"
            )
        return value

    def rounds(self) -> int:
        """The horizon T, or an error if it is missing."""
        if self.horizon is None:
            raise InvalidInput(
                "expected horizon=T for this schedule, got none; "
                "give it, or use schedule='practical', which needs no horizon"
            )
        return self.horizon


class Progress(NamedTuple):
    """The figures that a schedule may use after t payoffs."""

    t: int
    logdet: float
    features: int = 0  # m, for policies on features
    variance_sum: float = 0.0  # Σ_s σ²(x_s)/λ over all plays
    noise: float = 1.0  # learned: root mean square of the clipped residuals
    amplitude: float = 0.0  # learned: a quarter of the range of the estimated means
    widest: float = 1.0  # the largest posterior std
    warming: bool = False  # too few payoffs to know the noise
    norm: tuple[float, float] = (0.0, 0.0)  # ‖f̂‖ of the estimate, and the std of ⟨f, f̂⟩/‖f̂‖

    @property
    def n(self) -> int:
        """The coming round."""
        return self.t + 1

    @property
    def gamma(self) -> float:
        """The realised information gain, half of logdet."""
        return self.logdet / 2.0


class Schedule(Protocol):
    """Anything that gives a width; policies name the further methods that they call."""

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""


def power(base: float, exponent: float) -> float:
    """base^exponent with 0^0 = 0: before the first payoff every level is zero."""
    return math.pow(base, exponent) if base > 0 else 0.0
