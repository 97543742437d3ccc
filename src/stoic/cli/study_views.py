"""Studies, trials and the doctor's report as tables of at most 80 columns, or as JSON."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from rich.table import Table

from stoic.errors import InvalidInput
from stoic.numbers import rounded
from stoic.numbers import shown as shown_value
from stoic.optimize import Verdict
from stoic.redaction import redacted_url
from stoic.remote.anywhere import AnyStudy
from stoic.spaces.wording import assignments
from stoic.study import StudySummary, TrialRecord
from stoic.study.repair.doctor import Diagnosis
from stoic.study.repair.recovery import Recovered
from stoic.terminal import Console, Text, print_json
from stoic.tune.progress import times

__all__ = ["best", "diagnosis", "listed", "shown", "trials"]

_STYLES = {"fine": "green", "note": "yellow", "damage": "bold red"}
_LABELS = {"fine": "ok", "note": "note", "damage": "damage"}

_EXCLUDED = "excluded"  # of a trial of which no conclusion accounts for all measurements


def listed(store: str, found: Sequence[StudySummary], as_json: bool) -> None:
    """The studies of a store."""
    if as_json:
        print_json([asdict(each) for each in found])
        return
    if not found:
        Console().print(Text(f"{redacted_url(store)} holds no study"), soft_wrap=True)
        return
    table = _table("study", "goal", "trials", "told", "failed", "open", "last")
    for each in found:
        goal = f"{each.direction[:3]} {each.objective}"
        counts = (each.trials, each.told, each.failed, each.open)
        table.add_row(Text(each.name), Text(goal), *map(str, counts), _ago(each.last))
    Console().print(table)


def shown(study: AnyStudy, as_json: bool) -> None:
    """A study: its definition and its answer."""
    records = study.trials
    states = [record.state for record in records]
    counts = {state: states.count(state) for state in ("told", "failed", "open")}
    if as_json:
        about = {
            "name": study.name, "uid": study.uid, "store": study.url,
            "direction": study.direction, "objective": study.objective, "seed": study.seed,
            "method": study.method, "baseline": study.baseline, "space": study.space.describe(),
            "trials": len(records), **counts,
        }  # fmt: skip
        print_json({**about, "result": study.result().to_dict() if records else None})
        return
    excluded = sum(bool(record.excluded) for record in records)
    counts |= {_EXCLUDED: excluded} if excluded else {}
    console = Console()
    result = study.result() if any(states) else None
    if result is not None:
        _verdict(result.verdict, console)
    console.print(Text(study.name, style="bold"), soft_wrap=True)
    base = study.baseline
    facts = {
        "store": study.url.removeprefix("sqlite+pysqlite:///"),
        "goal": f"{study.direction} {study.objective}",
        "method": f"{study.method}, seed {study.seed}",
        **({} if base is None else {"baseline": assignments(base)}),
        "trials": ", ".join(f"{count} {state}" for state, count in counts.items()),
    }
    for name, words in facts.items():
        console.print(Text.assemble((f"{name}: ", "cyan"), words), soft_wrap=True)
    table = _table("parameter", "range")
    for name, parameter in study.space.parameters.items():
        table.add_row(Text(name), Text(str(parameter)))
    for words in study.space.constraints.words():
        table.add_row(Text("valid"), Text(words))
    console.print(table)
    if result is not None:
        console.print()
        for line in str(replace(result, verdict=None)).split("\n"):  # which is above already
            console.print(Text(line), soft_wrap=True)


def best(study: AnyStudy, as_json: bool) -> None:
    """The recommended configuration."""
    try:
        answer = study.recommend()
    except InvalidInput as error:
        raise InvalidInput(f"expected a trial with a value in study {study.name!r}: {error}") from (
            error
        )
    if as_json:
        verdict = study.verdict
        print_json({"verdict": verdict and verdict.to_dict(), **answer.to_dict()})
        return
    console = Console()
    _verdict(study.verdict, console)
    for name, value in answer.params.items():
        console.print(Text.assemble((f"{name}: ", "cyan"), shown_value(value)), soft_wrap=True)
    words = f"{answer.shown()}, {answer.meaning}, {times(answer.measured)}"
    words += f"; {answer.runs}" if answer.runs else ""
    console.print(Text.assemble((f"{study.objective}: ", "cyan"), words), soft_wrap=True)


def _verdict(verdict: Verdict | None, console: Console) -> None:
    """The verdict as the first line, if there is one."""
    if verdict is not None:
        console.print(Text.assemble(("verdict: ", "cyan"), str(verdict)), soft_wrap=True)


def trials(study: AnyStudy, found: Sequence[TrialRecord], as_json: bool) -> None:
    """Trials, one in a line."""
    if as_json:
        print_json([asdict(record) for record in found])
        return
    noted = any(record.notes for record in found)
    table = _table("trial", "state", study.objective, "parameters", *["notes"] * noted)
    for column in table.columns[3:]:
        column.overflow = "fold"
    for record in found:
        outcome = ", ".join(map(rounded, record.values))
        outcome = record.reason or "" if record.state == "failed" else outcome
        words = outcome if len(outcome) <= 24 else outcome[:23] + "…"
        row = (
            Text(f"{record.state}, {_EXCLUDED}" if record.excluded else record.state),
            Text(" ".join(words.split())),
            Text(assignments(record.params, " ")),
        )
        notes = [Text("; ".join(record.notes))] * noted
        table.add_row(str(record.number), *row, *notes)
    Console().print(table)


def diagnosis(
    found: Diagnosis, kept: Sequence[Recovered], target: str | None, as_json: bool
) -> None:
    """The issues found, and what was recovered."""
    if as_json:
        rows = [{"kind": f.kind, "where": f.where, "words": f.message} for f in found.issues]
        saved = [{**asdict(each), "share": each.share} for each in kept]
        print_json({"store": found.store, "healthy": found.healthy, "findings": rows} | (
            {"recovered": saved} if target is not None else {}
        ))  # fmt: skip
        return
    console = Console()
    for issue in found.issues:
        label = (f"{_LABELS[issue.kind]:>6}  ", _STYLES[issue.kind])
        console.print(Text.assemble(label, f"{issue.where}: {issue.message}"), soft_wrap=True)
    if target is not None:
        console.print()
        console.print(Text(f"{redacted_url(target)}:", style="bold"), soft_wrap=True)
        for each in kept:
            console.print(Text(str(each)), soft_wrap=True)
        if not kept:
            console.print("nothing readable was found")
    elif found.healthy:
        console.print(Text("healthy", style="green"))
    else:
        words = "damaged; restore a copy, or save what is readable with --recover NEW.db"
        console.print(Text(words, style="bold red"), soft_wrap=True)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        count = heading in ("trials", "told", "failed", "open", "trial")
        table.add_column(Text(heading), justify="right" if count else "left")
    return table


def _ago(when: float | None) -> str:
    if when is None:
        return "never"
    seconds = max(time.time() - when, 0.0)
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"
