"""Commands as contenders: parsed as a shell would, run without one."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

from stoic.duels.contenders import Run
from stoic.errors import InvalidInput
from stoic.printable import visible
from stoic.redaction import redacted, redacted_command, secrets_of
from stoic.runs.signals import StopRequest, stop_requests
from stoic.tune.metric import Measured, Metric, NoValue, OneUnit, which_number
from stoic.tune.process.usage import adopt_orphans
from stoic.tune.program import Program

__all__ = ["CommandContender", "Commands", "arguments_of"]

_SHELL_WORDS = {"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "&>"}
_MAX_ERROR_CHARACTERS = 2000  # of standard error that is shown
_MAX_ERROR_LINES = 12
_POLL_SECONDS = 0.1  # between checks for stop requests


def arguments_of(command: str | Sequence[str]) -> list[str]:
    """The arguments of a command that is written as for a shell.

    >>> arguments_of("echo --name 'two words'")
    ['echo', '--name', 'two words']
    """
    if not isinstance(command, str):
        return [str(word) for word in command]
    shown = visible(redacted(command))
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"expected a command, got {shown} ({error}); correct it") from error
    if not words:
        raise InvalidInput("expected a command, got an empty one; name a program")
    if found := _SHELL_WORDS.intersection(words):
        raise InvalidInput(
            f"expected a command without a shell's {min(found)}, got {shown}; "
            f"write {_in_a_shell(shown)}"
        )
    if shutil.which(words[0]) is None:
        hint = f"; for the file here write ./{words[0]}" if os.path.isfile(words[0]) else ""
        raise InvalidInput(
            f"expected a program that can be started, got {visible(words[0])}, which is not "
            f"there or may not be executed{hint}"
        )
    return words


def _in_a_shell(command: str) -> str:
    """How to write a command that needs a shell as one argument.

    >>> print(_in_a_shell("gzip -9 < a > b"))
    "sh -c 'gzip -9 < a > b'"
    """
    inner = f"sh -c {shlex.quote(command)}"
    return shlex.quote(inner) if set('"$`\\!') & set(inner) else f'"{inner}"'


class Commands:
    """What the commands of a duel share: the metric, its unit, and the program that runs them."""

    def __init__(self, metric: Metric, commands: Sequence[Sequence[str]], timeout: float | None):
        self.metric, self.unit = metric, OneUnit()
        secrets = [secret for words in commands for secret in secrets_of(words)]
        accounts = metric.what if isinstance(metric, Measured) else None
        self.program = Program(timeout, secrets=secrets, accounts=accounts)

    @contextmanager
    def running(self) -> Iterator[tuple[StopRequest, Callable[[Callable[[], Run]], Run]]]:
        """Handle Ctrl-C; give the stop request, and a way to call that can be stopped."""
        with ThreadPoolExecutor(1) as pool, stop_requests(self.program.kill) as stop:

            def call(act: Callable[[], Run]) -> Run:
                if stop():
                    self.program.stop()  # the run that follows is then stopped
                future = pool.submit(act)
                while not wait([future], timeout=_POLL_SECONDS).done:
                    if stop():
                        self.program.stop()
                return future.result()

            try:
                yield stop, call
            finally:
                self.program.stop()
                if isinstance(self.metric, Measured):
                    adopt_orphans(wanted=False)  # this may be a user's process


class CommandContender:
    """A command; failures, time-outs and output without a number are failed runs."""

    def __init__(self, name: str, arguments: Sequence[str], shared: Commands) -> None:
        self.name = name
        self.shown = shlex.join(redacted_command(arguments))
        self._arguments, self._shared = arguments, shared

    def run(self, block: int, seed: int) -> Run:
        environment = {"STOIC_TRIAL": str(block), "STOIC_SEED": str(seed)}
        ended = self._shared.program.run(self._arguments, environment)
        if ended.trouble is not None:
            output = _end(ended.stderr.shown)
            return Run(None, ended.trouble, output, stopped=ended.stopped, started=ended.started)
        try:
            found = self._shared.metric.of(ended)
            return Run(self._shared.unit.value(found), note=which_number(found))
        except NoValue as error:
            return Run(None, redacted(str(error)), _end(ended.stderr.shown))


def _end(text: str) -> str:
    lines = [line for line in text[-_MAX_ERROR_CHARACTERS:].splitlines() if line.strip()]
    return "\n".join(lines[-_MAX_ERROR_LINES:])
