"""The trials of a study as a data frame: a row for each measurement, failure and open trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stoic.optimize import Suspect
from stoic.report.frames import frame, named
from stoic.study.records import TrialRecord

__all__ = ["study_frame"]


def study_frame(
    names: Sequence[str],
    records: Sequence[TrialRecord],
    suspects: Sequence[Suspect],
    library: str,
) -> Any:
    """The data frame of a study with these parameters."""
    suspected = {(suspect.trial, suspect.value) for suspect in suspects}
    rows: list[tuple[TrialRecord, int, float | None]] = [
        (record, i, value) for record in records for i, value in enumerate(record.values or (None,))
    ]
    columns: dict[str, list[Any]] = {
        "trial": [record.number for record, _, _ in rows],
        "measurement": [None if value is None else i for _, i, value in rows],
    }
    for name in names:
        columns[named(name)] = [record.params.get(name) for record, _, _ in rows]
    columns |= {
        "value": [value for _, _, value in rows],
        "state": [record.state for record, _, _ in rows],
        "reason": [record.reason for record, _, _ in rows],
        "suspect": [(record.number, value) in suspected for record, _, value in rows],
        "excluded": [i in record.excluded for record, i, _ in rows],
        "notes": ["\n".join(record.notes) or None for record, _, _ in rows],
        "asked": [record.asked for record, _, _ in rows],
        "told": [record.told for record, _, _ in rows],
        "worker": [record.worker for record, _, _ in rows],
    }
    return frame(columns, library)
