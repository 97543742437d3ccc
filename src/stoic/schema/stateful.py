"""Objects that are saved, restored and copied by the schema of their state."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from stoic.errors import InvalidState
from stoic.schema.fields import Schema

__all__ = ["Stateful", "restore_fields", "saved_fields"]


class Stateful:
    """An object that is saved, restored and copied by the schema of its state.

    A field ``x`` is the attribute ``x`` or ``_x``, which may be a property. None is not saved. A
    nested schema belongs to an attribute that is :class:`Stateful` itself. :meth:`_restored` must
    restore what can't be set, since it is computed from other attributes.

    >>> from stoic.schema import Wholes, checked
    >>> class Tally(Stateful):
    ...     schema = {"counts": Wholes("A"), "total": Wholes()}
    ...     def __init__(self, arms):
    ...         self._counts = np.zeros(arms, dtype=np.int64)
    ...     @property
    ...     def total(self):
    ...         return int(self._counts.sum())
    >>> tally = Tally(2)
    >>> tally.restore(checked({"counts": [3, 4], "total": 7}, Tally.schema, {"A": 2}))
    >>> tally.copy().state()
    {'counts': array([3, 4]), 'total': 7}
    """

    schema: ClassVar[Schema]
    shared: ClassVar[frozenset[str]] = frozenset()  # attributes that are never changed in place

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to continue bit by bit."""
        return saved_fields(self, self.schema)

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        restore_fields(self, state)
        self._restored(state)

    def _restored(self, state: dict[str, Any]) -> None:
        """Restore what the fields of a state do not hold themselves, or refuse the state."""

    def copy(self) -> Self:
        """An independent object in the same state; only what never changes is shared."""
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if name in self.shared:
                continue
            if isinstance(value, np.ndarray):
                setattr(twin, name, value.copy(order="K"))
            elif isinstance(value, Stateful | list | dict):
                setattr(twin, name, value.copy())
        return twin


def saved_fields(thing: object, schema: Schema) -> dict[str, Any]:
    """The fields of an object that are not None, in new arrays."""
    found: dict[str, Any] = {}
    for name in schema:
        value = getattr(thing, _attribute(thing, name))
        if isinstance(value, Stateful):
            found[name] = value.state()
        elif value is not None:
            found[name] = value.copy() if isinstance(value, np.ndarray) else value
    return found


def restore_fields(thing: object, state: Mapping[str, Any]) -> None:
    """Set the attributes of an object to the fields of a checked state, where they can be set."""
    for name, value in state.items():
        attribute = _attribute(thing, name)
        member = getattr(type(thing), attribute, None)
        if isinstance(value, Mapping):
            part = getattr(thing, attribute)
            if not isinstance(part, Stateful):
                raise InvalidState(f"expected no {name} in the state, got one")
            part.restore(dict(value))
        elif not isinstance(member, property) or member.fset is not None:
            setattr(thing, attribute, value)


def _attribute(thing: object, name: str) -> str:
    return name if hasattr(thing, name) else f"_{name}"
