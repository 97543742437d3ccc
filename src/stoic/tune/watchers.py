"""Showing a run: a live picture on a terminal, a line for each trial elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from rich.live import Live

from stoic.cli.terminal import Console, Text
from stoic.tune.board import Board, Finished, clock, estimate, shown
from stoic.tune.picture import Picture

__all__ = ["Lines", "OnTerminal", "Watcher"]


class Watcher(Protocol):
    """What the loop tells while it runs."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def ended(self, done: Finished) -> None:
        """A trial ended, and the board says how things stand."""

    def note(self, words: str) -> None:
        """Something that the user should know now."""

    def say(self, words: str) -> None:
        """Something that the user should be able to read later, too."""


class OnTerminal:
    """A picture that is drawn anew four times a second, and vanishes at the end."""

    def __init__(self, console: Console, board: Board, title: str) -> None:
        self._board = board
        self._live = Live(
            Picture(board, title), console=console, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def ended(self, done: Finished) -> None:  # noqa: ARG002 - the board has it
        self._live.refresh()

    def note(self, words: str) -> None:
        self._board.note = words

    def say(self, words: str) -> None:
        self._live.console.print(Text(words, style="yellow"))


class Lines:
    """One line for each trial, for pipes, files and continuous integration."""

    def __init__(self, console: Console, board: Board) -> None:
        self._console, self._board = console, board

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def ended(self, done: Finished) -> None:
        board = self._board
        width = len(str(board.budget))
        best = f"; best {estimate(board.best)}" if board.best is not None else ""
        left = "" if board.left is None else f"; {clock(board.left)} left"
        self.note(
            f"{board.finished:{width}}/{board.budget}  #{done.number}  {shown(done.params)}: "
            f"{done.outcome}{best}{left}"
        )

    def note(self, words: str) -> None:
        self._console.print(Text(words), soft_wrap=True)

    say = note
