"""A page of the documentation: its code, its figure, and its sentences that are computed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

__all__ = ["DOCS", "FIGURES", "Facts", "Page", "Words", "laid_out"]

DOCS = Path(__file__).resolve().parents[2] / "docs"
FIGURES = DOCS / "figures"
MOST_BYTES = 150_000  # of a figure

Facts = dict[str, Any]
"""What a page quotes: numbers and names, as JSON holds them."""

Words = Callable[[Facts], Mapping[str, str]]
"""The sentences that quote the facts, by marker."""


@dataclass(frozen=True)
class Page:
    """A page, by its path below ``docs``, and the name of its figure."""

    path: str
    name: str
    drawn: bool = True  # False for a page of computed sentences without a figure

    @property
    def file(self) -> Path:
        """Where the page is."""
        return DOCS / self.path

    @property
    def text(self) -> str:
        """What the page says now."""
        return self.file.read_text(encoding="utf-8")

    def code(self) -> list[str]:
        """The Python blocks without a title: what a reader runs, in order."""
        return re.findall(r"^```python\n(.*?)^```", self.text, flags=re.S | re.M)

    def run(self, **other: int) -> dict[str, Any]:
        """The namespace after all blocks, run one after another in an empty folder.

        ``run(seed=3)`` runs the page as if its line ``seed = 0`` were ``seed = 3``.
        """
        namespace: dict[str, Any] = {"__name__": self.name}
        before = Path.cwd()
        sys.path.insert(0, str(DOCS.parent / "examples" / "server"))  # for one page
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    for block in self.code():
                        exec(compile(_with(block, other), self.path, "exec"), namespace)
            finally:
                os.chdir(before)
                sys.path.pop(0)
        return namespace

    def marked(self, marker: str) -> str:
        """The text between the two markers of that name."""
        return _pattern(marker).search(self.text)[2].strip()  # type: ignore[index]

    def write(self, facts: Facts, words: Words) -> None:
        """Keep the facts, and put the sentences about them between their markers."""
        self._facts_file.write_text(
            json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        text = self.text
        for marker, sentence in words(self.facts()).items():
            text, found = _pattern(marker).subn(_between(laid_out(sentence)), text)
            if found != 1:
                raise SystemExit(f"expected <!-- {marker} --> once in {self.path}, got {found}")
        self.file.write_text(text, encoding="utf-8")

    def facts(self) -> Facts:
        """The facts as they were kept."""
        found: Facts = json.loads(self._facts_file.read_text(encoding="utf-8"))
        return found

    @property
    def picture(self) -> Path:
        """The figure's file."""
        return FIGURES / f"{self.name}.png"

    def save(self, figure: Figure) -> None:
        """Write the figure; it must not be too large for a page."""
        figure.savefig(self.picture, dpi=170, metadata={"Software": None})
        size = self.picture.stat().st_size
        if size > MOST_BYTES:
            raise SystemExit(f"expected at most {MOST_BYTES} bytes of {self.name}.png, got {size}")

    @property
    def _facts_file(self) -> Path:
        return FIGURES / f"{self.name}.json"


def _pattern(marker: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {marker} -->)(.*?)(<!-- /{marker} -->)", flags=re.S)


def _with(block: str, values: Mapping[str, int]) -> str:
    for name, value in values.items():
        block = re.sub(rf"^{name} = \d+$", f"{name} = {value}", block, flags=re.M)
    return block


def laid_out(text: str) -> str:
    """Paragraphs of at most 100 characters a line; tables and code as they are."""
    parts = []
    for part in text.strip().split("\n\n"):
        plain = not part.lstrip().startswith(("|", "```", "- "))
        parts.append(
            textwrap.fill(
                " ".join(part.split()), 100, break_long_words=False, break_on_hyphens=False
            )
            if plain
            else part
        )
    return "\n\n".join(parts)


def _between(text: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{found[1]}\n{text}\n{found[3]}"
