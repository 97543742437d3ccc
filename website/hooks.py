"""Hooks of mkdocs: files of the repository as pages, the reference of commands, the checks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # mkdocs loads this file by its path

from website.repository import Repository  # noqa: E402

REPOSITORY = Repository(ROOT)
ASSETS = ROOT / "website" / "assets"


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
    """Lead links to files of the repository to their pages."""
    return REPOSITORY.rewritten(markdown, page.file.src_uri)
