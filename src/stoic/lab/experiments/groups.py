"""Cases that belong together: the policies of one setting, which one panel shows.

Labels of settings name only what varies among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case

__all__ = ["SETTING", "Group", "arranged", "group", "spell", "varying"]

SETTING = ("experiment", "problem", "noise", "attack", "schedule", "horizon")
"""All of a case but the policy."""


@dataclass(frozen=True)
class Group:
    """Cases of one setting.

    Attributes
    ----------
    label
        What sets it apart from the other groups; empty if there is no other.
    block
        The experiment, by which many panels are arranged.
    cases
        In order of appearance.
    """

    label: str
    block: str
    cases: tuple[Case, ...]


def group(cases: Iterable[Case], by: Sequence[str] = SETTING) -> list[Group]:
    """The cases by their setting, in order of appearance.

    Policies that differ in their schedule stand in one group as long as none has several, so
    that a policy with a schedule of its own is seen beside its rivals.

    >>> cases = [Case("e", "f", "t", "", s, 9, p) for p, s in (("A", "paper"), ("B", "theory"))]
    >>> [len(g.cases) for g in group(cases)]
    [2]
    >>> several = [*cases, Case("e", "f", "t", "", "theory", 9, "A")]
    >>> [(g.label, len(g.cases)) for g in group(several)]
    [('paper schedule', 1), ('theory schedule', 2)]
    """
    found: dict[tuple[Any, ...], list[Case]] = {}
    wide = tuple(name for name in by if name != "schedule")
    for case in cases:
        found.setdefault(_key(case, wide), []).append(case)
    split: dict[tuple[Any, ...], list[Case]] = {}
    for members in found.values():
        rest = [_key(case, (*SETTING[:4], "horizon", "policy")) for case in members]
        apart = "schedule" in by and len(set(rest)) < len(rest)
        for case in members:
            key = tuple(
                "" if name == "schedule" and not apart else getattr(case, name) for name in by
            )
            split.setdefault(key, []).append(case)
    labels = _labels(list(split), by)
    return [
        Group(label, members[0].experiment, tuple(members))
        for label, members in zip(labels, split.values(), strict=True)
    ]


def arranged(results: Results, table: str = "curves") -> list[Case]:
    """The cases of a table in the order of the experiment's own lists, where it is known.

    Tables are sorted by name; a reader would rather have "no attack" before "flip".
    """
    ranks: dict[str, dict[Any, int]] = {name: {} for name in (*SETTING, "policy")}
    for experiment in results.manifest.get("experiments", ()):
        for name, rank in ranks.items():
            entries = experiment.get("name" if name == "experiment" else name, ())
            for entry in entries if isinstance(entries, list) else [entries]:
                rank.setdefault(_named(entry), len(rank))

    def place(case: Case) -> list[int]:
        return [rank.get(getattr(case, name), len(rank)) for name, rank in ranks.items()]

    return sorted(results.cases(table), key=place)


def varying(cases: Iterable[Case]) -> list[str]:
    """The fields of the setting in which some cases differ.

    An experiment's name that says no more than the other fields is left out.

    >>> varying([Case("e", "f", "t", a, "paper", 9, "A") for a in ("", "flip")])
    ['attack']
    """
    return _varying([_key(case, SETTING) for case in cases], SETTING)


def spell(name: str, value: Any) -> str:
    """A field's value in words.

    >>> spell("horizon", 20000), spell("attack", "")
    ('T = 20000', 'no attack')
    """
    if name == "horizon":
        return f"T = {value}"
    if name == "schedule":
        return f"{value} schedule" if value else "own schedules"
    if name == "experiment":
        return str(value).rpartition("/")[2]
    return str(value) or {"attack": "no attack", "noise": "own payoffs"}.get(name, "–")


def _named(entry: Any) -> Any:
    """What a case calls an entry of an experiment."""
    if isinstance(entry, Mapping):
        return entry.get("label") or entry.get("kind", "")
    return entry.rpartition(":")[2] if isinstance(entry, str) else entry


def _key(case: Case, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(case, name) for name in names)


def _varying(keys: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[str]:
    places = {name: i for i, name in enumerate(names) if len({key[i] for key in keys}) > 1}
    if "experiment" in places:
        rest = [i for name, i in places.items() if name != "experiment"]
        experiment = places["experiment"]
        told = {tuple(key[i] for i in rest) for key in keys}
        both = {(key[experiment], *(key[i] for i in rest)) for key in keys}
        if len(told) == len(both):
            del places["experiment"]
    return list(places)


def _labels(keys: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[str]:
    shown = _varying(keys, names)
    return [
        ", ".join(spell(n, v) for n, v in zip(names, key, strict=True) if n in shown)
        for key in keys
    ]
