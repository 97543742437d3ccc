"""What a page shows without the model, at once: counts, queue, latest trials and workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoic.report.html.markup import printable
from stoic.report.ranges import bulk, drawn, padded
from stoic.server.page import listed
from stoic.server.page.listed import Marks
from stoic.study import Study
from stoic.study.store.rows import FAILED
from stoic.study.trials import Records

__all__ = ["bare", "first", "lists", "present"]

_MAX_TEXT = 200  # characters of an objective or a name
_SOON = "<section class=answer><h2>The answer</h2><p class=lead>It is being computed.</p></section>"
_MARKUP = ("finals", "legend", "fluke", "doubts", "failures", "terms", "parameters", "coverage",
           "parameters_of", "course")  # fmt: skip


def present(study: Study, marks: Marks, alone: bool = False) -> dict[str, Any]:
    """The lists of a study as it is now; ``alone``, without a snapshot, with the chart's values."""
    records = study.records()
    found = lists(study, records, marks)
    return found | {"chart": _plain(records)} if alone else found


def lists(study: Study, records: Records, marks: Marks) -> dict[str, Any]:
    """What the log and the trials alone tell; ``marks`` are those of an earlier model, perhaps."""
    queue = listed.queue(records.trials)
    excluded = sum(len(record.excluded) for record in records.trials)
    counts = {
        "asked": len(records.trials),
        "evaluations": len(records.outcomes) - excluded,
        "failed": sum(r.state == FAILED and not r.excluded for r in records.trials),
        "suspects": len(marks.suspects),
        "excluded": excluded,
        "running": queue["running_total"],
        "waiting": queue["waiting_total"],
    }
    return {
        "name": printable(study.name, _MAX_TEXT),
        "uid": study.uid,
        "objective": printable(study.objective, _MAX_TEXT),
        "direction": study.direction,
        "counts": counts,
        "latest": listed.latest(records, marks),
        "queue": queue,
        "workers": listed.workers(records.trials, marks.suspects),
    }


def bare(state: Mapping[str, Any]) -> dict[str, Any]:
    """The lists of a study of which the counts alone are known."""
    counts = {name: state[name] for name in ("asked", "failed")}
    counts |= {"evaluations": state["finished"], "running": state["open"]}
    none: dict[str, Any] = {"waiting": [], "running": [], "waiting_total": 0, "running_total": 0}
    return {
        "name": printable(state["name"], _MAX_TEXT),
        "uid": state["uid"],
        "objective": printable(state["definition"]["objective"], _MAX_TEXT),
        "direction": state["definition"]["direction"],
        "counts": counts | {"suspects": 0, "excluded": 0, "waiting": 0},
        "latest": [],
        "queue": none,
        "workers": {"rows": [], "total": 0},
        "chart": _chart([], []),
    }


def first(known: Mapping[str, Any]) -> dict[str, Any]:
    """What a page shows before the model has any figure, from `present` alone."""
    words = "Not known yet: the figures are being computed."
    return {
        **known,
        "version": [0, 0, 0],
        "unfinished": ["estimates"],
        "headline": {"verdict": "", "value": "", "interval": "", "params": ""},
        "baseline": None,
        "best": None,
        "verdict": None,
        "luckiest": None,
        "suspects": [],
        "excluded": [],
        "room": {"known": False, "words": words, "more": "", "of": ""},
        "markup": dict.fromkeys(_MARKUP, "") | {"answer": _SOON},
    }


def _plain(records: Records) -> dict[str, Any]:
    """The chart with measurements alone."""
    told = [
        (records.trials[number], which)
        for number, which in records.outcomes
        if which not in records.trials[number].excluded
    ]
    values = [None if r.state == FAILED else drawn(r.values[i]) for r, i in told]
    return _chart([record.number for record, _ in told], values)


def _chart(numbers: list[int], values: list[float | None]) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    return {
        "numbers": numbers,
        "values": values,
        "suspects": [],
        "lucky": None,
        "excluded": [],
        "estimates": [],
        "baseline": None,
        "finals": None,
        "window": list(padded(*bulk(known))) if known else None,
        "numbered": numbers == list(range(len(numbers))),
    }
