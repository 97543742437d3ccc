"""Duels from Python: functions or commands, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stoic.checks import choice, describe, given_direction, integer
from stoic.comparison import Margin
from stoic.duels.commands import CommandContender, Commands, arguments_of
from stoic.duels.contenders import Contender, FunctionContender
from stoic.duels.engine import Duel, Rules
from stoic.duels.result import DuelResult
from stoic.errors import InvalidInput
from stoic.tune.metric import MEASURES, metric_of
from stoic.tune.settings import seconds

__all__ = ["duel"]

_DEFAULT_MARGIN = 0.02
_DEFAULT_BLOCKS = 100

Side = Callable[[], object] | str | Sequence[str]


def duel(
    contenders: Mapping[str, Side],
    *,
    direction: str | None = None,
    measure: str | None = None,
    margin: object = _DEFAULT_MARGIN,
    budget: int = _DEFAULT_BLOCKS,
    time: object = None,
    seed: int = 0,
) -> DuelResult:
    """Compare contenders with the first one, the baseline, until it is known which is better.

    Each block runs every contender once, in random order. After each block the contenders are
    compared (`stoic.comparison.compare`). One may look at every block and stop at any of them: a
    wrong winner still has a probability of at most 5 %, all challengers together.

    Parameters
    ----------
    contenders
        Functions without arguments that return the value, or commands that print it.
    direction
        ``"minimize"`` or ``"maximize"``; with ``measure``, low values are good.
    measure
        ``"wall"`` or ``"cpu"``: the time of a call or of a program is the value. ``"rss"``: the
        memory of a program.
    margin
        What does not matter: 0.02 or ``"2%"``, or ``"0.5"`` in units of the value.
    budget
        Blocks at most.
    time
        Time at most, in seconds, or as text such as ``"10m"``.
    seed
        Of the orders.

    Ctrl-C ends the duel; the result has what was known then.

    >>> import random
    >>> rng = random.Random(0)
    >>> old, new = lambda: rng.gauss(10.0, 1.0), lambda: rng.gauss(8.0, 1.0)
    >>> result = duel({"old": old, "new": new}, direction="minimize")
    >>> result.decisions, result.best
    ({'new': 'better'}, 'new')
    """
    if measure is not None:
        choice(measure, "measure", tuple(MEASURES))
    limit = None if time is None else seconds(time, "time")
    rules = Rules(
        direction=_direction(direction, measure),
        margin=Margin.of(margin),
        budget=integer(budget, "budget", at_least=1, at_most=10**6),
        seconds=limit,
        seed=integer(seed, "seed", at_least=0),
    )
    sides = _sides(contenders)
    if all(map(callable, sides.values())):
        made = [FunctionContender(name, fn, measure) for name, fn in sides.items()]
        return _of_functions(Duel(made, rules), measure)
    return _of_commands(sides, rules, measure)


def _direction(direction: str | None, measure: str | None) -> str:
    """What is good: a measured time or memory is, where it is low."""
    return "minimize" if direction is None and measure is not None else given_direction(direction)


def _sides(contenders: object) -> dict[str, Any]:
    if not isinstance(contenders, Mapping) or len(contenders) < 2:
        raise InvalidInput(
            f"expected two or more contenders by name, got {describe(contenders)}; "
            'pass {"old": f, "new": g}'
        )
    sides = {str(name): side for name, side in contenders.items()}
    if len({callable(side) for side in sides.values()}) > 1:
        raise InvalidInput("expected functions or commands, got both; wrap one of them")
    return sides


def _objective(measure: str | None) -> tuple[str, str]:
    return ("value", "") if measure is None else MEASURES[measure]


def _of_functions(made: Duel, measure: str | None) -> DuelResult:
    try:
        made.run()
    except KeyboardInterrupt:
        made.ended_by = "interrupted"
    return DuelResult.of(made, *_objective(measure))


def _of_commands(sides: Mapping[str, Any], rules: Rules, measure: str | None) -> DuelResult:
    words = {name: arguments_of(side) for name, side in sides.items()}
    shared = Commands(metric_of(None, None, measure), list(words.values()), None)
    made: list[Contender] = [CommandContender(n, w, shared) for n, w in words.items()]
    with shared.running() as (_, call):
        found = Duel(made, rules, call)
        found.run()
    name, unit = _objective(measure)
    return DuelResult.of(found, name, unit or shared.unit.name)
