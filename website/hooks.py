"""Hooks of mkdocs: what the pages take from the source, files as pages, and the last checks."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # mkdocs loads this file by its path

from website import check, names  # noqa: E402
from website.commands import reference  # noqa: E402
from website.kinds import tables  # noqa: E402
from website.repository import Repository  # noqa: E402

REPOSITORY = Repository(ROOT)
ASSETS = ROOT / "website" / "assets"

_NAMES = re.compile(r"^<!-- names: (?P<package>[\w.]+) -->$", re.MULTILINE)
_COMMANDS = re.compile(r"^<!-- commands -->$", re.MULTILINE)
_KINDS = re.compile(r"^<!-- kinds -->$", re.MULTILINE)
_NOT_RUN = re.compile(r"^(?P<indent> *)<!-- not run: (?P<reason>.+?) -->$", re.MULTILINE)


@cache
def package() -> Any:
    """The package, parsed."""
    return names.load(ROOT / "src")


def on_files(files: Any, *, config: Any) -> Any:
    """Add the assets, and the files outside ``docs`` that pages link to."""
    for asset in sorted(ASSETS.iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    for page, text in REPOSITORY.outside().items():
        if text is not None:
            files.append(File.generated(config, page, content=text))
        else:
            path = ROOT / REPOSITORY.path(page)
            files.append(File.generated(config, page, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill in what is taken from the source, and lead links to files to their pages."""
    text = REPOSITORY.rewritten(markdown, page.file.src_uri)
    text = _NAMES.sub(_name_list, text)
    text = _COMMANDS.sub(lambda _: reference(), text)
    text = _KINDS.sub(lambda _: tables(), text)
    return _NOT_RUN.sub(_reason, text)


def on_post_build(*, config: Any) -> None:
    """Refuse a site that asks other hosts, or whose reference misses a name or a command."""
    found = check.site(Path(config.site_dir), package())
    if found:
        raise PluginError("\n".join(["the site is refused:", *found]))


def _name_list(found: re.Match[str]) -> str:
    path = found["package"]
    listed = names.packages(package()).get(path)
    if listed is None:
        raise PluginError(f"expected a public package, got {path!r}; correct the page")
    return "\n\n".join(f"::: {path}.{name}" for name in listed)


def _reason(found: re.Match[str]) -> str:
    reason = found["reason"]
    return f'{found["indent"]}<small class="not-run">Not run by the tests: {reason}.</small>\n'
