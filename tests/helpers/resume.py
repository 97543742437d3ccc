"""Restore every saved state in a folder and play on; print how each run ends.

Run in a process of its own by ``test_state.py``: ``python resume.py FOLDER ROUNDS``.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from stoic import state as states
from stoic.policies import Policy, from_state


def payoff(round: int, arm: Any) -> float:
    """A payoff that depends on the round and the arm alone."""
    noise = np.random.default_rng([11, round]).standard_t(2)
    return float(3.0 * np.sin(2.0 * np.sum(arm)) + noise)


def play_on(policy: Policy, rounds: int) -> list[Any]:
    """Play until round ``rounds``; the arms played."""
    arms = []
    while policy.t < rounds:
        arm = policy.ask()
        arms.append(arm if isinstance(arm, int) else arm.tolist())
        policy.tell(arm, payoff(policy.t, arm))
    return arms


def fingerprint(policy: Policy) -> str:
    """A digest of every bit of a policy's state."""
    digest = hashlib.sha256()
    for key, value in sorted(policy.state().items()):
        digest.update(key.encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    ends = {}
    for path in sorted(Path(sys.argv[1]).iterdir()):
        policy = from_state(states.load(path))
        arms = play_on(policy, int(sys.argv[2]))
        ends[path.name] = (arms, fingerprint(policy))
    print(json.dumps(ends))
