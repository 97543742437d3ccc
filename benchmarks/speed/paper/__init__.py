"""The papers' algorithms at the papers' cost: the baseline of every ratio."""

from speed.paper.adaptive import PaperATA
from speed.paper.base import PaperPolicy
from speed.paper.exact import PaperCATGPUCB, PaperGPUCB, PaperMoMGPUCB, PaperTGPUCB
from speed.paper.sketched import PaperBKB

__all__ = ["PAPER", "PaperPolicy"]

PAPER: dict[str, type[PaperPolicy]] = {
    "gp-ucb": PaperGPUCB,
    "tgp-ucb": PaperTGPUCB,
    "ca-tgp-ucb": PaperCATGPUCB,
    "mom-gp-ucb": PaperMoMGPUCB,
    "ata-gp-ucb": PaperATA,
    "bkb": PaperBKB,
}
