"""All code of the documentation runs, in the order of its page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from helpers.pages import GIVEN, ROOT, blocks, pages, readable, run

if not (ROOT / "docs").is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)

# Pages whose blocks run in a test of their own, because it looks at what comes out of them or
# needs a fixture.
ELSEWHERE = {
    "README.md": "test_readme.py",
    "docs/agents.md": "cli/test_loop.py",
    "docs/do/serve.md": "remote/test_page.py",
    "docs/duel.md": "duels/test_command.py",
    "docs/integrations/optuna.md": "integrations/test_optuna_page.py",
    "docs/integrations/ray.md": "integrations/test_ray.py",
    "docs/integrations/sklearn.md": "integrations/test_sklearn.py",
}
PAGES = pages()


@pytest.mark.parametrize("page", PAGES)
def test_blocks_can_be_read(page: str) -> None:
    for block in blocks(page):
        readable(block)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_blocks_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for file in (GIVEN / page.removesuffix(".md")).glob("*.py"):  # not a folder of that name here
        monkeypatch.delitem(sys.modules, file.stem, raising=False)
    run(page, tmp_path)


@pytest.mark.parametrize("page", ELSEWHERE)
def test_other_tests_run_the_rest(page: str) -> None:
    text = (ROOT / "tests" / ELSEWHERE[page]).read_text(encoding="utf-8")
    assert Path(page).name in text


def test_what_is_given_belongs_to_a_page() -> None:
    for path in GIVEN.rglob("*"):
        if path.is_file():
            folders = [each.as_posix() for each in path.relative_to(GIVEN).parents]
            assert any(f"{folder}.md" in PAGES for folder in folders), path


def test_most_blocks_run() -> None:
    code = [each for page in PAGES for each in blocks(page) if each.language != "text"]
    marked = [each for each in code if each.not_run]
    print(f"{len(code)} blocks of code, {len(marked)} of them not run")
    assert len(marked) <= len(code) // 4, "\n".join(f"{b.where}: {b.not_run}" for b in marked)


BAD = {
    "python": "raise ValueError",
    "pycon": ">>> 1 + 1\n3",
    "sh": "stoic tune --nothing",
    "console": "$ echo a\nb",
    "toml": "a = ",
    "json": "{",
    "": "what is this",
}


@pytest.mark.parametrize("language", BAD)
def test_the_check_can_fail(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"```{language}\n{BAD[language]}\n```\n", encoding="utf-8")
    with pytest.raises((AssertionError, ValueError)):
        for block in blocks(page):
            readable(block)
        run(str(page), tmp_path)


def test_a_marked_block_does_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: it fails -->\n\n```python\nraise ValueError\n```\n")
    assert [block.not_run for block in blocks(page)] == ["it fails"]
    run(str(page), tmp_path)


def test_files_commands_and_names_stay_for_the_next_block(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '```sh title="bench.sh"\n#!/bin/sh\necho 7 > out\n```\n'
        "<!-- tested with: ./bench.sh for ./long.sh -->\n```sh\n./long.sh\n```\n"
        "```sh\npip install '.[cli]'\n```\n```python\nx = 7\n```\n```pycon\n>>> x\n7\n```\n"
        "```console\n$ cat out\n7\n$ echo a b c\na … c\n```\n",
        encoding="utf-8",
    )
    assert run(str(page), tmp_path)["x"] == 7
