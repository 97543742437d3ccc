"""The log of a study as plain data, page by page."""

from __future__ import annotations

from typing import Any

from stoic.study.store.codec import params_of, read
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger
from stoic.study.store.rows import Entry, TrialRow

__all__ = ["log_page"]


def log_page(
    connection: Connection, ledger: Ledger, after: int, limit: int
) -> tuple[list[dict[str, Any]], int]:
    """At most ``limit`` entries after one, checked, and how many the log has.

    An outcome has ``seq``, ``trial``, ``measurement``, ``value``, ``reason`` (of a failure),
    ``told``, and of its trial ``params`` and ``worker``. A mark has ``mark``, its content, instead
    of all after ``told``. The cost is that of the page, however long the log.
    """
    row = ledger.present(connection).row
    if after >= row.entries:
        return [], row.entries
    head = ledger.head(connection, after)
    found = ledger.entries(connection, row, after, head, after + limit)
    return [_plain(*each) for each in found], row.entries


def _plain(entry: Entry, trial: TrialRow | None) -> dict[str, Any]:
    about = {
        "seq": entry.seq,
        "trial": entry.trial,
        "measurement": entry.measurement,
        "told": entry.told,
    }
    if entry.is_mark or trial is None:
        return about | {"mark": read(entry.reason, "a mark")}
    value, reason = entry.outcome
    params = params_of(trial.params)
    return about | {"value": value, "reason": reason, "params": params, "worker": trial.worker}
