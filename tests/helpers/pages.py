"""The code blocks of the documentation, and how the tests run them.

All blocks of a page run in order in one folder, as a reader would do it: ``python`` and ``pycon``
in one namespace, ``sh`` and ``console`` in bash with the real ``stoic``. A block with a title is a
file of that name. ``toml``, ``json`` and ``yaml`` must be readable; ``text`` is no code. What a
page takes for granted (a program of the reader's) is in ``tests/docs/given/<page>/``. A comment
before a block says what is different here:

    <!-- not run: needs a cluster -->
    <!-- tested with: budget=12 for budget=60 -->
"""

from __future__ import annotations

import ast
import doctest
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["GIVEN", "ROOT", "Block", "blocks", "pages", "run"]

ROOT = Path(__file__).parents[2]
GIVEN = ROOT / "tests" / "docs" / "given"
READ = {"toml", "json", "yaml"}
RUN = {"python", "pycon", "sh", "console"}
NO_CODE = {"text", "c", "go", "js"}  # with a title, they are files like others

_BLOCK = re.compile(
    r"(?P<before>(?:^[ \t]*<!--[^\n]*-->[ \t]*\n\s*)*)"
    r"^(?P<indent>[ \t]*)(?P<fence>```+|~~~+)(?P<info>[^\n]*)\n"
    r"(?P<text>.*?)^(?P=indent)(?P=fence)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_NOT_RUN = re.compile(r"<!-- not run: (\S.*?) -->")
_TESTED = re.compile(r"<!-- tested with: (\S.*?) for (\S.*?) -->")
_TITLE = re.compile(r'title="([^"]+)"')

_STOIC = """\
#!{python}
from stoic.cli import main

if __name__ == "__main__":
    main()
"""
_PIP = """\
import sys, tomllib
from pathlib import Path
project = tomllib.loads(Path({file!r}).read_text(encoding="utf-8"))["project"]
extras = set(project["optional-dependencies"])
assert sys.argv[1] == "install", sys.argv
for word in sys.argv[2:]:
    package, _, wanted = word.rstrip("]").partition("[")
    if package in ("stoic", ".") and not set(filter(None, wanted.split(","))) <= extras:
        sys.exit(f"{{word}}: not in pyproject.toml")
"""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    title: str
    text: str
    not_run: str
    """Why the block is not run; empty if it is."""

    @property
    def where(self) -> str:
        """Page and line."""
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """All pages with blocks: the README, CONTRIBUTING and everything in ``docs``."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [each.relative_to(ROOT).as_posix() for each in found if any(blocks(each))]


def blocks(page: Path | str) -> Iterator[Block]:
    r"""The blocks of a page, in order.

    >>> path = getfixture("tmp_path") / "page.md"
    >>> _ = path.write_text("<!-- not run: needs a cluster -->\n\n```sh\nstoic serve\n```\n")
    >>> [(each.line, each.language, each.not_run) for each in blocks(path)]
    [(3, 'sh', 'needs a cluster')]
    """
    path = ROOT / page
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    text = path.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        language, _, options = found["info"].strip().partition(" ")
        title, reason = _TITLE.search(options), _NOT_RUN.search(found["before"])
        code = textwrap.dedent(found["text"])
        for now, then in _TESTED.findall(found["before"]):
            assert then in code, f"{name}: {then!r} is not in the block"
            code = code.replace(then, now)
        yield Block(
            name, text.count("\n", 0, found.start("fence")) + 1, language,
            title[1] if title else "", code, reason[1] if reason else "",
        )  # fmt: skip


def readable(block: Block) -> None:
    """Refuse a block that can't be read as what it is, also one that is not run."""
    assert block.language in READ | RUN | NO_CODE, f"{block.where}: language {block.language!r}?"
    if block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "json":
        for document in re.split(r"\n(?=\{)", block.text):
            json.loads(document)
    elif block.language == "python":
        ast.parse(block.text, block.where)
    elif block.language == "sh":
        subprocess.run(["bash", "-n"], input=block.text, text=True, check=True)


def run(page: str, folder: Path) -> dict[str, Any]:
    """Run the blocks of a page in an empty folder, and return the names of its Python."""
    names: dict[str, Any] = {"__name__": "__main__"}
    given = GIVEN / page.removesuffix(".md")
    if given.is_dir():
        shutil.copytree(given, folder, dirs_exist_ok=True)
    environment = _environment(folder)
    for block in blocks(page):
        if block.not_run or (block.language in NO_CODE and not block.title):
            continue
        if block.title:
            _file(folder / block.title, block.text)
        elif block.language == "python":
            lines = "\n" * block.line + block.text  # tracebacks have the line of the page
            exec(compile(lines, block.page, "exec"), names)
        elif block.language == "pycon":
            _session(block, names)
        elif block.language == "sh":
            _bash(block.text, folder, environment, block.where)
        elif block.language == "console":
            _console(block, folder, environment)
    return names


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755 if text.startswith("#!") else 0o644)


def _environment(folder: Path) -> dict[str, str]:
    """For commands: the real ``stoic`` and ``python``; ``pip`` only checks extras."""
    commands = folder / ".commands"
    commands.mkdir()
    _file(commands / "stoic", _STOIC.format(python=sys.executable))
    pip = _PIP.format(file=str(ROOT / "pyproject.toml"))
    _file(commands / "pip", f"#!{sys.executable}\n{pip}")
    for name in ("python", "python3"):
        _file(commands / name, f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    ours = {"OPENBLAS_NUM_THREADS": "1", "COLUMNS": "80", "MPLBACKEND": "agg", "PATH": path}
    return {**os.environ, **ours, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{folder}"}


def _bash(text: str, folder: Path, environment: Mapping[str, str], where: str) -> str:
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", text],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{where}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr, f"{where}:\n{done.stderr}"
    return done.stdout


def _session(block: Block, names: dict[str, Any]) -> None:
    text = block.text.replace("…", "...")
    example = doctest.DocTestParser().get_doctest(text, names, block.page, block.page, block.line)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    found = runner.run(example, out=said.append, clear_globs=False)
    names.update(example.globs)
    assert found.attempted, f"{block.where}: no >>>"
    assert not found.failed, f"{block.where}:\n{''.join(said)}"


def _console(block: Block, folder: Path, environment: Mapping[str, str]) -> None:
    """Run each ``$ command``; what follows it is its output, ``…`` standing for anything."""
    parts = re.findall(r"^\$ ((?:.*\\\n)*.*)\n?((?:(?!\$ ).*\n?)*)", block.text, re.MULTILINE)
    assert parts, f"{block.where}: no $"
    for command, expected in parts:
        said = _bash(command, folder, environment, block.where)
        pattern = ".*?".join(re.escape(part) for part in _trimmed(expected).split("…"))
        assert re.fullmatch(pattern, _trimmed(said), re.DOTALL), (
            f"{block.where}: {command}\nexpected\n{expected}\ngot\n{said}"
        )


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
