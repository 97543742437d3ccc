"""Duels: run contenders in blocks of random order until it is known which one is better."""

from stoic.duels.api import duel
from stoic.duels.result import DuelResult

__all__ = ["DuelResult", "duel"]
