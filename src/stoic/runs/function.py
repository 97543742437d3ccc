"""Evaluate a trial by calling a Python function, and interpret what it returns."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from stoic.checks import describe, number
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.parallel import Pool
from stoic.runs.evaluation import Finished, Outcome, Ticket
from stoic.runs.patience import Patience
from stoic.spaces import Space

__all__ = ["FunctionEvaluation", "caller", "name_of"]

_MISTAKES = (TypeError, NameError, AttributeError, ImportError)  # of the program, not the system
_MAX_REASON_CHARACTERS = 200  # of an exception's message or a value that are kept

Call = Callable[[Mapping[str, Any]], object]


class FunctionEvaluation:
    """Calls a function with each configuration; a call that has begun can't be stopped."""

    patience = Patience()
    stoppable = False

    def __init__(self, fn: Callable[..., object], space: Space) -> None:
        self._call = caller(fn, space)

    def submit(self, pool: Executor, ticket: Ticket) -> Future[Any]:
        if isinstance(pool, Pool) and pool.far:
            return pool.submit(_located, self._call, dict(ticket.params))
        return pool.submit(self._call, dict(ticket.params))

    def outcome(self, future: Future[Any]) -> Outcome:
        try:
            value = future.result()
        except Exception as error:
            mistake = isinstance(error, _MISTAKES)
            return Outcome((), _reason(error), type(error), mistake, error)
        if isinstance(value, _Located):
            return replace(self._of_value(value.value), machine=value.machine)
        return self._of_value(value)

    def _of_value(self, value: Any) -> Outcome:
        if value is None:
            return Outcome((), "returned None", type(None), mistake=True)
        try:
            return Outcome((number(value, "the function's value", error=InvalidPayoff),))
        except InvalidPayoff:
            scalar = hasattr(value, "item") and getattr(value, "ndim", 1) == 0
            bare = value.item() if scalar else value
            if isinstance(bare, bool) or not isinstance(bare, Real):
                raise
            return Outcome((), f"returned {bare!r}"[:_MAX_REASON_CHARACTERS])

    def gave_up(self, count: int, finished: Finished, *, alike: bool) -> Exception:  # noqa: ARG002
        if finished.outcome.error is None:
            return InvalidPayoff(
                f"expected the function to return a real number, got None {count} times out of "
                f"{count}; return the value to optimise"
            )
        return InvalidInput(
            f"expected the function to give a value somewhere, got {finished.outcome.reason!r} and "
            f"similar {count} times out of {count}; call it with {dict(finished.params)} and "
            "repair it"
        )

    def stop(self) -> None:
        pass


@dataclass(frozen=True)
class _Located:
    """What a function returned on another machine."""

    value: object
    machine: str


def _located(call: Call, params: Mapping[str, Any]) -> _Located:
    return _Located(call(params), socket.gethostname())


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:_MAX_REASON_CHARACTERS] if text else name


def caller(fn: Callable[..., object], space: Space) -> Call:
    """A function that calls ``fn`` with a configuration, or a typed error."""
    if not callable(fn):
        raise InvalidInput(f"expected a function to optimise, got {describe(fn)}")
    if inspect.iscoroutinefunction(fn):
        raise InvalidInput(
            "expected a function that is not a coroutine function, got one; "
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
    """The name of a function for axes, or ``"value"`` where it has none."""
    name = getattr(fn, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "value"
