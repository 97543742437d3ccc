"""Render the pages: templates, and the parts of a study's page one by one."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from stoic.numbers import with_interval

__all__ = ["PARTS", "Parts", "digests", "page", "parts"]

PARTS = (
    "status", "answer", "legend", "course", "caption", "estimates", "finals", "parameters",
    "coverage", "room", "queue", "latest", "ledger", "workers", "failures", "terms",
)  # fmt: skip
_INLINE = ("caption",)
_MAX_ROWS = 40  # of the table of estimates
_CONFIG = {
    "includeIndicatorCSS": False,
    "history": False,
    "morphIgnore": ["data-htmx-powered", "open"],  # what a reader opened stays open
    "morphSkip": "#chart",
}

Parts = dict[str, Markup]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("stoic.server.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {"thousands": lambda n: f"{n:,}", "moment": _moment}
    environment.globals |= {"htmx_config": json.dumps(_CONFIG)}
    return environment


def _moment(seconds: float | None) -> Markup:
    """A time of day, which a script may show as an age."""
    if seconds is None:
        return Markup("–")
    utc = time.gmtime(seconds)
    iso, text = (time.strftime(form, utc) for form in ("%Y-%m-%dT%H:%M:%SZ", "%d %b %H:%M:%S UTC"))
    return Markup('<time datetime="{}">{}</time>').format(iso, text)


def page(name: str, **values: Any) -> str:
    """A whole page."""
    given = {"signed_in": False, "csrf": ""} | values
    return _environment().get_template(f"{name}.html").render(given)


def parts(snapshot: Mapping[str, Any], may: Mapping[str, bool], csrf: str) -> Parts:
    """The parts of a study's page, each with a digest of its content."""
    template: Template = _environment().get_template("parts.html")
    verb = snapshot["direction"].capitalize()
    data = {**snapshot, "goal": f"{verb} {snapshot['objective']}", "table": _table(snapshot)}
    module: Any = template.module
    found: Parts = {}
    for name in PARTS:
        inner = Markup(str(getattr(module, name)(data, may, csrf)))
        tag = "span" if name in _INLINE else "div"
        digest = hashlib.blake2b(inner.encode(), digest_size=4).hexdigest()
        found[name] = Markup('<{0} class="part" id="part-{1}" data-digest="{2}">{3}</{0}>').format(
            tag, name, digest, inner
        )
    return found


def digests(text: str) -> dict[str, str]:
    """What a browser has of the parts: ``status:0a1b2c3d,answer:…``.

    >>> digests("status:0a1b2c3d,room:99887766")
    {'status': '0a1b2c3d', 'room': '99887766'}
    """
    pairs = (item.partition(":") for item in text.split(",", len(PARTS)))
    return {name: digest for name, _, digest in pairs if name in PARTS}


def _table(snapshot: Mapping[str, Any]) -> list[dict[str, str]]:
    """Estimates over time as text, evenly thinned."""
    chart = snapshot["chart"]
    found = chart["estimates"]
    every = max(1, -(-len(found) // _MAX_ROWS))
    rows = []
    for position, value, low, high in found[::-1][::every][::-1]:
        words = f"{value:.6g}", "unknown"
        if low is not None:
            value_, low_, high_ = with_interval(value, (low, high))
            words = value_, f"{low_} to {high_}"
        number = chart["numbers"][position]
        rows.append({"after": f"trial {number}", "value": words[0], "interval": words[1]})
    return rows
