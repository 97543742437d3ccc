"""Choices on a box that is represented by finitely many points."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.errors import OutOfPlan
from stoic.policies.parts.choices import ArmChoices
from stoic.spaces import Arms, Box, Domain

__all__ = ["GridChoices", "finite_choices"]


class GridChoices(ArmChoices):
    """Row numbers of quasi-random points of a box; a user sees the points."""

    def __init__(self, box: Box, size: int, seed: int) -> None:
        super().__init__(Arms(box.spread(size, seed)))
        self._box = box
        self._rows = {point.tobytes(): row for row, point in enumerate(self.points + 0.0)}

    def read(self, arm: Any) -> int:
        """What a user gave as a point, as its row; or a typed error."""
        point = self._box.point(arm) + 0.0  # −0 is 0
        row = self._rows.get(point.tobytes())
        if row is None:
            raise OutOfPlan(f"expected a point of the plan, got {point}; tell what ask() gave")
        return row

    def show(self, choice: Any) -> Any:
        """A choice as a user sees it."""
        return self.points[choice].copy()

    def show_all(self, batch: list[Any]) -> Any:
        """Several choices as a user sees them."""
        shown: Array = np.array([self.points[choice] for choice in batch])
        return shown


def finite_choices(domain: Domain, size: int, seed: int) -> ArmChoices:
    """All arms, or so many points that stand for a box."""
    return ArmChoices(domain) if isinstance(domain, Arms) else GridChoices(domain, size, seed)
