"""Sizes that trade time for memory among very many arms."""

from __future__ import annotations

from dataclasses import dataclass

from stoic.errors import InvalidInput

__all__ = ["DEFAULT", "Settings"]


@dataclass(frozen=True)
class Settings:
    """Sizes of blocks and limits on what is kept; chosen with ``benchmarks/speed/many_arms.py``.

    Assign other ones to ``stoic.many_arms.settings.DEFAULT`` before a policy is made.
    """

    block_size: int = 1024
    """Arms of a block."""
    anchors: int = 32
    """Anchors of a block."""
    memory: int = 6 * 2**30
    """Bytes, for all that grows with the number of arms."""
    followed: int = 8192
    """Arms whose rows are kept up to date besides the anchors; twice as many within a round."""
    spare_coordinates: int = 256
    """Coordinates beyond twice the distinct arms played, before a fresh factor replaces them."""

    def check_memory(self, need: int, arms: int) -> None:
        """Refuse to use more bytes than allowed."""
        if need > self.memory:
            raise InvalidInput(
                f"expected arms whose bounds fit into {self.memory / 2**30:.3g} GiB, got {arms} "
                f"arms, which need {need / 2**30:.3g} GiB now; give fewer arms or a Box, or set "
                "stoic.many_arms.settings.DEFAULT to Settings(memory=…)"
            )


DEFAULT = Settings()
