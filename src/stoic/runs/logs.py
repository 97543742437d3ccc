"""What runs write to the logger ``stoic`` of the standard module logging.

Reasons of failures come from outside: secrets in them are masked, and characters that are not
printable become escapes.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from stoic.printable import visible
from stoic.redaction import redacted
from stoic.spaces.wording import assignments

if TYPE_CHECKING:
    from stoic.runs.evaluation import Finished, Ticket

__all__ = ["log_begin", "log_end", "log_finished", "log_retry", "log_trial"]

_LOG = logging.getLogger("stoic.runs")


def log_begin(left: int, slots: int, *, fresh: bool) -> None:
    """A run begins."""
    what = "begins" if fresh else "goes on"
    _LOG.info("run %s: %d evaluations to go, %d at a time", what, left, slots)


def log_trial(ticket: Ticket) -> None:
    """An evaluation begins."""
    if _LOG.isEnabledFor(logging.DEBUG):
        _LOG.debug("trial %d begins: %s", ticket.number, assignments(ticket.params))


def log_finished(finished: Finished) -> None:
    """A trial was told, or failed."""
    outcome = finished.outcome
    if finished.by_another:
        _LOG.warning("trial %d was finished by another worker", finished.number)
    elif outcome.values:
        if _LOG.isEnabledFor(logging.INFO):
            values = " ".join(map(repr, outcome.values))
            _LOG.info("trial %d: %s", finished.number, values)
    else:
        reason = visible(redacted(outcome.reason or "no reason given"))
        _LOG.warning("trial %d failed: %s", finished.number, reason)


def log_end(left: int, *, stopped: bool) -> None:
    """A run ends."""
    _LOG.info("run %s, %d evaluations left", "was stopped" if stopped else "is finished", left)


def log_retry(error: BaseException, seconds: float) -> None:
    """A store is unavailable."""
    words = visible(redacted(str(error)))
    _LOG.warning("store unavailable, next try in %g s: %s", seconds, words)
