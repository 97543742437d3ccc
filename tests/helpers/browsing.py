"""A real browser, Debian's chromium driven by Playwright, that notes what goes wrong on a page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

__all__ = ["CHROMIUM", "MISSING", "Watched", "browser", "opened"]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def _missing() -> str:
    """Why there is no browser; empty where there is one."""
    if CHROMIUM is None:
        return "no chromium on this machine: apt-get install chromium"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright, which drives the browser, is not installed: pip install playwright"
    return ""


MISSING = _missing()


@dataclass
class Watched:
    """A page, and what its browser complained about."""

    page: Page
    errors: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def watch(self) -> None:
        """Begin to note."""
        page = self.page
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def updates(self) -> int:
        """How often the page has brought itself up to date."""
        return int(self.page.locator("#main").get_attribute("data-updated") or 0)

    def says(self, part: str, words: str) -> None:
        """Wait until a part of the page says something."""
        from playwright.sync_api import expect

        expect(self.page.locator(f"#part-{part}")).to_contain_text(words, timeout=60_000)

    def reports(self, words: str) -> None:
        """Wait until the line on the connection says something; events may come after figures."""
        from playwright.sync_api import expect

        expect(self.page.locator("#state")).to_contain_text(words, timeout=60_000)

    def text(self, part: str) -> str:
        """What a part of the page says."""
        return " ".join(self.page.locator(f"#part-{part}").inner_text().split())


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        try:
            yield started
        finally:
            started.close()


@contextmanager
def opened(by: Browser, url: str, **options: Any) -> Iterator[Watched]:
    """A page of a browser with cookies of its own."""
    context = by.new_context(**options)
    context.set_default_timeout(60_000)
    watched = Watched(context.new_page())
    watched.watch()
    try:
        watched.page.goto(url)
        yield watched
    finally:
        context.close()
