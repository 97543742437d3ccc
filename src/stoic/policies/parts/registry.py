"""Policies by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from stoic import state as states
from stoic.checks import describe
from stoic.errors import InvalidState, UnknownName
from stoic.policies.base import Policy

__all__ = ["by_name", "from_state", "names", "register"]

_POLICIES: dict[str, type[Policy]] = {}
P = TypeVar("P", bound=type[Policy])


def register(policy: P) -> P:
    """Make a policy class known by its ``name``; a class decorator."""
    _POLICIES[policy.name] = policy
    return policy


def names() -> list[str]:
    """The names of all policies, sorted."""
    return sorted(_POLICIES)


def by_name(name: str) -> type[Policy]:
    """The policy class of a name such as ``"tgp-ucb"``.

    >>> by_name("tgp-ucb").__name__
    'TGPUCB'
    """
    try:
        return _POLICIES[name]
    except (KeyError, TypeError):  # TypeError: nothing that could be a name
        raise UnknownName(
            f"expected a policy among {', '.join(names())}, got {describe(name)}"
        ) from None


def from_state(state: Mapping[str, Any], *, schedule: Any = None) -> Policy:
    """The policy of a saved state, whichever policy it is of."""
    name = states.unflatten(state).get("policy")
    if not isinstance(name, str) or name not in _POLICIES:
        raise InvalidState(
            f"expected a state of one of {', '.join(names())}, got one of {describe(name)}; "
            "import the package that has this policy, if it is not one of Stoic's"
        )
    return _POLICIES[name].from_state(state, schedule=schedule)
