"""How a user's function is called with a configuration, and what it is called itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput
from stoic.spaces import Space

__all__ = ["Call", "caller", "name_of"]

Call = Callable[[Mapping[str, Any]], object]


def caller(fn: Callable[..., object], space: Space) -> Call:
    """How to call ``fn`` with a configuration, or a typed error where there is no way."""
    if not callable(fn):
        raise InvalidInput(f"expected a function to optimise, got {describe(fn)}")
    if inspect.iscoroutinefunction(fn):
        raise InvalidInput(
            "expected a plain function, got a coroutine function; "
            "wrap it: lambda **params: asyncio.run(fn(**params))"
        )
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some built-in functions have none
        return fn
    names = dict.fromkeys(space.names)
    if _binds(signature, **names):
        always = {name: None for name in names if not space.parameters[name].when}
        if not _binds(signature, **always):
            raise InvalidInput(
                f"expected defaults for the parameters with a condition, got {signature}; "
                "give them one, such as None, for where they do not exist"
            )
        return lambda params: fn(**params)
    if _binds(signature, {}) and not set(names) & set(signature.parameters):
        return fn
    listed = ", ".join(names) if len(names) <= 10 else ", ".join([*names][:10]) + ", …"
    raise InvalidInput(
        f"expected a function of {listed}, or of one dict with them, got {signature}; "
        "make its parameters and the space agree"
    )


def _binds(signature: inspect.Signature, *args: object, **kwargs: object) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def name_of(fn: Callable[..., object]) -> str:
    """The name of a function if it is worth an axis, or else ``"value"``."""
    name = getattr(fn, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "value"
