"""Robust figures of plain values."""

from stoic.diagnostics.running import RunningSpread

__all__ = ["RunningSpread"]
