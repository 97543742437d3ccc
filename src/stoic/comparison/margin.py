"""The margin within which two contenders count as equal: a share, or in units of the value."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.checks import number
from stoic.errors import InvalidInput
from stoic.numbers import parse, rounded

__all__ = ["Margin"]


@dataclass(frozen=True)
class Margin:
    """How large a difference may be that does not matter.

    ``share`` is relative: 0.02 for 2 %. ``absolute`` is in units of the value; contenders are then
    compared by differences, not by ratios. One of them is 0.
    """

    share: float = 0.0
    absolute: float = 0.0

    @classmethod
    def of(cls, value: object) -> Margin:
        """The margin that a text or a number means; a number is a share.

        >>> Margin.of("2%"), Margin.of(0.02), Margin.of("0.5")
        (Margin(share=0.02, absolute=0.0), Margin(share=0.02, absolute=0.0), \
Margin(share=0.0, absolute=0.5))
        """
        if isinstance(value, Margin):
            return value
        if not isinstance(value, str):
            return cls(share=number(value, "margin", at_least=0.0, at_most=1.0))
        text = value.strip()
        found = parse(text.removesuffix("%"))
        if found is None or not 0.0 <= found < math.inf:
            raise InvalidInput(
                f"expected a margin such as 2% or, in units of the value, 0.5, got {value!r}"
            )
        if text.endswith("%"):
            return cls(share=number(found / 100.0, "the margin's share", at_most=1.0))
        return cls(absolute=float(found))

    def __str__(self) -> str:
        return rounded(self.absolute) if self.absolute else f"{rounded(100.0 * self.share)} %"

    def on_ratios(self) -> float:
        """The margin of a logarithm of ratios.

        >>> round(Margin(share=0.02).on_ratios(), 4)
        0.0198
        """
        return math.log1p(self.share)

    def on_differences(self, typical: float) -> float:
        """The margin of differences, for a baseline whose typical value is given."""
        return self.absolute or self.share * abs(typical)
