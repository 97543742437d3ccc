"""What is said in the end: the answer as a command to run, its doubts, and where to read on."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from stoic.cli.tuning.board import alike, estimate, times
from stoic.cli.tuning.plan import Plan
from stoic.errors import InvalidInput
from stoic.files import write
from stoic.optimize.result import Result

__all__ = ["command_of", "say", "write_json"]

_WIDTH = 80
_SUSPECTS = 5


def say(result: Result, plan: Plan, console: Console) -> None:
    """Print the summary."""
    for line in _lines(result, plan, min(console.width, _WIDTH)):
        console.print(line, soft_wrap=True)


def command_of(result: Result, plan: Plan) -> str | None:
    """The best configuration as a line for a shell."""
    return None if result.best is None else shlex.join(plan.template.fill(result.best.params))


def _lines(result: Result, plan: Plan, width: int) -> Iterator[Text]:
    trials = len({trial.number for trial in result.trials})
    failed = sum(result.failures.values())
    crashed = f", {failed} failed" if failed else ""
    stopped = "; stopped early" if result.interrupted else ""
    yield Text(f"{plan.name}: {trials} trials{crashed}{stopped}", style="bold")
    if result.best is None:
        yield Text("No trial gave a value, so there is no answer.", style="red")
    else:
        yield Text("")
        yield Text("  " + str(command_of(result, plan)), style="bold green")
        yield Text("")
        best = result.best
        said = times(best.measured)
        yield from _named("estimate", f"{plan.objective} {estimate(best)}, {said}", width, 2)
    if result.luckiest is not None:
        lucky = result.luckiest
        said = f"{lucky.trial.value:.5g} in trial {lucky.trial.number}; {lucky.why}"
        yield from _named("luckiest", said, width, 4)
    yield from _suspects(result, width)
    for reason, count in alike(result.failures):
        yield from _named("failed", f"{count} × {reason}", width, 2, style="red")


def _suspects(result: Result, width: int) -> Iterator[Text]:
    wildest = sorted(result.suspects, key=lambda s: -abs(s.value / 2 - s.expected / 2))
    for suspect in wildest[:_SUSPECTS]:
        yield from _named("suspect", str(suspect), width, 2, style="yellow")
    if len(wildest) > _SUSPECTS:
        yield from _named("", f"and {len(wildest) - _SUSPECTS} more suspects", width, 1)


def _named(name: str, said: str, width: int, most: int, *, style: str = "") -> Iterator[Text]:
    label = f"{name:<11}"
    lines = wrap(
        said, width, initial_indent=label, subsequent_indent=" " * 11,
        max_lines=most, placeholder=" …",
    )  # fmt: skip
    for i, line in enumerate(lines or [label]):
        text = Text(line, style=style)
        if i == 0:
            text.stylize("cyan", 0, len(label))
        yield text


def write_json(result: Result, plan: Plan, path: Path) -> None:
    """The result as data, with the command to run."""
    data = {"command": command_of(result, plan), "study": plan.name, **result.to_dict()}
    try:
        write(path, json.dumps(data, indent=2, allow_nan=False) + "\n")
    except OSError as error:
        raise InvalidInput(f"expected a file to write, got {path} ({error.strerror})") from error
