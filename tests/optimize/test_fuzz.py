"""No history, however odd, makes an optimiser raise, warn, or leave its space.

STOIC_FUZZ sets the number of histories; benchmarks/core/fuzz.py tries ten thousand.
"""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.histories import Story, examine, invent
from stoic.spaces import Float, Space

EXAMPLES = int(os.environ.get("STOIC_FUZZ", "60"))


@st.composite
def stories(draw: st.DrawFn) -> Story:
    return invent(lambda low, high: draw(st.integers(low, high)), most=24)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(story=stories())
def test_any_history(story: Story) -> None:
    examine(story)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_replicates_as_large_as_floats_get(direction: str, sign: float) -> None:
    space = Space({"x": Float(0.0, 1.0), "y": Float(1e-6, 1e3, "log")})
    largest = sys.float_info.max
    told = [(0.2, sign * largest), (0.9, -0.7), (0.2, sign * 1e308)]
    examine(Story(space, direction, 0, [({"x": x, "y": x}, value) for x, value in told]))
