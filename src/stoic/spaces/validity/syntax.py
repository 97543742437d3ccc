"""The syntax of an expression by Python's parser, within limits; and errors that name a column."""

from __future__ import annotations

import ast
import re

from stoic.errors import InvalidExpression

__all__ = ["Source"]

_MAX_CHARACTERS = 1000  # of an expression
_MAX_SHOWN = 100  # characters of it in an error
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_NUMBER_THEN_LETTER = re.compile(r"(?<![\w.])(?>\d[\d_.]*(?:[eE][+-]?\d+)?)(?=[^\W\d])")
_EXAMPLE = "'block_x * block_y <= 1024'"


class Source:
    """The text of an expression."""

    def __init__(self, text: str) -> None:
        self.text = text

    def error(
        self, at: ast.AST | int, expected: str, got: str, advice: str = ""
    ) -> InvalidExpression:
        """The error at a node or at a position, counted from 0."""
        place = at if isinstance(at, int) else self._begin(at)
        begin = max(0, min(place - _MAX_SHOWN // 2, len(self.text) - _MAX_SHOWN))
        shown = self.text[begin : begin + _MAX_SHOWN]
        cut = "…" * (begin > 0) + shown + "…" * (begin + _MAX_SHOWN < len(self.text))
        return InvalidExpression(
            f"expected {expected}, got {got} at column {place + 1} of {cut!r}"
            + f"; {advice}" * bool(advice),
            place + 1,
        )

    def _begin(self, node: ast.AST) -> int:
        """The position of a node in characters; Python counts bytes."""
        bytes_before = getattr(node, "col_offset", 0)
        return len(self.text.encode()[:bytes_before].decode(errors="ignore"))

    def of(self, node: ast.expr) -> str:
        """The text of a node; an `ast.Name` has a name that Python may have normalised."""
        return self.text.encode()[node.col_offset : node.end_col_offset].decode(errors="ignore")

    def tree(self) -> ast.expr:
        """The expression as Python parses it; nothing is executed."""
        if len(self.text) > _MAX_CHARACTERS:
            expected = f"an expression of at most {_MAX_CHARACTERS} characters"
            raise self.error(_MAX_CHARACTERS, expected, f"{len(self.text)}", "write several")
        for place, character in enumerate(self.text):
            if not character.isprintable() or character == "\\":
                raise self.error(place, "printable characters without '\\'", repr(character))
        bare = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), self.text)
        glued = _NUMBER_THEN_LETTER.search(bare)
        if glued:  # Python warns about some and reads others, such as 0x1f and 2j
            raise self.error(glued.end(), "a space or an operator after a number", "a letter")
        if "#" in bare:
            raise self.error(bare.index("#"), "no comment", "'#'")
        try:
            return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            place = min((error.offset or len(self.text) + 1) - 1, len(self.text))
            raise self.error(place, f"an expression such as {_EXAMPLE}", error.msg) from None
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            raise self.error(0, f"an expression such as {_EXAMPLE}", type(error).__name__) from None
