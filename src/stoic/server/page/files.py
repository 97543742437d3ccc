"""The scripts and styles of the page; every file is one of this package."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from stoic.report.html.page import STYLE

__all__ = ["StaticFile", "static_file"]

_SCRIPT, _STYLE, _ICON = "text/javascript", "text/css", "image/svg+xml"
_PLACES = {
    "htmx.min.js": ("vendor/htmx.min.js", _SCRIPT),
    "uPlot.iife.min.js": ("vendor/uPlot.iife.min.js", _SCRIPT),
    "uPlot.min.css": ("vendor/uPlot.min.css", _STYLE),
    "live.js": ("live.js", _SCRIPT),
    "chart.js": ("chart.js", _SCRIPT),
    "live.css": ("live.css", _STYLE),
    "icon.svg": ("icon.svg", _ICON),
}


class StaticFile(NamedTuple):
    """Content, its type, and a tag that changes with it."""

    content: bytes
    kind: str
    tag: str


@cache
def static_file(name: str) -> StaticFile | None:
    """A file by its name; None where there is none. The style of reports is a file as well."""
    if name == "report.css":
        return _tagged(STYLE.encode(), _STYLE)
    place = _PLACES.get(name)
    if place is None:
        return None
    path = files("stoic.server.page").joinpath("static", *place[0].split("/"))
    return _tagged(path.read_bytes(), place[1])


def _tagged(content: bytes, kind: str) -> StaticFile:
    return StaticFile(content, kind, f'"{hashlib.blake2b(content, digest_size=8).hexdigest()}"')
