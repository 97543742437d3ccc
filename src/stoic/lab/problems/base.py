"""The base of all problems: arms, a kernel, and the true expected payoffs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.kernels import Kernel
from stoic.lab.noise.base import Noise
from stoic.lab.registry import Registry
from stoic.schedules import Assumptions
from stoic.spaces import Arms

__all__ = ["Problem", "problems"]

problems: Registry[Problem] = Registry("problem")
"""Functions that make problems. They may take ``seed`` (of the trial) and ``horizon``."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Arms whose expected payoffs are known to the lab, never to a policy.

    Attributes
    ----------
    domain, kernel
        What a policy is given.
    f
        Expected payoff of each arm, in the units of the payoffs.
    norm_bound
        B as the paper's protocol sets it (often max|f|).
    norm
        ‖f‖ in the kernel's function space, where it is known.
    noise
        Payoffs that belong to the problem, e.g. rows of a table; None if the experiment chooses.
    constants
        Assumptions that the paper's protocol fixes, by name; they override computed ones.
    unit
        Reported regret is divided by this value.
    target
        R_target, the region to which the attacks of bogunovic2022 lead a policy.
    views
        Other (domain, kernel) pairs for the same arms, by name.
    """

    domain: Arms
    kernel: Kernel
    f: Array
    norm_bound: float
    norm: float | None = None
    noise: Noise | None = None
    constants: Mapping[str, float] = field(default_factory=dict)
    unit: float = 1.0
    target: NDArray[np.bool_] | None = None
    views: Mapping[str, tuple[Arms, Kernel]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.f.shape != (len(self.domain),) or not np.isfinite(self.f).all():
            raise InvalidInput(
                f"expected one finite expected payoff for each of {len(self.domain)} arms, "
                f"got shape {self.f.shape}"
            )

    @property
    def best(self) -> int:
        """The arm of the highest expected payoff."""
        return int(np.argmax(self.f))

    @property
    def optimum(self) -> float:
        """The highest expected payoff."""
        return float(self.f.max())

    def assumptions(
        self,
        noise: Noise,
        *,
        moment_order: float = 1.0,
        delta: float = 0.1,
        budget: float | None = None,
    ) -> Assumptions:
        """The constants of the theory and paper schedules, as the paper's protocol sets them.

        Moments are the largest over the arms. An infinite moment is left out, so that a schedule
        that needs it raises an error.
        """
        order = self.constants.get("moment_order", moment_order)
        found: dict[str, float | None] = {
            "norm_bound": self.norm_bound,
            "moment_order": order,
            "raw_moment": float(np.max(noise.raw_moment(1.0 + order, self.f))),
            "central_moment": float(np.max(noise.central_moment(1.0 + order, self.f))),
            "noise_std": float(np.sqrt(np.max(noise.central_moment(2.0, self.f)))),
            "budget": budget,
            "delta": delta,
            **self.constants,
        }
        known = {name: x for name, x in found.items() if x is not None and np.isfinite(x)}
        for name in ("raw_moment", "central_moment"):
            if known.get(name) == 0.0:
                del known[name]
        return Assumptions(**known)
