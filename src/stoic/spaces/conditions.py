"""Which parameters of a space exist, given the values of others.

A parameter exists iff its parents exist and have one of the values that its
``when`` lists. Applied to all ancestors, this is one conjunction: every ancestor's
level is in a set. The rest of the space only uses these sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from stoic.errors import InvalidInput, InvalidParams
from stoic.spaces.parameters import Parameter
from stoic.spaces.ranges import is_continuum

__all__ = ["Needs", "count", "resolve"]

_MAX_COUNTED_SETS = 2**14  # of ruled-out parameters; bounds memory and time of `count`

Needs = Mapping[int, frozenset[int]]
"""For one parameter: the index of each ancestor, and the levels that it may have."""


def resolve(parameters: Mapping[str, Parameter]) -> list[Needs]:
    """The needs of every parameter, or a typed error for a condition that can't be met."""
    numbers = {name: i for i, name in enumerate(parameters)}
    needs: list[Needs] = []
    for name, parameter in parameters.items():
        joint: dict[int, frozenset[int]] = {}
        for parent in parameter.when:
            _check_parent(name, parent, numbers)
            p = numbers[parent]
            for ancestor, levels in {**needs[p], p: _levels(parameters, name, parent)}.items():
                joint[ancestor] = joint.get(ancestor, levels) & levels
        if not all(joint.values()):
            raise InvalidInput(
                f"expected a condition of {name!r} that can be met, got {dict(parameter.when)!r}, "
                "which contradicts itself or the conditions of its parents; drop one of them"
            )
        needs.append(joint)
    return needs


def _check_parent(name: str, parent: str, numbers: Mapping[str, int]) -> None:
    """Parents must come first: this excludes cycles, and a space reads from top to bottom."""
    if parent not in numbers:
        raise InvalidInput(
            f"expected when of {name!r} to name a parameter of the space, got {parent!r}; "
            "correct or add it"
        )
    if parent == name:
        raise InvalidInput(f"expected when of {name!r} to name another parameter, got itself")
    if numbers[parent] > numbers[name]:
        raise InvalidInput(
            f"expected when of {name!r} to name a parameter that comes before it, "
            f"got {parent!r}; move {parent!r} up"
        )


def _levels(parameters: Mapping[str, Parameter], name: str, parent: str) -> frozenset[int]:
    """The levels of ``parent`` at which ``name`` exists."""
    owner = parameters[parent]
    if is_continuum(owner):
        raise InvalidInput(
            f"expected when of {name!r} to name a Categorical, Int or Grid, "
            f"got the Float {parent!r}; use a Categorical as the condition"
        )
    try:
        values = parameters[name].when[parent]
        return frozenset(int(owner.coordinate(v, repr(parent))) for v in values)
    except InvalidParams as error:
        raise InvalidInput(f"in when of {name!r}: {error}") from error


def count(parameters: Sequence[Parameter], needs: Sequence[Needs]) -> int | None:
    """The number of different configurations; None for a continuum.

    Visits the parameters once and keeps, for every set of later parameters that are already ruled
    out, the number of ways that lead to it. Roots with many descendants come first, and a child
    comes as soon as its roots are done, so there are few sets unless conditions interlock. A set is
    an int; bit i is parameter i.
    """
    ways: Counter[int] = Counter({0: 1})
    for i in _order(needs):
        size = parameters[i].size
        if size is None:  # resolve has checked that its conditions can be met
            return None
        outcomes = _outcomes(i, size, needs)
        step: Counter[int] = Counter()
        for out, n in ways.items():
            if out >> i & 1:  # its children need its own ancestors too, so they are out already
                step[out ^ 1 << i] += n
                continue
            for ruled_out, levels in outcomes.items():
                step[out | ruled_out] += n * levels
        ways = step
        if len(ways) > _MAX_COUNTED_SETS:
            raise InvalidInput(
                f"expected conditions that can be counted, got more than {_MAX_COUNTED_SETS} "
                "ways in which they interlock; drop some"
            )
    return sum(ways.values())


def _order(needs: Sequence[Needs]) -> list[int]:
    """Indices of the parameters, parents before children."""
    descendants = Counter(ancestor for need in needs for ancestor in need)
    last_root = [
        max((-descendants[a], a) for a in (*need, i) if not needs[a])
        for i, need in enumerate(needs)
    ]
    return sorted(range(len(needs)), key=lambda i: (last_root[i], i))


def _outcomes(i: int, size: int, needs: Sequence[Needs]) -> Counter[int]:
    """The sets of parameters that levels of ``i`` rule out, with the number of such levels."""
    children = {c: need[i] for c, need in enumerate(needs) if i in need}
    named: set[int] = set().union(*children.values())
    outcomes = Counter(
        sum(1 << c for c, levels in children.items() if k not in levels) for k in named
    )
    if size > len(named):
        outcomes[sum(1 << c for c in children)] += size - len(named)
    return outcomes
