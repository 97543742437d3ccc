"""Check a store against what was acknowledged: nothing lost, doubled, invented, leased twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from server.working import History, Lease
from stoic.study import TrialRecord

__all__ = ["Faults", "faults"]

Faults = dict[str, list[str]]  # by kind, each in words


def faults(history: History, trials: Sequence[TrialRecord]) -> Faults:
    """What is wrong, by kind; empty lists where nothing is."""
    values = {record.number: Counter(record.values) for record in trials}
    return {
        "lost": list(_lost(history, trials, values)),
        "duplicated": list(_duplicated(history, trials, values)),
        "phantom": list(_phantoms(history, trials)),
        "double-leased": list(_leased_twice(history.leases)),
    }


def _lost(
    history: History, trials: Sequence[TrialRecord], values: Mapping[int, Counter[float]]
) -> Iterator[str]:
    """What was acknowledged and is not in the store."""
    known = {record.number: record for record in trials}
    for lease in history.leases:
        record = known.get(lease.trial.number)
        if record is None or record.params != lease.trial.params:
            yield f"trial {lease.trial.number} of client {lease.client}"
    for (number, measurement), value in history.told.items():
        if value not in values.get(number, ()):
            yield f"measurement {measurement} of trial {number}: {value!r}"
    for number, reason in history.failed.items():
        record = known.get(number)
        if record is None or record.reason != reason:
            yield f"the failure of trial {number}"
    for value, number in history.added.items():
        if value not in values.get(number, ()):
            yield f"the added trial {number}: {value!r}"
    there = {record.params["x"] for record in trials}
    yield from (f"the enqueued x = {x!r}" for x in history.enqueued - there)


def _duplicated(
    history: History, trials: Sequence[TrialRecord], values: Mapping[int, Counter[float]]
) -> Iterator[str]:
    """What was sent once, and is in the store twice."""
    every = Counter(value for counts in values.values() for value in counts.elements())
    yield from (f"the value {value!r}" for value, count in every.items() if count > 1)
    asked = Counter(record.params["x"] for record in trials)
    yield from (f"the enqueued x = {x!r}" for x in history.enqueued if asked[x] > 1)


def _phantoms(history: History, trials: Sequence[TrialRecord]) -> Iterator[str]:
    """What is in the store, and was sent or given to no client."""
    given = {lease.trial.number for lease in history.leases}
    sent = {(number, value) for number, _, value in history.sent}
    for record in trials:
        added = any(value in history.added for value in record.values)
        waiting = record.attempt == 0  # enqueued, and not asked yet
        if not (added or waiting or record.number in given):
            yield f"trial {record.number}, which nobody was given"
        for value in record.values:
            if not added and (record.number, value) not in sent:
                yield f"the value {value!r} of trial {record.number}, which nobody sent"


def _leased_twice(leases: Sequence[Lease]) -> Iterator[str]:
    """Trials that a client was given while another one had them."""
    of_trial: dict[int, list[Lease]] = defaultdict(list)
    for lease in leases:
        of_trial[lease.trial.number].append(lease)
    for number, held in of_trial.items():
        ordered = sorted(held, key=lambda lease: (lease.trial.attempt, lease.received))
        for before, after in pairwise(ordered):
            if after.received < before.until or after.trial.token == before.trial.token:
                yield f"trial {number} of clients {before.client} and {after.client}"
