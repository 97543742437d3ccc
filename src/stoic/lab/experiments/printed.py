"""Points of a printed figure, to be drawn and compared with our curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stoic.checks import Array

__all__ = ["Printed"]


@dataclass(frozen=True)
class Printed:
    """The printed mean regret per round of some policies.

    Attributes
    ----------
    points
        For each policy, by its label in the results: rounds t and printed R_t/t.
    where
        The fields of the cases that they belong to, such as ``{"schedule": "paper"}``.
    """

    points: Mapping[str, tuple[Array, Array]]
    where: Mapping[str, Any] = field(default_factory=dict)
