r"""Print on a terminal, with control characters as escapes; all commands print this way.

Names, reasons, output of programs and messages of errors come from outside. Control characters in
them would move the cursor, change colours or the window's title, or reverse the order of letters.
Here each is printed as its escape (``\x1b``). Nothing else in ``stoic.cli`` and ``stoic.tune``
prints.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text as RichText

from stoic.printable import visible
from stoic.redaction import redacted
from stoic.streams import is_stream

__all__ = [
    "Console",
    "RichConsole",
    "Text",
    "confirm",
    "console_beside",
    "print_json",
    "print_line",
    "refuse",
]


class Text(RichText):
    r"""A line of text from any source, escaped before it is measured and laid out.

    >>> Text("a\x1b[2Jb\r").plain
    'a\\x1b[2Jb\\r'
    """

    def __init__(self, text: str = "", style: str | Style = "", **how: Any) -> None:
        super().__init__(visible(text), style, **how)

    def append(self, text: RichText | str, style: str | Style | None = None) -> Self:
        super().append(visible(text) if isinstance(text, str) else text, style)
        return self

    @classmethod
    def assemble(cls, *parts: RichText | str | tuple[str, str]) -> Self:  # type: ignore[override]
        """A line of parts, each with a style or without."""
        made = cls()
        for part in parts:
            made.append(*part) if isinstance(part, tuple) else made.append(part)
        return made


class Console(RichConsole):
    """A console that never prints a control character of a text, nor takes ``[red]`` for markup."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**{**how, "markup": False, "emoji": False})

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(visible(segment.text, keep="\n"), segment.style)


def console_beside(*outputs: Path | None) -> Console:
    """The console for messages: standard error where an output is written to standard output."""
    taken = any(path is not None and is_stream(path) for path in outputs)
    return Console(stderr=taken, highlight=False)


def refuse(words: object) -> None:
    """Print an error message as one line on standard error."""
    Console(stderr=True).print(Text(f"stoic: {redacted(str(words))}", style="red"), soft_wrap=True)


def confirm(question: str) -> bool:
    """Ask a question that is answered by yes or no."""
    import typer

    return typer.confirm(visible(question))


def print_json(data: object) -> None:
    """Data as JSON in ASCII, without control characters."""
    print(_ascii(json.dumps(data, indent=2, allow_nan=False)))


def print_line(data: object, *, stderr: bool = False) -> None:
    """The same on one line, also on standard error."""
    text = _ascii(json.dumps(data, allow_nan=False))
    print(text, file=sys.stderr if stderr else sys.stdout, flush=True)


def _ascii(text: str) -> str:
    return text.replace("\x7f", r"\u007f")  # the one control character that JSON need not escape
