"""Checks of the built site: no request to another host, no wrong link, nothing left out."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from website import names

__all__ = ["anchors", "left_out", "requests", "site", "wrong_links"]

# attributes by which a page makes the browser fetch something
_FETCHING = {
    "audio": ("src",), "embed": ("src",), "iframe": ("src",), "image": ("href", "xlink:href"),
    "img": ("src", "srcset"), "input": ("src",), "link": ("href",), "object": ("data",),
    "script": ("src",), "source": ("src", "srcset"), "track": ("src",), "use": ("href",),
    "video": ("src", "poster"), "form": ("action",), "base": ("href",),
}  # fmt: skip
_NOT_FETCHED = {"canonical", "next", "prev", "license", "author"}  # relations of link elements
_ELSEWHERE = re.compile(r"(?:[a-z][a-z+.-]*:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"(?:url\(|@import\s+)\s*['\"]?\s*([^'\")\s;]+)")


class _Page(HTMLParser):
    """What a page fetches, what it links to, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag != "link" or given.get("rel") not in _NOT_FETCHED:
            for name in _FETCHING.get(tag, ()):
                self.fetched += re.split(r"\s*,\s*", given[name]) if name in given else []
        self.fetched += _IN_STYLE.findall(given.get("style", ""))
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in ("img", "script", "link"):
            self.links += [given[name] for name in ("src", "href") if name in given]
        self._style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._style = self._style and tag != "style"

    def handle_data(self, data: str) -> None:
        if self._style:
            self.fetched += _IN_STYLE.findall(data)


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def site(folder: Path, package: Any) -> list[str]:
    """Everything that is wrong with a built site, in words."""
    _read.cache_clear()
    found = [*requests(folder), *wrong_links(folder), *left_out(folder, package)]
    return found + [f"{name} has no docstring" for name in names.undocumented(package)]


def requests(folder: Path) -> Iterator[str]:
    """Fetches from other hosts by pages and style sheets."""
    for path in sorted(folder.rglob("*.html")):
        for address in _read(path).fetched:
            if _ELSEWHERE.match(address):
                yield f"{path.relative_to(folder)} fetches {address}"
    for path in sorted(folder.rglob("*.css")):
        for address in _IN_STYLE.findall(path.read_text(encoding="utf-8")):
            if _ELSEWHERE.match(address):
                yield f"{path.relative_to(folder)} fetches {address}"


def wrong_links(folder: Path) -> Iterator[str]:
    """Links within the site whose file or anchor is not there, also those made by other tools."""
    for path in sorted(folder.rglob("*.html")):
        if path.name == "404.html":  # its links begin at the root
            continue
        for link in dict.fromkeys(_read(path).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = there / "index.html" if there.is_dir() else there
            anchor = unquote(parts.fragment)
            if not there.is_file():
                yield f"{path.relative_to(folder)}: no file for the link {link}"
            elif anchor and there.suffix == ".html" and anchor not in _read(there).anchors:
                yield f"{path.relative_to(folder)}: no anchor for the link {link}"


def anchors(folder: Path) -> set[str]:
    """The names in the inventory of the reference."""
    content = (folder / "objects.inv").read_bytes()
    body = zlib.decompress(content.split(b"\n", 4)[4]).decode()
    return {line.split(" ", 1)[0] for line in body.splitlines()}


def left_out(folder: Path, package: Any) -> Iterator[str]:
    """Public names and commands that the reference does not have."""
    from website.commands import commands

    known = anchors(folder)
    for path, listed in names.packages(package).items():
        for name in listed:
            if f"{path}.{name}" not in known:
                yield f"{path}.{name} is not in the reference: add a line names: {path} to a page"
    text = _read(folder / "reference" / "cli.html").anchors
    for name in commands():
        if name.replace(" ", "-") not in text:
            yield f"the command {name} is not in the reference"


if __name__ == "__main__":
    wrong = site(Path(sys.argv[1]), names.load(Path("src")))
    print("\n".join(wrong) or "nothing is wrong")
    sys.exit(bool(wrong))
