"""Policies as plain states, and back: what all of them have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import describe
from stoic.errors import InvalidState
from stoic.kernels import Kernel
from stoic.policies.parts.options import options_of
from stoic.schedules import Assumptions
from stoic.schema import Reals, Schema, Texts, Wholes, checked
from stoic.spaces import Arms, Box, Domain

__all__ = ["FORMAT", "arguments", "check_format", "domain_state", "options_state"]

FORMAT = 1  # of states
_SHARED: Schema = {  # of a state, what all policies have in common
    "format": Wholes(),
    "policy": Texts(),
    "domain": {
        "arms": Reals("arms", "dimension", optional=True),
        "low": Reals("dimension", optional=True),
        "high": Reals("dimension", optional=True),
    },
    "shared": {
        "lam": Reals(low=0.0),
        "seed": Wholes(below=2**63),
        "schedule": Texts(),
        "horizon": Wholes(low=1, optional=True),
    },
}


def domain_state(domain: Domain) -> dict[str, Any]:
    """Arms or the corners of a box."""
    if isinstance(domain, Arms):
        return {"arms": np.array(domain.X)}
    return {"low": domain.low.copy(), "high": domain.high.copy()}


def options_state(policy: object) -> dict[str, Any]:
    """The policy's own constructor arguments that are not None."""
    values = {name: getattr(policy, name) for name in options_of(type(policy))}
    return {name: value for name, value in values.items() if value is not None}


def check_format(nested: dict[str, Any], policy: str) -> None:
    """Raise unless this is a state of a policy in a known format."""
    form, name = nested.get("format"), nested.get("policy")
    if not (isinstance(form, int) and form == FORMAT and isinstance(name, str)):
        raise InvalidState(f"expected a state of format {FORMAT}, got {describe(form)}")
    if name != policy:
        raise InvalidState(f"expected a state of policy {policy!r}, got one of {describe(name)}")


def arguments(nested: dict[str, Any], schedule: Any) -> dict[str, Any]:
    """The constructor arguments of a state without its memory, checked."""
    kernel, assumptions, options = (
        nested.pop(part, {}) for part in ("kernel", "assumptions", "options")
    )
    shared = checked(nested, _SHARED, {})["shared"]
    if schedule is not None:
        shared["schedule"] = schedule
    elif shared["schedule"] == "custom":
        raise InvalidState("expected schedule=… to restore a policy with a custom schedule")
    domain = nested["domain"]
    return {
        "domain": Arms(domain["arms"]) if "arms" in domain else Box(domain["low"], domain["high"]),
        "kernel": Kernel.from_state(kernel),
        "assumptions": Assumptions(**assumptions),
        **shared,
        **options,
    }
