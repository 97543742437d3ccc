"""Parts of what notebooks show of an object: tables, texts and pictures as safe HTML."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from stoic.forks import importing
from stoic.printable import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["block", "picture", "safe", "table", "words"]

_MAX_CHARACTERS = 400  # of a cell
_PRE = "white-space: pre-wrap; margin: 0.4em 0"
_CELL = "text-align: left; unicode-bidi: isolate"
_DPI = 110


def safe(text: object, most: int = _MAX_CHARACTERS) -> str:
    r"""A text of any source as HTML that shows it, on one line, cut to ``most`` characters.

    >>> safe("<script>\x1b\n")
    '&lt;script&gt;\\x1b\\n'
    """
    shown = visible(text)
    return escape(shown if len(shown) <= most else shown[: most - 1] + "…")


def words(lines: str) -> str:
    r"""Lines of text as HTML.

    >>> words("a < b")
    '<pre style="white-space: pre-wrap; margin: 0.4em 0">a &lt; b</pre>'
    """
    return f'<pre style="{_PRE}">{escape(visible(lines, keep=chr(10)))}</pre>'


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table of texts from any source.

    >>> table(["x"], [["<b>"]]).count("&lt;b&gt;")
    1
    """
    first = "".join(f'<th style="{_CELL}">{safe(name)}</th>' for name in head)
    body = "\n".join(
        f"<tr>{''.join(f'<td style={_CELL!r}>{safe(cell)}</td>' for cell in row)}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{first}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"


def picture(draw: Callable[[], Figure], about: str) -> str:
    """A figure as an image within the HTML; empty where matplotlib is not installed.

    It is a PNG: no text of a user is in it as markup.
    """
    try:
        with importing:
            import matplotlib.figure  # noqa: F401 - whether it is there
    except ImportError:
        return ""
    file = io.BytesIO()
    draw().savefig(file, format="png", dpi=_DPI, facecolor="white", metadata={"Software": "stoic"})
    data = base64.b64encode(file.getvalue()).decode("ascii")
    return f'<img alt="{safe(about)}" style="max-width: 100%" src="data:image/png;base64,{data}">'


def block(*parts: str) -> str:
    """Parts that are HTML already, in one block."""
    inner = "\n".join(filter(None, parts))
    return f'<div class="stoic">\n{inner}\n</div>'
