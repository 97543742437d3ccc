"""Experiments written as TOML.

    name = "mine/first"
    horizon = 2000
    trials = 10

    [problem]
    kind = "rkhs-chowdhury2019"

    [noise]
    kind = "student-t"
    df = 3

    [[policy]]
    policy = "tgp-ucb"

    [[policy]]
    policy = "my_policy.py:Greedy"
    options = { eps = 0.1 }

``problem``, ``noise``, ``attack`` and ``policy`` may be tables or arrays of tables; ``schedule``
and ``horizon`` values or arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.streams import is_stream, read_toml

__all__ = ["from_table", "load", "to_table"]

_SEVERAL = {
    "problem": "problems",
    "noise": "noises",
    "attack": "attacks",
    "policy": "policies",
    "schedule": "schedules",
    "horizon": "horizons",
    "record": "record",
}
_ONE = ("name", "trials", "moment_order", "delta", "budget", "checkpoints", "first_trial")
_PATHS = ("path",)


def load(path: str | Path) -> Experiment:
    """The experiment in a TOML file (``-``: standard input); paths are relative to the file."""
    path = Path(path)
    table = read_toml(path)
    table.setdefault("name", "experiment" if is_stream(path) else path.stem)
    return from_table(table, folder=path.resolve().parent)


def from_table(table: Mapping[str, Any], folder: Path | None = None) -> Experiment:
    """The experiment that a parsed table describes."""
    unknown = sorted(set(table) - set(_SEVERAL) - set(_ONE))
    if unknown:
        raise InvalidInput(
            f"expected an experiment made of {', '.join([*_ONE, *_SEVERAL])}; "
            f"got {', '.join(unknown)} too; check the spelling"
        )
    for name in ("name", "problem", "policy"):
        if name not in table:
            raise InvalidInput(f"expected {name!r} in the experiment, got none; add it")
    given: dict[str, Any] = {name: table[name] for name in _ONE if name in table}
    for name, plural in _SEVERAL.items():
        if name in table:
            value = table[name]
            given[plural] = tuple(value) if isinstance(value, list) else (value,)
    for name in ("problems", "noises"):
        if name in given:
            given[name] = tuple(_rooted(part, folder) for part in given[name])
    if "schedules" in given:
        given["schedules"] = tuple(_absolute(name, folder) for name in given["schedules"])
    given["policies"] = tuple(_policy(part, folder) for part in given["policies"])
    return Experiment(**given)


def _rooted(table: Any, folder: Path | None) -> Any:
    """A table whose paths are absolute."""
    if folder is None or not isinstance(table, Mapping):
        return table
    return {k: str(folder / v) if k in _PATHS else v for k, v in table.items()}


def _policy(table: Any, folder: Path | None) -> PolicySpec:
    if isinstance(table, str):
        table = {"policy": table}
    known = [item.name for item in fields(PolicySpec)]
    if not isinstance(table, Mapping) or not set(table) <= set(known) or "policy" not in table:
        raise InvalidInput(
            f"expected a policy as a table with 'policy' and possibly {', '.join(known[1:])}, "
            f"got {describe(table)}"
        )
    spec = PolicySpec(**table)
    label = spec.label
    instead = {name: _absolute(path, folder) for name, path in spec.instead.items()}
    schedule = None if spec.schedule is None else _absolute(spec.schedule, folder)
    return replace(
        spec, policy=_absolute(spec.policy, folder), label=label, schedule=schedule, instead=instead
    )


def _absolute(path: Any, folder: Path | None) -> Any:
    """``file.py:name`` with the absolute path of the file; anything else unchanged."""
    file, colon, name = path.rpartition(":") if isinstance(path, str) else ("", "", "")
    if not colon or not file.endswith(".py") or folder is None:
        return path
    return f"{folder / file}:{name}"


def to_table(experiment: Experiment) -> dict[str, Any]:
    """The experiment as a table for :func:`from_table`, e.g. for a manifest."""
    plain = asdict(experiment)
    plural = {many: one for one, many in _SEVERAL.items()}
    return {
        plural.get(name, name): list(value) if isinstance(value, tuple) else value
        for name, value in plain.items()
    }
