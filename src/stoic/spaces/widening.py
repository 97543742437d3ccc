"""Wider versions of a space: the same parameters with wider ranges or more choices."""

from __future__ import annotations

from collections.abc import Iterator

from stoic.errors import InvalidInput
from stoic.spaces.choices import Categorical, Grid, Listed
from stoic.spaces.parameters import Parameter, Scalar
from stoic.spaces.ranges import Float, Int
from stoic.spaces.space import Space

__all__ = ["changes", "widened"]


def widened(old: Space, new: Space) -> Space:
    """``new`` with the parameters, and the choices, in the order of ``old``.

    Raises `InvalidInput` unless every configuration of ``old`` is one of ``new``, and each
    parameter has its type, scale, step and condition, and the space its constraints.

    >>> widened(Space({"n": (1, 8), "gc": ["g1", "zgc"]}),
    ...         Space({"gc": ["epsilon", "zgc", "g1"], "n": (1, 64)}))
    Space({'n': Int(1, 64), 'gc': Categorical(['g1', 'zgc', 'epsilon'])})
    """
    if set(old.names) != set(new.names):
        differing = sorted(set(old.names) ^ set(new.names))
        raise InvalidInput(f"it has other parameters: {', '.join(map(repr, differing[:5]))}")
    parameters = {
        name: _wider(name, mine, new.parameters[name]) for name, mine in old.parameters.items()
    }
    if old.constraints.key != new.constraints.key:
        raise InvalidInput(f"its constraints are {list(new.valid)}, not {list(old.valid)}")
    return Space(parameters, valid=old.valid or None)


def changes(old: Space, new: Space) -> Iterator[str]:
    """What a wider space changes, in words.

    >>> list(changes(Space({"n": (1, 8), "x": (0.0, 1.0)}), Space({"n": (1, 64), "x": (0.0, 1.0)})))
    ['n is now Int(1, 64), was Int(1, 8)']
    """
    for name, was in old.parameters.items():
        now = new.parameters[name]
        if now != was:
            yield f"{name} is now {now!r}, was {was!r}"


def _wider(name: str, old: Parameter, new: Parameter) -> Parameter:
    """The new parameter, its choices in the old order, or `InvalidInput`."""

    def refuse(what: str) -> InvalidInput:
        return InvalidInput(f"{name!r} is {what}: {_short(new)} instead of {_short(old)}")

    if type(old) is not type(new):
        raise refuse("of another type")
    if dict(old.when) != dict(new.when):
        raise refuse("under another condition")
    if isinstance(old, Float | Int) and isinstance(new, Float | Int):
        if (old.scale, old.step) != (new.scale, new.step):
            raise refuse("on another scale or with another step")
        if not (new.low <= old.low and old.high <= new.high):
            raise refuse("narrower")
        try:
            new.coordinate(old.low, name)
        except InvalidInput as off:
            raise refuse("on another grid") from off
    if isinstance(old, Listed) and isinstance(new, Listed):
        before, after = _keyed(old), _keyed(new)
        if not before.keys() <= after.keys():
            raise refuse("narrower")
        if isinstance(old, Grid) and [key for key in after if key in before] != list(before):
            raise refuse("in another order")
        if isinstance(old, Categorical):
            return Categorical([*before.values(), *_added(before, after)], when=old.when or None)
    return new


def _keyed(listed: Listed) -> dict[tuple[bool, Scalar], Scalar]:
    """The values by what makes them equal: a bool is no number."""
    values = [listed.value(level) for level in range(listed.size or 0)]
    return {(isinstance(value, bool), value): value for value in values}


def _added(
    before: dict[tuple[bool, Scalar], Scalar], after: dict[tuple[bool, Scalar], Scalar]
) -> list[Scalar]:
    return [value for key, value in after.items() if key not in before]


def _short(parameter: Parameter) -> str:
    text = repr(parameter)
    return text if len(text) <= 100 else text[:97] + "..."
