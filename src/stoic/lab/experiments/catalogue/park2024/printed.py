"""The schedule "printed": the constants that the printed figures suggest; inferred, not stated.

The paper does not state the constants of its experiments. Its Table 2 has spreads of 0.007 to
0.3 % of the mean, GP-UCB's included: all five policies were dominated by their widths. Therefore
we read them as the theorems' widths, GP-UCB's as Theorem 3 of Srinivas et al. 2010, the baseline
that the paper cites, with B = ν = ν̄ = 1 whatever the problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from stoic.schedules import Progress, Schedule, Setting
from stoic.schedules.chowdhury2019 import NystromTheory, TGPUCBTheory
from stoic.schedules.park2024 import CATGPUCBTheory, MoMGPUCBTheory
from stoic.schedules.srinivas2010 import SrinivasTheorem3

__all__ = ["LargestStd", "ata_gp_ucb", "ca_tgp_ucb", "gp_ucb", "mom_gp_ucb", "tgp_ucb"]


def _with_ones(schedule: Callable[..., Any]) -> Callable[[Setting], Schedule]:
    """A schedule of the inferred reading: a theorem's, with B = ν = ν̄ = 1."""

    def made(setting: Setting) -> Schedule:
        ones = {"norm_bound": 1.0, "raw_moment": 1.0, "central_moment": 1.0}
        known = replace(setting.assumptions, **ones)
        found: Schedule = schedule(replace(setting, assumptions=known))
        return found

    return made


gp_ucb = _with_ones(SrinivasTheorem3)
tgp_ucb = _with_ones(TGPUCBTheory)
ata_gp_ucb = _with_ones(NystromTheory)
ca_tgp_ucb = _with_ones(CATGPUCBTheory)
mom_gp_ucb = _with_ones(MoMGPUCBTheory)


@dataclass(frozen=True)
class LargestStd:
    """A width so large that the std alone decides: what a policy of a huge width plays."""

    setting: Setting

    def width(self, now: Progress) -> float:  # noqa: ARG002, one signature for all
        """The factor of the posterior std at the coming choice."""
        return 1e9  # payoffs of these experiments are below 1e5
