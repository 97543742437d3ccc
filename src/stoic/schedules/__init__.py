"""Schedules: (t, logdet, constants) → width and truncation level; one file per paper."""

from stoic.schedules.base import Assumptions, Progress, Schedule, Setting

__all__ = ["Assumptions", "Progress", "Schedule", "Setting"]
