"""A policy's own constructor arguments, declared with their defaults and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

__all__ = ["Option", "checked_options", "options_of"]

T = TypeVar("T")


class Option(Generic[T]):
    """A constructor argument of a policy class, and the attribute of its instances.

    An option whose default is None may be None, and is then not saved.

    >>> from functools import partial
    >>> from stoic.checks import number
    >>> class Sketch:
    ...     eps = Option(0.5, partial(number, above=0.0))
    ...     def __init__(self, **own):
    ...         for name, value in checked_options(type(self), own).items():
    ...             setattr(self, name, value)
    >>> Sketch().eps, Sketch(eps=0.1).eps
    (0.5, 0.1)

    Parameters
    ----------
    default
        Where none is given.
    check
        From the value and the name of the argument to the value as it is kept, or a typed error.
    """

    def __init__(self, default: T, check: Callable[[Any, str], T]) -> None:
        self.default, self._check = default, check

    def __get__(self, policy: object, owner: type) -> T:
        # an instance has an attribute of this name, which Python finds first
        return self.default

    def checked(self, value: Any, name: str) -> T:
        """The value given, or a typed error."""
        left_out = value is None and self.default is None
        return self.default if left_out else self._check(value, name)


def options_of(policy: type) -> dict[str, Option[Any]]:
    """The options that a class and those it inherits from declare, by name."""
    parts = (vars(part).items() for part in reversed(policy.__mro__))
    return {name: part for items in parts for name, part in items if isinstance(part, Option)}


def checked_options(policy: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options of a policy class, checked."""
    options = options_of(policy)
    for name in given:
        if name not in options:
            raise TypeError(f"{policy.__name__}() got an unexpected keyword argument {name!r}")
    return {
        name: option.checked(given.get(name, option.default), name)
        for name, option in options.items()
    }
