"""Docstrings as Markdown: doctests as blocks of code, roles as links, overrides as their base."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import griffe

__all__ = ["Docstrings", "markdown"]

_DOCTEST = re.compile(r"^(?P<indent> *)>>>.*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
_LITERAL = re.compile(r"::\n\n(?P<code>(?: {4,}.*\n?|\s*\n)+)")
_SECTION = re.compile(r"^(?P<title>[A-Z]\w+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"(?P<names>[\w*][\w*, :|]*)\n(?P<text>(?: {4,}\S.*\n?|\n(?= {4}))+)")
_ROLE = re.compile(r":[a-z]+:`~?(?P<target>[\w.]+)`")


def markdown(text: str) -> str:
    r"""A docstring whose doctests and literal blocks are fenced, and whose roles are code.

    >>> markdown("As :meth:`tell`.\n\n>>> 1 + 1\n2").splitlines()
    ['As `tell`.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """

    def fenced(found: re.Match[str]) -> str:
        indent = found["indent"]
        return f"{indent}```pycon\n{found[0]}\n{indent}```"

    text = _with_lists(text)
    text = _LITERAL.sub(lambda found: f":\n\n{found['code'].rstrip()}\n\n", text)
    text = _DOCTEST.sub(fenced, text)
    return _ROLE.sub(lambda found: f"`{found['target'].strip('.')}`", text)


def _with_lists(text: str) -> str:
    r"""Sections in NumPy's style as lists; the prose after a section stays prose.

    >>> print(_with_lists("Parameters\n----------\nx, y\n    Sides.\n\nCost: none."))
    **Parameters**
    <BLANKLINE>
    - `x, y`: Sides.
    <BLANKLINE>
    Cost: none.
    """
    found = _SECTION.search(text)
    if found is None:
        return text
    items, end = [], found.end()
    while entry := _ENTRY.match(text, end):
        words = inspect.cleandoc(entry["text"]).replace("\n", "\n  ")
        items.append(f"- `{entry['names']}`: {words}")
        end = entry.end()
    rest = _with_lists(text[end:].lstrip("\n"))
    return "\n".join([f"{text[: found.start()]}**{found['title']}**", "", *items, "", rest])


class Docstrings(griffe.Extension):
    """Prepares a parsed package for the reference."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Change each docstring once, then let overrides inherit it."""
        objects = list(_objects(pkg))
        for each in objects:
            if each.docstring is not None:
                each.docstring.value = markdown(each.docstring.value)
        for each in objects:
            if each.is_class:
                _inherit(each)


def _objects(of: Any) -> Iterator[Any]:
    yield of
    for member in of.members.values():
        if not member.is_alias:
            yield from _objects(member)


def _inherit(found: Any) -> None:
    """Give methods without a docstring that of the nearest base that has the method."""
    try:
        bases = found.mro()
    except ValueError:  # a base can't be resolved
        bases = found.resolved_bases
    for name, member in found.members.items():
        if member.is_alias or member.docstring is not None:
            continue
        for base in bases:
            above = base.members.get(name)
            if above is not None and above.docstring is not None:
                member.docstring = above.docstring
                break
