"""Registries that make an object from its kind and parameters, as in a TOML table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from stoic.checks import describe
from stoic.errors import InvalidInput, UnknownName

__all__ = ["Registry"]

CONTEXT = ("seed", "horizon")  # given by the run, not by the table

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Registry(Generic[T]):
    """Classes and functions, each registered by a kind.

    >>> numbers = Registry[int]("number")
    >>> @numbers.register("sum")
    ... def add(a: int, b: int = 1) -> int:
    ...     return a + b
    >>> numbers.make({"kind": "sum", "a": 2})
    3
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._makers: dict[str, Callable[..., T]] = {}

    def register(self, kind: str) -> Callable[[F], F]:
        """A decorator that registers a class or function by its kind."""

        def decorator(maker: F) -> F:
            self._makers[kind] = maker
            return maker

        return decorator

    def kinds(self) -> list[str]:
        """All kinds, sorted."""
        return sorted(self._makers)

    def maker(self, kind: object) -> Callable[..., T]:
        """The class or function of a kind, or an error that lists the kinds."""
        if not isinstance(kind, str) or kind not in self._makers:
            raise UnknownName(
                f"expected a {self.what} among {', '.join(self.kinds())}, got {describe(kind)}"
            )
        return self._makers[kind]

    def parameters(self, kind: str) -> list[str]:
        """The parameters that a table of a kind may have, with their defaults."""
        taken = inspect.signature(self.maker(kind)).parameters
        return [
            name if p.default is p.empty else f"{name} = {_shown(p.default)}"
            for name, p in taken.items()
            if name not in CONTEXT
        ]

    def make(self, table: Mapping[str, Any], **context: Any) -> T:
        """The object that a table describes, ``{"kind": …, **parameters}``.

        ``context`` (a seed, a horizon) is passed where the maker takes it.
        """
        parameters = {name: value for name, value in table.items() if name != "kind"}
        maker = self.maker(table.get("kind"))
        taken = inspect.signature(maker).parameters
        context = {name: value for name, value in context.items() if name in taken}
        own = [name for name in taken if name not in context]
        unknown = [name for name in parameters if name not in own]
        missing = [
            name
            for name in own
            if name not in parameters and taken[name].default is inspect.Parameter.empty
        ]
        if unknown or missing:
            raise InvalidInput(
                f"expected {self.what} {table['kind']!r} with parameters {', '.join(own) or 'none'}"
                + (f"; got unknown {', '.join(unknown)}" if unknown else "")
                + (f"; missing {', '.join(missing)}" if missing else "")
            )
        return maker(**parameters, **context)


def _shown(default: object) -> str:
    plain = isinstance(default, bool | int | float | str) or default is None
    return repr(default) if plain else "…"
