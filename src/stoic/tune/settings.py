"""The settings of ``stoic tune``, from options, from a TOML file, or from both."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from stoic.checks import choice, describe, integer
from stoic.errors import InvalidInput
from stoic.numbers import parse
from stoic.optimize.aim import TARGETS, Bounds, given_bounds
from stoic.optimize.finals.size import Confirm
from stoic.parallel import ENGINES
from stoic.runs.limits import SETTLED, seconds
from stoic.streams import read_toml, source_name
from stoic.tune.baseline import of_setting
from stoic.tune.metric import MEASURES
from stoic.tune.parameters import Written, of_flag, of_table

__all__ = [
    "Settings",
    "bounds",
    "direction_of",
    "finals",
    "losses",
    "parameters",
    "repeats",
    "seconds",
]


@dataclass(frozen=True)
class Settings:
    """What options or a file set; None where they set nothing."""

    command: tuple[str, ...] | None = None
    params: tuple[Written, ...] = ()
    valid: tuple[str, ...] = ()
    direction: str | None = None
    budget: int | None = None
    time: float | None = None
    baseline: Mapping[str, Any] | None = None
    confirm: Confirm | None = None
    stop: str | None = None
    timeout: float | None = None
    metric: str | None = None
    json: str | None = None
    measure: str | None = None
    objective: str | None = None
    target: str | None = None
    bounds: Bounds | None = None
    jobs: int | None = None
    engine: str | None = None
    scheduler: str | None = None
    repeat: int | None = None  # 0: the optimiser decides
    env: bool | None = None
    store: str | None = None
    name: str | None = None
    seed: int | None = None
    lease: float | None = None
    max_lost_leases: int | None = None  # 0: no limit
    report: str | None = None
    group_readable: bool | None = None

    @classmethod
    def of_file(cls, path: Path) -> Settings:
        """The settings of a TOML file."""
        table = read_toml(path)
        try:
            return cls.of_table(table)
        except InvalidInput as error:
            raise InvalidInput(f"in {source_name(path)}: {error}") from error

    @classmethod
    def of_table(cls, table: dict[str, Any]) -> Settings:
        """The settings of a table.

        >>> found = Settings.of_table({"budget": 60, "params": {"threads": "1:64"}})
        >>> found.budget, found.params[0].parameter
        (60, Int(1, 64))
        """
        known = {field.name for field in fields(cls)}
        for key in table:
            if key not in known:
                listed = ", ".join(sorted(known))
                raise InvalidInput(f"expected keys among {listed}, got {key!r}; correct or drop it")
        return cls(**{key: _READ[key](value, key) for key, value in table.items()})

    def checked(self) -> Settings:
        """These settings, from options: their numbers have the same bounds as in a file."""
        for key in ("budget", "jobs", "seed", "target", "stop", "engine"):
            if (value := getattr(self, key)) is not None:
                _READ[key](value, f"--{key}")
        return self

    def over(self, base: Settings) -> Settings:
        """These settings where they are set, else those of ``base``.

        Parameters of the same name are replaced, others are appended, and so are constraints and
        the values of the baseline.
        ``metric``, ``json`` and ``measure`` are one choice: one of them here replaces the choice of
        ``base``.
        """
        given = {f.name: v for f in fields(self) if (v := getattr(self, f.name)) is not None}
        own = {each.name: each for each in self.params}
        kept = tuple(own.pop(each.name, each) for each in base.params)
        given["params"] = (*kept, *own.values())
        if self.baseline is not None:
            given["baseline"] = {**(base.baseline or {}), **self.baseline}
        given["valid"] = tuple(dict.fromkeys([*base.valid, *self.valid]))
        choices = ("metric", "json", "measure")
        if any(getattr(self, key) is not None for key in choices):
            given |= {key: getattr(self, key) for key in choices}
        return replace(base, **given)


def bounds(value: object, name: str) -> Bounds | None:
    """The lowest and the highest possible value, as text LOW:HIGH; either may be left out.

    In a file also as a list of two numbers.

    >>> bounds("0:", "bounds"), bounds("0:1", "bounds"), bounds(":100", "bounds")
    ((0.0, None), (0.0, 1.0), (None, 100.0))
    """
    if isinstance(value, list):
        return given_bounds(value)
    ends = value.split(":") if isinstance(value, str) else []
    read = [parse(end) if end.strip() else None for end in ends]
    unread = [text for end, text in zip(read, ends, strict=True) if end is None and text.strip()]
    if len(ends) != 2 or unread or read == [None, None]:
        raise InvalidInput(f"expected {name} as LOW:HIGH, such as 0: or 0:1, got {describe(value)}")
    return given_bounds(tuple(read))


def finals(value: object, name: str) -> Confirm:
    """How many evaluations are finals; 0 for ``"no"`` or false.

    >>> finals("auto", "confirm"), finals("12", "confirm"), finals("no", "confirm")
    ('auto', 12, 0)
    """
    if value == "auto" or value is True:
        return "auto"
    if value in ("no", "0") or value is False:
        return 0
    return _count(value, name, "auto, no or a number of trials")


def repeats(value: object, name: str) -> int:
    """How often each trial is run; 0 for ``"auto"``."""
    return 0 if value == "auto" else _count(value, name, "auto or a number of runs")


def losses(value: object, name: str) -> int:
    """How many leases of a trial may be lost; 0 for ``"unlimited"``."""
    return 0 if value == "unlimited" else _count(value, name, "unlimited or a number of leases")


def _count(value: object, name: str, expected: str) -> int:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value):
        value = int(value)
    if isinstance(value, str):
        raise InvalidInput(f"expected {name} to be {expected}, got {value!r}")
    return integer(value, name, at_least=1)


def parameters(flags: list[str]) -> tuple[Written, ...]:
    """The parameters of ``-p`` options."""
    found = tuple(map(of_flag, flags))
    for i, each in enumerate(found):
        if each.name in {other.name for other in found[:i]}:
            raise InvalidInput(f"expected each parameter once, got {each.name!r} twice; drop one")
    return found


def direction_of(minimize: bool, maximize: bool) -> str | None:
    """The direction that two flags mean; None where neither was given."""
    if minimize and maximize:
        raise InvalidInput("expected --minimize or --maximize, got both; drop one")
    return "minimize" if minimize else "maximize" if maximize else None


def _command(value: object, name: str) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value))
        except ValueError as error:
            raise InvalidInput(f"expected {name} as a shell would read it, got {error}") from error
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise InvalidInput(f"expected {name} as text or as a list of texts, got {describe(value)}")


def _params(value: object, name: str) -> tuple[Written, ...]:
    if not isinstance(value, dict):
        raise InvalidInput(f"expected {name} as a table, got {describe(value)}; write [params]")
    return tuple(of_table(key, entry) for key, entry in value.items())


def _texts(value: object, name: str) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_text(each, f"each of {name}") for each in value)
    return (_text(value, name),)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"expected {name} as text, got {describe(value)}")
    return value


def _store(value: object, name: str) -> str:
    if not isinstance(value, str):  # not described: it may hold a password
        raise InvalidInput(f"expected {name} as text, got {type(value).__name__}")
    return _text(value, name)


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"expected {name} to be true or false, got {describe(value)}")
    return value


_READ: dict[str, Any] = {
    "command": _command,
    "params": _params,
    "valid": _texts,
    "direction": lambda value, name: choice(value, name, ("minimize", "maximize")),
    "budget": lambda value, name: integer(value, name, at_least=1, at_most=10**7),
    "time": seconds,
    "baseline": of_setting,
    "confirm": finals,
    "stop": lambda value, name: choice(value, name, (SETTLED,)),
    "timeout": seconds,
    "metric": _text,
    "json": _text,
    "measure": lambda value, name: choice(value, name, tuple(MEASURES)),
    "objective": _text,
    "target": lambda value, name: choice(value, name, tuple(TARGETS)),
    "bounds": bounds,
    "jobs": lambda value, name: integer(value, name, at_least=1, at_most=1024),
    "engine": lambda value, name: choice(value, name, ENGINES),
    "scheduler": _text,
    "repeat": repeats,
    "env": _flag,
    "store": _store,
    "name": _text,
    "seed": lambda value, name: integer(value, name, at_least=0, at_most=2**63 - 1),
    "lease": seconds,
    "max_lost_leases": losses,
    "report": _text,
    "group_readable": _flag,
}
