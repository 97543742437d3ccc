"""Keys that make an ask idempotent: the token of its lease is derived from the key.

So the trial that an ask was given is found by its key: after a lost reply, in another process, and
when the trial has its outcome. A trial whose lease went to another worker has that worker's token,
and is no longer found.
"""

from __future__ import annotations

import secrets

from stoic.checks import describe
from stoic.errors import InvalidInput
from stoic.study.store.rows import KEYED, digest

__all__ = ["checked_key", "random_token", "token_of"]

_MAX_KEY_CHARACTERS = 500


def checked_key(key: object) -> str:
    """A key of an ask, or `InvalidInput`."""
    valid = isinstance(key, str) and 0 < len(key) <= _MAX_KEY_CHARACTERS and key.isprintable()
    if not isinstance(key, str) or not valid:
        raise InvalidInput(
            f"expected key as printable text of at most {_MAX_KEY_CHARACTERS} characters, got "
            f"{describe(key)}; use a random one for each ask, and the same one when it is repeated"
        )
    return key


def token_of(uid: str, key: str, verb: str = "ask") -> str:
    """The token of the trial that a call with this key is given, in the study ``uid``."""
    return KEYED + digest(verb, uid, key)


def random_token() -> str:
    """A token for an ask without a key."""
    return secrets.token_hex(8)
