"""Make text safe to display: characters that are not printable become escapes."""

from __future__ import annotations

from unicodedata import category

__all__ = ["visible"]


def visible(text: object, keep: str = "") -> str:
    r"""The text, with each character that is not printable as its escape; on one line.

    Escaped are control characters (C0, DEL, C1), line and paragraph separators, format characters
    (bidirectional overrides, zero-width characters), lone surrogates, and code points without a
    character. Spaces of all widths and the characters of ``keep`` stay.

    >>> visible("a\x1b[31m\nb\u202e\u200b"), visible("two\nlines", keep="\n")
    ('a\\x1b[31m\\nb\\u202e\\u200b', 'two\nlines')
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(
        c if c.isprintable() or c in keep or category(c) == "Zs" else _escaped(c) for c in shown
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
