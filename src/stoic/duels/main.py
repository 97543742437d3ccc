"""A whole duel of commands, from its request to its exit code."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from stoic.duels.commands import CommandContender, Commands, arguments_of
from stoic.duels.contenders import ContenderFailed
from stoic.duels.display import LineDisplay, LiveDisplay, print_summary
from stoic.duels.engine import Duel, Rules
from stoic.duels.result import DuelResult
from stoic.errors import InvalidInput, MissingExtra
from stoic.redaction import redacted_command
from stoic.streams import is_stream, write_out
from stoic.terminal import Console, Text, console_beside
from stoic.tune.metric import Measured, Metric

__all__ = ["MAX_BLOCKS", "Request", "run"]

MAX_BLOCKS = 10**6
_FIGURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Request:
    """The contenders and options of the command line."""

    commands: tuple[str, ...]
    names: tuple[str, ...]
    metric: Metric
    rules: Rules
    timeout: float | None
    plain: bool
    figure: Path | None
    json_out: Path | None

    def contenders(self) -> tuple[Commands, list[CommandContender]]:
        """The contenders, checked before anything runs."""
        if len(self.commands) < 2:
            raise InvalidInput(
                f"expected two or more commands, got {len(self.commands)}; quote each one: "
                "stoic duel './old --fast' './new --fast'"
            )
        if self.names and len(self.names) != len(self.commands):
            raise InvalidInput(
                f"expected a --name for each of {len(self.commands)} commands, got "
                f"{len(self.names)}; give all of them or none"
            )
        words = [arguments_of(command) for command in self.commands]
        shared = Commands(self.metric, words, self.timeout)
        names = _different(self.names or [shlex.join(redacted_command(each)) for each in words])
        made = [CommandContender(n, w, shared) for n, w in zip(names, words, strict=True)]
        return shared, made

    def check_outputs(self) -> None:
        """Refuse files that can't be written, before hours of work."""
        if self.figure is not None and self.figure.suffix.lower() not in _FIGURES:
            raise InvalidInput(
                f"expected --figure with a name in .png, .svg or .pdf, got {self.figure}; rename it"
            )
        if self.figure is not None and find_spec("matplotlib") is None:
            raise MissingExtra.of("matplotlib", "--figure", "figures")
        for path in (self.figure, self.json_out):
            if path is None or is_stream(path):
                continue
            if not path.parent.is_dir() or not os.access(path.parent, os.W_OK) or path.is_dir():
                raise InvalidInput(
                    f"expected a file in a folder that may be written, got {path}; make it, or "
                    "name another"
                )


def _different(names: tuple[str, ...] | list[str]) -> list[str]:
    """Names that differ: the same one again gets a number.

    >>> _different(["./a", "./b", "./a"])
    ['./a', './b', './a (2)']
    """
    made: list[str] = []
    for name in names:
        count = 2
        unique = name
        while unique in made:
            unique, count = f"{name} ({count})", count + 1
        made.append(unique)
    return made


def run(request: Request) -> int:
    """Run the duel and report; return the exit code: 0 better or equal, 1 worse, 3 undecided."""
    request.check_outputs()
    shared, contenders = request.contenders()
    console = console_beside(request.json_out)
    metric = request.metric
    unit = metric.unit if isinstance(metric, Measured) else ""
    with shared.running() as (stop, call):
        duel = Duel(contenders, request.rules, call)
        plain = request.plain or not console.is_terminal
        title = f"{request.rules.direction} {metric.name}, margin {request.rules.margin}"
        display = LineDisplay(console, duel) if plain else LiveDisplay(console, duel, title, unit)
        try:
            with display:
                duel.run(display.block)
        except ContenderFailed as error:
            _show_output(error, Console(stderr=True))
            raise
    result = DuelResult.of(duel, metric.name, unit or shared.unit.name)
    print_summary(result, console)
    for name, note in duel.notes.items():
        console.print(Text(f"{name}: {note}", style="yellow"), soft_wrap=True)
    _write(request, result, console)
    return stop.code or result.exit_code


def _show_output(error: ContenderFailed, console: Console) -> None:
    for line in error.output.splitlines():
        console.print(Text(f"  {line}"), soft_wrap=True)


def _write(request: Request, result: DuelResult, console: Console) -> None:
    if request.json_out is not None:
        write_out(request.json_out, result.to_json())
    if request.figure is not None and result.blocks:
        result.plot(request.figure)
        console.print(Text(f"figure     {request.figure}"), soft_wrap=True)
