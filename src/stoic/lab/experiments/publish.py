"""Everything that a finished experiment shows: figures, summaries, a report."""

from __future__ import annotations

__all__ = ["publish"]
