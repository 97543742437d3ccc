"""Passes over all arms, each of them one call: compiled where Numba is installed.

At a thousand arms a NumPy call costs as much as the work that it does, and a round takes some
twenty of them. ``pip install stoic[fast]`` brings Numba, which makes one loop of each pass, and
takes half a second when the first policy is made. Results are the same up to rounding.
"""

from typing import TYPE_CHECKING

from stoic.loops.compiling import COMPILES
from stoic.loops.spreads import FRESH

if TYPE_CHECKING or not COMPILES:
    from stoic.loops.plain import (
        absorb,
        clip_directions,
        clip_payoffs,
        cut_directions,
        deviate,
        highest,
        interpolate,
        late_play,
        norm,
        outlive,
        play,
        pull,
        smooth_about,
        spread,
        take_in,
        turn,
    )
else:
    from stoic.loops.fused import (
        absorb,
        clip_directions,
        clip_payoffs,
        cut_directions,
        deviate,
        highest,
        interpolate,
        late_play,
        norm,
        outlive,
        play,
        pull,
        smooth_about,
        spread,
        take_in,
        turn,
    )

__all__ = [
    "FRESH",
    "absorb",
    "clip_directions",
    "clip_payoffs",
    "cut_directions",
    "deviate",
    "highest",
    "interpolate",
    "late_play",
    "norm",
    "outlive",
    "play",
    "pull",
    "smooth_about",
    "spread",
    "take_in",
    "turn",
]
