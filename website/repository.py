"""Files of the repository outside ``docs``, which pages link to, as pages of the site.

A page of ``docs`` may link to a benchmark's results, an example or a source file, and works so in
the repository. In the site such a file is ``repository/<its path>``: Markdown as a page, source as
a page with its text, anything else as it is. What these pages link to follows.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

__all__ = ["Repository", "links"]

DOCS = "docs"
HERE = "repository"
LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".sh": "sh", ".yml": "yaml"}

_HEAD = "---\nhide: [navigation, toc]\nsearch: {exclude: true}\n---\n\n"  # of pages with source
_FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?P<target>[^)\s]+)(?=[)\s])")
_ELSEWHERE = re.compile(r"^(?:[a-z][a-z+.-]*:|#|/|$)", re.IGNORECASE)


def links(text: str) -> Iterator[re.Match[str]]:
    """The targets of the relative links of a page of Markdown, code left out.

    >>> [found["target"] for found in links("[a](b.md#c) `[d](e)` [f](https://g) ![h](i.png)")]
    ['b.md#c', 'i.png']
    """
    hidden = [found.span() for found in _FENCE.finditer(text)]
    rest = _FENCE.sub(lambda found: " " * len(found[0]), text)
    hidden += [found.span() for found in _CODE.finditer(rest)]
    for found in _LINK.finditer(text):
        inside = any(start <= found.start() < end for start, end in hidden)
        if not inside and not _ELSEWHERE.match(found["target"]):
            yield found


@dataclass(frozen=True)
class Repository:
    """The repository, by paths relative to its root."""

    root: Path

    def page(self, path: str) -> str:
        """Where a file stands in the site, as the path of a source below ``docs``.

        >>> Repository(Path()).page("docs/tune.md"), Repository(Path()).page("LICENSE.md")
        ('tune.md', 'repository/LICENSE.md')
        """
        inside, _, rest = path.partition("/")
        if inside == DOCS:
            return rest
        source = Path(path).suffix in LANGUAGES
        return f"{HERE}/{path}{'.md' if source else ''}"

    def path(self, page: str) -> str:
        """The file of a page: the inverse of :meth:`page`."""
        inside, _, rest = page.partition("/")
        if inside != HERE:
            return f"{DOCS}/{page}"
        source = Path(rest.removesuffix(".md")).suffix in LANGUAGES
        return rest.removesuffix(".md") if source else rest

    def target(self, path: str, link: str) -> str | None:
        """The file that a link in a file means; None if it is not there."""
        where = unquote(link.partition("#")[0])
        found = posixpath.normpath(posixpath.join(posixpath.dirname(path), where))
        if found.startswith(".."):
            return None
        if (self.root / found).is_dir():
            found = posixpath.join(found, "README.md")
        return found if (self.root / found).is_file() else None

    def rewritten(self, text: str, page: str) -> str:
        """The text of a page, links leading to the pages of files; wrong ones stay as they are."""
        pieces, last = [], 0
        for found in links(text):
            there = self.target(self.path(page), found["target"])
            if there is None:
                continue
            anchor = found["target"].partition("#")[1:]
            leads = posixpath.relpath(self.page(there), posixpath.dirname(page) or ".")
            pieces += [text[last : found.start()], leads, *anchor]
            last = found.end()
        return "".join([*pieces, text[last:]])

    def outside(self) -> dict[str, str | None]:
        """The pages of linked files outside ``docs``: text of pages, None for other files."""
        found: dict[str, str | None] = {}
        waiting = [each.relative_to(self.root).as_posix() for each in self._docs()]
        while waiting:
            path = waiting.pop()
            text = (self.root / path).read_text(encoding="utf-8")
            for link in links(text):
                there = self.target(path, link["target"])
                if there is None or there.startswith(f"{DOCS}/") or self.page(there) in found:
                    continue
                found[self.page(there)] = self._text(there)
                if there.endswith(".md"):
                    waiting.append(there)
        return found

    def _docs(self) -> list[Path]:
        return sorted((self.root / DOCS).rglob("*.md"))

    def _text(self, path: str) -> str | None:
        suffix = Path(path).suffix
        if suffix != ".md" and suffix not in LANGUAGES:
            return None
        text = (self.root / path).read_text(encoding="utf-8")
        if suffix == ".md":
            return text
        return f"{_HEAD}# {path}\n\n~~~~~{LANGUAGES[suffix]}\n{text}\n~~~~~\n"
