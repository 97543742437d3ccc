"""The size of a run relative to the full experiment: fewer rounds, trials or other settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stoic.lab.experiments.results import Results
from stoic.lab.experiments.spec import Case, Experiment

__all__ = ["Size", "sizes"]


@dataclass(frozen=True)
class Size:
    """The name of a run's size, and its differences from the full experiment, in words."""

    name: str
    short: str

    @property
    def full(self) -> bool:
        """Whether the run has the full size."""
        return not self.short

    @classmethod
    def of(cls, ran: Mapping[Case, int], full: Mapping[Case, int]) -> Size:
        """The size of a run, from the numbers of trials of its cases and of the full cases."""
        if ran and all(trials >= full.get(case, np.inf) for case, trials in ran.items()):
            return cls("a run at full size", "")
        parts = []
        rounds, all_rounds = ({case.horizon for case in x} or {0} for x in (ran, full))
        trials, all_trials = (set(x.values()) or {0} for x in (ran, full))
        quick = max(rounds) < max(all_rounds)
        if quick:
            parts.append(f"{_count(rounds, 'round')} instead of {_span(all_rounds)}")
        if max(trials) < max(all_trials):
            parts.append(f"{_count(trials, 'trial')} instead of {_span(all_trials)}")
        settings = {(case.problem, case.noise, case.attack, case.schedule) for case in full}
        other = {(case.problem, case.noise, case.attack, case.schedule) for case in ran} - settings
        if other or not parts:
            parts.append("settings that the full experiment does not have")
        name = "a quick run" if quick else "a run that is not the full experiment"
        return cls(name, ", ".join(parts))


def sizes(ran: Results | Sequence[Experiment]) -> dict[Case, int]:
    """The number of trials of each case, done or planned."""
    found: dict[Case, int] = {}
    if isinstance(ran, Results):
        return {case: len(ran.curve(case).trials) for case in ran.cases()}
    for part in ran:
        for run in part.runs():
            found[run.case] = found.get(run.case, 0) + 1
    return found


def _span(numbers: set[int]) -> str:
    """The smallest and the largest of some numbers.

    >>> _span({1000, 2000}), _span({7})
    ('1,000 to 2,000', '7')
    """
    low, high = min(numbers), max(numbers)
    return f"{low:,} to {high:,}" if low < high else f"{high:,}"


def _count(numbers: set[int], noun: str) -> str:
    return f"{_span(numbers)} {noun}{'s' * (max(numbers) != 1)}"
