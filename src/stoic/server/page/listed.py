"""The lists of the page: suspects, what is under evaluation, workers, and the latest trials."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from stoic.report import Result
from stoic.report.html.markup import config, figure, percent, printable
from stoic.report.html.tables import wildest
from stoic.study import TrialRecord
from stoic.study.store.rows import FAILED, OPEN, TAKEN_BACK, TOLD
from stoic.study.trials import Records

__all__ = ["Marks", "excluded", "latest", "measurement_of", "queue", "suspects", "workers"]

MAX_SUSPECTS = 60
_MAX_LATEST = 15
_MAX_QUEUE = 40
_MAX_WORKERS = 40
_MAX_PARAMETERS = 8  # of a configuration that are shown
_MAX_NAME = 60  # characters of a worker's name


def shown(params: Mapping[str, Any]) -> str:
    """A configuration on one line."""
    return config(params, _MAX_PARAMETERS)


class Marks(NamedTuple):
    """What the model found of single measurements, each a trial and its value."""

    suspects: frozenset[tuple[int, float]] = frozenset()
    luckiest: tuple[int, float] | None = None

    @classmethod
    def of(cls, result: Result) -> Marks:
        """The marks of a result."""
        lucky = None if result.luckiest is None else result.luckiest.trial
        found = frozenset((suspect.trial, suspect.value) for suspect in result.suspects)
        return cls(found, None if lucky is None else (lucky.number, lucky.value or 0.0))

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Marks:
        """The marks as JSON gives them."""
        lucky = data["luckiest"]
        return cls(frozenset(map(tuple, data["suspects"])), lucky and tuple(lucky))


def suspects(result: Result, records: Records) -> list[dict[str, Any]]:
    """The wildest suspects, each with what was expected and the reason."""
    return [
        {
            "trial": each.trial,
            "measurement": measurement_of(records, each.trial, each.value),
            "params": shown(each.params),
            "value": figure(each.value),
            "expected": figure(each.expected),
            "reason": printable(each.reason),
            "failed": False,
        }
        for each in wildest(result)[:MAX_SUSPECTS]
    ]


def measurement_of(records: Records, trial: int, value: float) -> int:
    """With which number a value of a trial was reported."""
    values = records.trials[trial].values if trial < len(records.trials) else ()
    return records.measurement(trial, values.index(value)) if value in values else 0


def latest(records: Records, marks: Marks) -> list[dict[str, Any]]:
    """The latest evaluations, the newest first."""
    found: list[dict[str, Any]] = []
    for number, which in reversed(records.outcomes):
        if len(found) == _MAX_LATEST:
            break
        record = records.trials[number]
        if which in record.excluded:
            continue
        failed = record.state == FAILED
        value = None if failed else record.values[which]
        suspect = (number, value) in marks.suspects
        remarks = ["suspect"] * suspect + ["luckiest"] * ((number, value) == marks.luckiest)
        if failed:
            remarks.append(f"failed: {printable(record.reason or 'no reason given', 120)}")
        found.append({
            "trial": number,
            "measurement": records.measurement(number, which),
            "params": shown(record.params),
            "value": "" if value is None else figure(value),
            "remark": ", ".join(remarks),
            "failed": failed,
            "suspect": suspect,
            "worker": printable(record.worker, _MAX_NAME),
            "told": record.told,
        })  # fmt: skip
    return found


def queue(records: Iterable[TrialRecord]) -> dict[str, Any]:
    """Trials that wait to be asked, in their order, and those under evaluation."""
    waiting: list[dict[str, Any]] = []
    running: list[dict[str, Any]] = []
    for record in records:
        if record.state == OPEN:
            back = record.lease_until <= TAKEN_BACK
            (waiting if back else running).append({
                "trial": record.number,
                "params": shown(record.params),
                "worker": "" if back else printable(record.worker, _MAX_NAME),
                "asked": record.asked,
                "until": None if back else record.lease_until,
                "attempt": record.attempt,
            })  # fmt: skip
    return {
        "waiting": waiting[:_MAX_QUEUE],
        "running": running[:_MAX_QUEUE],
        "waiting_total": len(waiting),
        "running_total": len(running),
    }


def excluded(result: Result, records: Records) -> list[dict[str, Any]]:
    """Excluded measurements and failures, each with what excludes it."""
    numbers = sorted(trial.number for trial in result.trials)
    prefixes = [rule.worker for rule in records.rules if rule.worker is not None]
    named = {rule.trial for rule in records.rules}
    found: list[dict[str, Any]] = []
    for record in records.trials:
        for i in record.excluded:
            y = record.values[i] if i < len(record.values) else None
            by = next((prefix for prefix in prefixes if record.worker.startswith(prefix)), None)
            by = None if record.number in named else by
            found.append({
                "trial": record.number,
                "measurement": records.measurement(record.number, i),
                "position": bisect_left(numbers, record.number) - 0.5,
                "y": y,
                "value": "failed" if y is None else figure(y),
                "params": shown(record.params),
                "worker": by or "",
                "why": f"worker {printable(by, _MAX_NAME)}" if by else "this measurement",
            })  # fmt: skip
    return found


def workers(records: Sequence[TrialRecord], wrong: Set[tuple[int, float]]) -> dict[str, Any]:
    """Workers with their trials, and the shares that failed or are suspects."""
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        if not record.worker:
            continue
        row = found.setdefault(record.worker, dict.fromkeys(_COUNTS, 0) | {"last": record.asked})
        row["trials"] += 1
        row["open"] += record.state == OPEN and record.lease_until > TAKEN_BACK
        row["failed"] += record.state == FAILED
        row["told"] += record.state == TOLD
        row["measured"] += len(record.values)
        row["suspects"] += sum((record.number, value) in wrong for value in record.values)
        row["last"] = max(row["last"], record.told or record.asked)
    by_trials = sorted(found.items(), key=lambda item: (-item[1]["trials"], item[0]))
    rows = [
        row | {
            "key": name,
            "name": printable(name, _MAX_NAME),
            "crashed": _share(row["failed"], row["failed"] + row["told"]),
            "suspected": _share(row["suspects"], row["measured"]),
        }
        for name, row in by_trials[:_MAX_WORKERS]
    ]  # fmt: skip
    return {"rows": rows, "total": len(found)}


_COUNTS = ("trials", "open", "failed", "told", "measured", "suspects")


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if whole else "–"
