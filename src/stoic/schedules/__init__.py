"""Schedules: (t, logdet, constants) → width and truncation level; one file per paper."""

from stoic.schedules.base import Assumptions, Progress, Schedule, Setting
from stoic.schedules.doubling import Doubling

__all__ = ["Assumptions", "Doubling", "Progress", "Schedule", "Setting"]
