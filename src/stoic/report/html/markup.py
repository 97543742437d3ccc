"""Text, numbers and tables as safe HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from stoic.numbers import rounded
from stoic.printable import visible
from stoic.spaces.wording import assignments

__all__ = [
    "Markup",
    "config",
    "esc",
    "figure",
    "percent",
    "printable",
    "section",
    "shown",
    "table",
    "value_table",
    "whole",
]

_MAX_CHARACTERS = 400  # of a text that are shown
_SPACES = str.maketrans("\t\n\r", "   ")


class Markup(str):
    """A text that is markup already."""


def printable(text: object, most: int = _MAX_CHARACTERS) -> str:
    r"""A text with escapes for characters that are not printable, cut to ``most`` characters.

    >>> printable("a\x00b\u202ec"), printable("long " * 3, most=8)
    ('a\\x00b\\u202ec', 'long lo…')
    """
    shown = visible(str(text).translate(_SPACES))
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def whole(text: object) -> str:
    r"""A text of any length as HTML that shows it; its lines stay lines.

    >>> whole("a < b\n\x00")
    'a &lt; b\n\\x00'
    """
    return escape(visible(text, keep="\n"))


def esc(text: object, most: int = _MAX_CHARACTERS) -> str:
    """A text as HTML that shows it.

    >>> esc("<script>")
    '&lt;script&gt;'
    """
    return escape(printable(text, most))


def shown(value: object) -> str:
    """A parameter's value: as it is, floats to six digits."""
    return rounded(value) if isinstance(value, float) else printable(value, 60)


def config(params: Mapping[str, Any], most: int = 4) -> str:
    """A configuration on one line; not escaped."""
    return assignments(params, most=most, text=lambda text: printable(text, 60))


def figure(value: float) -> str:
    """A number of four digits, without an exponent where that is short.

    >>> figure(1234567.0), figure(0.00012), figure(-3.14159), figure(1e12)
    ('1,235,000', '0.00012', '-3.142', '1e+12')
    """
    if not math.isfinite(value) or not (value == 0.0 or 1e-4 <= abs(value) < 1e9):
        return f"{value:.4g}"
    if abs(value) >= 1e4:
        return f"{float(f'{value:.4g}'):,.0f}"
    return f"{value:.4g}"


def percent(share: float) -> str:
    """A share in percent, with two digits.

    >>> percent(0.314), percent(0.0042), percent(0.0), percent(7.2), percent(1e9)
    ('31%', '0.42%', '0%', '720%', '1e+11%')
    """
    hundredths = 100.0 * abs(share)
    if hundredths >= 1e5:
        return f"{hundredths:.1g}%"
    if hundredths >= 9.95:
        return f"{float(f'{hundredths:.3g}'):.0f}%"
    return f"{float(f'{hundredths:.2g}'):g}%" if hundredths >= 0.01 else "0%"


def section(heading: str, body: str, name: str = "") -> str:
    """A section of the page; the body is markup, and an empty body gives no section."""
    identity = f' id="{name}"' if name else ""
    return f"<section{identity}>\n<h2>{esc(heading)}</h2>\n{body}\n</section>" if body else ""


def table(about: str, head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table of cells that are markup already; numbers have the class ``n``."""
    columns = "".join(f'<th scope="col">{esc(name)}</th>' for name in head)
    lines = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(about)}">'
        f'<table class="{kind}"><thead><tr>{columns}</tr></thead>\n'
        f"<tbody>\n{lines}\n</tbody></table></div>"
    )


def value_table(
    about: str, head: Sequence[str], rows: Iterable[Sequence[Any]], *, text: int, wrap: bool = False
) -> str:
    """A table with a caption, whose first ``text`` columns are words and the others figures.

    Every cell is escaped but for `Markup`; words are broken into lines if ``wrap``.
    """

    def cell(column: int, value: Any) -> str:
        inner = value if isinstance(value, Markup) else whole(value)
        return f"<td{'' if column < text else ' class=n'}>{inner}</td>"

    columns = "".join(
        f'<th scope="col"{"" if i < text else " class=n"}>{whole(name)}</th>'
        for i, name in enumerate(head)
    )
    lines = "\n".join(
        f"<tr>{''.join(cell(i, value) for i, value in enumerate(row))}</tr>" for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{whole(about)}">'
        f"<table{' class=words' if wrap else ''}>"
        f"<caption>{whole(about)}</caption><thead><tr>{columns}</tr></thead>\n"
        f"<tbody>{lines}</tbody></table></div>"
    )
