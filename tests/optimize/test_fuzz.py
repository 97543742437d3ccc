"""No history, however odd, makes an optimiser raise, warn, or leave its space.

STOIC_FUZZ sets the number of histories; benchmarks/core/fuzz.py tries ten thousand.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.histories import Story, examine, invent

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
