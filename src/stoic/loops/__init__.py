"""Passes over all arms, each of them one call: compiled where Numba is installed.

At a thousand arms a NumPy call costs as much as the work that it does, and a round takes some
twenty of them. ``pip install stoic[fast]`` brings Numba, which makes one loop of each pass, and
takes half a second when the first policy is made. Results are the same up to rounding.
"""

from typing import TYPE_CHECKING


def _with_numba() -> bool:
    try:
        import numba  # noqa: F401
    except ImportError:  # it is not there, or does not suit this NumPy
        return False
    return True


if TYPE_CHECKING or not _with_numba():
    from stoic.loops.plain import (
        clip_directions,
        cut_directions,
        deviate,
        highest,
        interpolate,
        late_play,
        limits,
        norm,
        outlive,
        play,
        pull,
        smooth_about,
        spread,
        turn,
    )
else:
    from stoic.loops.fused import (
        clip_directions,
        cut_directions,
        deviate,
        highest,
        interpolate,
        late_play,
        limits,
        norm,
        outlive,
        play,
        pull,
        smooth_about,
        spread,
        turn,
    )

__all__ = [
    "clip_directions",
    "cut_directions",
    "deviate",
    "highest",
    "interpolate",
    "late_play",
    "limits",
    "norm",
    "outlive",
    "play",
    "pull",
    "smooth_about",
    "spread",
    "turn",
]
