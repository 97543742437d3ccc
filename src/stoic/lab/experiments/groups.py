"""Groups of cases: the policies of one setting, shown in one panel of a figure.

The label of a setting names only the fields that vary among the settings.
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
        The fields in which it differs from the other groups; empty if there is only one group.
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

    Policies with different schedules are in one group if no policy has several schedules. A
    policy with a schedule of its own is then shown beside the others. Where all policies have the
    same schedule, it is part of the label.

    >>> cases = [Case("e", "f", "t", "", s, 9, p) for p, s in (("A", "paper"), ("B", "theory"))]
    >>> [len(g.cases) for g in group(cases)]
    [2]
    >>> several = [*cases, Case("e", "f", "t", "", "theory", 9, "A")]
    >>> [(g.label, len(g.cases)) for g in group(several)]
    [('paper schedule', 1), ('theory schedule', 2)]

    Noise and horizon are left out of labels where the other fields distinguish the groups.

    >>> two = [Case("e", f, n, "", "paper", T, "A") for f, n, T in (("f", "t", 9), ("g", "", 5))]
    >>> [g.label for g in group(two)]
    ['f', 'g']
    """
    found: dict[tuple[Any, ...], list[Case]] = {}
    without_schedule = tuple(name for name in by if name != "schedule")
    for case in cases:
        found.setdefault(_key(case, without_schedule), []).append(case)
    split: dict[tuple[Any, ...], list[Case]] = {}
    for members in found.values():
        rest = [_key(case, (*SETTING[:4], "horizon", "policy")) for case in members]
        schedules = {case.schedule for case in members}
        by_schedule = "schedule" in by and (len(set(rest)) < len(rest) or len(schedules) == 1)
        for case in members:
            key = tuple(
                "" if name == "schedule" and not by_schedule else getattr(case, name) for name in by
            )
            split.setdefault(key, []).append(case)
    labels = _labels(list(split), by)
    return [
        Group(label, members[0].experiment, tuple(members))
        for label, members in zip(labels, split.values(), strict=True)
    ]


def arranged(results: Results, table: str = "curves") -> list[Case]:
    """The cases of a table in the order of the experiment's own lists, if these are known.

    Tables are sorted by name; a reader expects "no attack" before "flip".
    """
    ranks: dict[str, dict[Any, int]] = {name: {} for name in (*SETTING, "policy")}
    for experiment in results.manifest.get("experiments", ()):
        for name, rank in ranks.items():
            entries = experiment.get("name" if name == "experiment" else name, ())
            for entry in entries if isinstance(entries, list) else [entries]:
                rank.setdefault(_named(entry), len(rank))

    def position(case: Case) -> list[int]:
        return [rank.get(getattr(case, name), len(rank)) for name, rank in ranks.items()]

    return sorted(results.cases(table), key=position)


def varying(cases: Iterable[Case]) -> list[str]:
    """The fields of the setting in which some cases differ.

    The experiment's name is left out if the other fields already distinguish the cases.

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
    positions = {name: i for i, name in enumerate(names) if len({key[i] for key in keys}) > 1}
    if "experiment" in positions:
        rest = [i for name, i in positions.items() if name != "experiment"]
        experiment = positions["experiment"]
        without = {tuple(key[i] for i in rest) for key in keys}
        with_experiment = {(key[experiment], *(key[i] for i in rest)) for key in keys}
        if len(without) == len(with_experiment):
            del positions["experiment"]
    return list(positions)


def _labels(keys: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[str]:
    shown = _varying(keys, names)
    for name in ("noise", "horizon"):  # left out where the other fields already distinguish
        rest = [i for i, other in enumerate(names) if other in shown and other != name]
        if name in shown and len({tuple(key[i] for i in rest) for key in keys}) == len(set(keys)):
            shown.remove(name)
    return [
        ", ".join(spell(n, v) for n, v in zip(names, key, strict=True) if n in shown)
        for key in keys
    ]
