"""The papers' algorithms, one file each; see ``stoic.policies.names()``."""

from stoic.policies.ata_gp_ucb import ATAGPUCB
from stoic.policies.base import Policy, Recommendation
from stoic.policies.bbkb import BBKB
from stoic.policies.bkb import BKB
from stoic.policies.catgp_ucb import CATGPUCB
from stoic.policies.fast_slow_gp_ucb import FastSlowGPUCB
from stoic.policies.gp_ucb import GPUCB
from stoic.policies.huber_gp_ucb import HuberGPUCB
from stoic.policies.mom_gp_ucb import MoMGPUCB
from stoic.policies.parts.registry import by_name, from_state, names, register
from stoic.policies.rcgp_ucb import RCGPUCB
from stoic.policies.rgp_pe import RGPPE
from stoic.policies.rgp_ucb import RGPUCB
from stoic.policies.tgp_ucb import TGPUCB
from stoic.policies.uniform import Uniform

__all__ = [
    "ATAGPUCB",
    "BBKB",
    "BKB",
    "CATGPUCB",
    "GPUCB",
    "RCGPUCB",
    "RGPPE",
    "RGPUCB",
    "TGPUCB",
    "FastSlowGPUCB",
    "HuberGPUCB",
    "MoMGPUCB",
    "Policy",
    "Recommendation",
    "Uniform",
    "by_name",
    "from_state",
    "names",
    "register",
]
