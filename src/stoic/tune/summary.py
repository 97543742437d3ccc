"""The summary of a tuning run: the answer as a command to run, suspects, failures, files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from stoic.errors import InvalidInput, InvalidParams
from stoic.numbers import shown
from stoic.optimize.answers.edges import in_words
from stoic.optimize.finals import BETTER, NOT_SHOWN, WORSE
from stoic.redaction import MASK, redacted_command
from stoic.remote.address import is_address
from stoic.report.result import Result
from stoic.spaces import Float
from stoic.streams import write_out
from stoic.study.store.urls import without_password
from stoic.terminal import Console, Text
from stoic.tune.plan import Plan
from stoic.tune.progress import alike, times

__all__ = ["command_of", "print_summary", "resume_command", "write_json"]

_MAX_COLUMNS = 80
_MAX_SUSPECTS = 5
_LABEL_COLUMNS = 11
_STYLES = {BETTER: "bold green", NOT_SHOWN: "yellow", WORSE: "bold red"}
_ENDS = {"settled": "; settled: another trial would hardly improve the answer",
         "time": "; ended by the time limit"}  # fmt: skip


def print_summary(result: Result, plan: Plan, console: Console) -> None:
    """Print the summary."""
    for line in _lines(result, plan, min(console.width, _MAX_COLUMNS)):
        console.print(line, soft_wrap=True)


def command_of(result: Result, plan: Plan) -> str | None:
    """The best configuration as a line for a shell, without the secrets of the command."""
    if result.best is None:
        return None
    return shlex.join(plan.template.public.fill(result.best.params))


def _brief(plan: Plan, params: Mapping[str, Any]) -> dict[str, Any]:
    """A valid configuration with fewer digits, practically the same: see `_fewer_digits`."""
    short = {
        name: _fewer_digits(value, parameter.low, parameter.high)
        if isinstance(parameter := plan.space.parameters[name], Float) and parameter.step is None
        else value
        for name, value in params.items()
    }
    try:
        plan.space.encode(short)
    except InvalidParams:  # at the boundary of a constraint, every digit may matter
        return dict(params)
    return short


def _fewer_digits(value: float, low: float, high: float) -> float:
    """A value rounded to six digits, or to more where that is over a millionth of its range.

    >>> _fewer_digits(0.46276693071853076, 0.0, 1.0), _fewer_digits(5000.00012345, 5000.0, 5001.0)
    (0.462767, 5000.000123)
    """
    for digits in range(6, 17):
        short = float(f"{value:.{digits}g}")
        if low <= short <= high and abs(short - value) <= 1e-6 * (high - low):
            return short
    return value


def _lines(result: Result, plan: Plan, width: int) -> Iterator[Text]:
    trials = len({trial.number for trial in result.trials})
    noun = "trial" if trials == 1 else "trials"
    failed = sum(result.failures.values())
    crashed = f", {failed} failed" if failed else ""
    stopped = "; stopped early" if result.interrupted else _ENDS.get(result.ended_by, "")
    if result.verdict is not None:
        style = _STYLES[result.verdict.word]
        yield from _named("verdict", f"{result.verdict}", width, 4, style=style)
    yield Text(f"{plan.name}: {trials} {noun}{crashed}{stopped}", style="bold")
    if result.best is None:
        yield Text("No trial gave a value, so there is no answer.", style="red")
    else:
        yield Text("")
        best = result.best
        command = shlex.join(plan.template.public.fill(_brief(plan, best.params)))
        yield Text(f"  {command}", style="bold green")
        yield Text("")
        text = times(best.measured)
        text = f"{plan.objective} {best.shown()}, {best.meaning}; {text}"
        yield from _named("estimate", text, width, 3)
        if best.runs:
            yield from _named("", best.runs, width, 2)
        for edge in in_words(best.at_edge):
            yield from _named("edge", edge, width, 2, style="yellow")
    if result.luckiest is not None:
        lucky = result.luckiest
        text = f"{shown(lucky.trial.value)} in trial {lucky.trial.number}; {lucky.why}"
        yield from _named("luckiest", text, width, 4)
    yield from _suspects(result, width)
    for reason, count in alike(result.failures):
        yield from _named("failed", f"{count} × {reason}", width, 2, style="red")


def _suspects(result: Result, width: int) -> Iterator[Text]:
    wildest = sorted(result.suspects, key=lambda s: -abs(s.value / 2 - s.expected / 2))
    for suspect in wildest[:_MAX_SUSPECTS]:
        yield from _named("suspect", str(suspect), width, 2, style="yellow")
    if len(wildest) > _MAX_SUSPECTS:
        yield from _named("", f"and {len(wildest) - _MAX_SUSPECTS} more", width, 1)
    if result.without_suspects is not None:
        yield from _named("", str(result.without_suspects), width, 2, style="yellow")


def _named(name: str, words: str, width: int, most: int, *, style: str = "") -> Iterator[Text]:
    label = f"{name:<{_LABEL_COLUMNS}}"
    lines = wrap(
        words, width, initial_indent=label, subsequent_indent=" " * _LABEL_COLUMNS,
        max_lines=most, placeholder=" …",
    )  # fmt: skip
    for i, line in enumerate(lines or [label]):
        text = Text(line, style=style)
        if i == 0:
            text.stylize("cyan", 0, len(label))
        yield text


def resume_command(arguments: Sequence[str]) -> Iterator[str]:
    r"""The command that repeats ``stoic`` with these arguments, without their secrets.

    >>> words = ["tune", "--store", "postgresql://ann:hush@db/t", "--", "./bench"]
    >>> print(*resume_command(words), sep="\n")
    to go on   stoic tune --store postgresql://ann@db/t -- ./bench
               first set PGPASSWORD, or ~/.pgpass, to the store's password, which is not shown
    """
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    left_out = False
    for i, word in enumerate(words[:end]):
        option = "--store=" if word.startswith("--store=") else ""
        if option or words[i - 1 : i] == ["--store"]:
            store = word.removeprefix(option)
            words[i] = word if is_address(store) else option + without_password(store)
            left_out |= words[i] != word
    shown = redacted_command(words)
    yield f"to go on   {shlex.join(['stoic', *shown])}"
    if left_out:
        yield (
            f"{'':{_LABEL_COLUMNS}}first set PGPASSWORD, or ~/.pgpass, to the store's password, "
            "which is not shown"
        )
    if shown != words:
        yield f"{'':{_LABEL_COLUMNS}}with what {MASK} stands for put back"


def write_json(result: Result, plan: Plan, path: Path) -> None:
    """Write the result as JSON, with the command to run; - is standard output."""
    found = result.to_dict()
    verdict = found.pop("verdict")
    about = {"command": command_of(result, plan), "study": plan.name}
    data = {"verdict": verdict, **about, **found}
    text = json.dumps(data, indent=2, allow_nan=False) + "\n"
    try:
        write_out(path, text)
    except OSError as error:
        raise InvalidInput(f"expected a file to write, got {path} ({error.strerror})") from error
