"""The page around a report: light or dark as the reader likes, narrow or wide, and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from string import Template
from typing import Any

from stoic.printable import visible

__all__ = ["PAGE", "Markup", "esc", "section", "table"]

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
:root { --ink: #1b1b1b; --soft: #595959; --line: #d5d5d5; --paper: #ffffff; --shade: #f4f4f2;
  --yes: #00664b; --no: #a33f00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e6; --soft: #adadaa; --line: #45454a; --paper: #17181a; --shade: #232427;
    --yes: #4fd0a5; --no: #ff9a5c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 62rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
p { max-width: 46rem; margin: .5rem 0; overflow-wrap: anywhere; }
.source, caption, figcaption { color: var(--soft); font-size: .875rem; }
.sentence { font-size: 1.1rem; border-left: .25rem solid var(--ink); padding-left: .8rem;
  margin: 1rem 0; }
.notice { border: 1px solid var(--no); color: var(--no); padding: .4rem .8rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; width: 100%; }
caption { text-align: left; padding: 0 0 .4rem; max-width: min(46rem, calc(100vw - 2rem)); }
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0;
  border-bottom: 1px solid var(--line); }
th { border-bottom: 2px solid var(--soft); font-weight: 600; }
td { white-space: nowrap; }
.words td { white-space: normal; min-width: 8rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
.yes, .no, .open { font-weight: 600; white-space: nowrap; }
.yes { color: var(--yes); }
.no { color: var(--no); }
figure { margin: 0 0 1.8rem; }
img { display: block; max-width: 100%; height: auto; background: #ffffff; padding: .5rem;
  border: 1px solid var(--line); border-radius: .25rem; }
figcaption { margin-top: .4rem; max-width: 46rem; }
pre { background: var(--shade); padding: .7rem .9rem; overflow-x: auto; font-size: .8125rem;
  border-radius: .25rem; }
summary { cursor: pointer; }
@media print {
  :root { --ink: #000000; --soft: #444444; --line: #bbbbbb; --paper: #ffffff; --shade: #f4f4f2;
    --yes: #00664b; --no: #a33f00; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; }
  td { white-space: normal; }
}
</style>
</head>
<body>
<main>
<header>
<h1>$title</h1>
$source
<p class="sentence">$sentence</p>
$notice
</header>
$body
</main>
</body>
</html>
""")


class Markup(str):
    """A text that is markup already."""


def esc(text: object) -> str:
    """A text from outside as HTML that shows it, invisible characters included."""
    return escape(visible(text, keep="\n"))


def section(heading: str, body: str) -> str:
    """A part of the page; the body is markup."""
    return f"<section><h2>{esc(heading)}</h2>\n{body}</section>"


def table(
    about: str, head: Sequence[str], rows: Iterable[Sequence[Any]], *, text: int, wrap: bool = False
) -> str:
    """A table whose first ``text`` columns are words and whose others are figures.

    Every cell is escaped but for :class:`Markup`; words are broken into lines if ``wrap``.
    """

    def cell(place: int, value: Any) -> str:
        inner = value if isinstance(value, Markup) else esc(value)
        return f"<td>{inner}</td>" if place < text else f'<td class="n">{inner}</td>'

    columns = "".join(
        f'<th scope="col"{"" if i < text else " class=n"}>{esc(name)}</th>'
        for i, name in enumerate(head)
    )
    lines = "\n".join(
        f"<tr>{''.join(cell(i, value) for i, value in enumerate(row))}</tr>" for row in rows
    )
    kind = ' class="words"' if wrap else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(about)}">'
        f"<table{kind}>"
        f"<caption>{esc(about)}</caption><thead><tr>{columns}</tr></thead>\n"
        f"<tbody>{lines}</tbody></table></div>"
    )
