"""Finals: the best few candidates and the baseline, measured again in blocks, and the verdict."""

from stoic.optimize.finals.record import Contender, FinalsRecord
from stoic.optimize.finals.verdict import BETTER, NOT_SHOWN, WORSE, Verdict

__all__ = ["BETTER", "NOT_SHOWN", "WORSE", "Contender", "FinalsRecord", "Verdict"]
