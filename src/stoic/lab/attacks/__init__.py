"""Attacks: adversaries who change payoffs within a budget."""

from stoic.lab.attacks.agg_sub import AggSub
from stoic.lab.attacks.base import Attack, Campaign, attacks
from stoic.lab.attacks.clipping import Clipping
from stoic.lab.attacks.flip import Flip
from stoic.lab.attacks.top_k import TopK

__all__ = ["AggSub", "Attack", "Campaign", "Clipping", "Flip", "TopK", "attacks"]
