"""The site has all public names, asks no other host, and its checks can fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

pytest.importorskip("griffe")
pytest.importorskip("mkdocs")

from helpers.pages import ROOT

if not (ROOT / "website").is_dir():
    pytest.skip("a source distribution has no site", allow_module_level=True)
from website import check, names
from website.repository import Repository

REFERENCE = ROOT / "docs" / "reference"


def test_every_public_name_has_a_docstring_and_a_page() -> None:
    package = names.load(ROOT / "src")
    assert names.undocumented(package) == []
    pages = "\n".join(path.read_text(encoding="utf-8") for path in REFERENCE.rglob("*.md"))
    listed = re.findall(r"^<!-- names: (\S+) -->$", pages, flags=re.M)
    assert sorted(listed) == sorted(names.packages(package))


def package(folder: Path, **files: str) -> Path:
    room = folder / "stoic"
    for name, text in files.items():
        path = (
            room / name.replace("__", "/") / "__init__.py"
            if name != "top"
            else room / "__init__.py"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


TOP = '"""Top."""\n__all__ = ["one"]\ndef one():\n    """One."""\n'
PART = '''
"""Part."""
__all__ = ["Two"]
class Two:
    """Two."""
    def go(self):
        {}
        return 1
'''


def test_names_without_docstrings_are_found(tmp_path: Path) -> None:
    good = names.load(package(tmp_path / "a", top=TOP, part=PART.format('"""Go."""')))
    assert names.undocumented(good) == []
    assert names.packages(good) == {"stoic": ["one"], "stoic.part": ["Two"]}
    bad = names.load(package(tmp_path / "b", top=TOP, part=PART.format("")))
    assert names.undocumented(bad) == ["stoic.part.Two.go"]


def built(folder: Path, text: str, inventory: str = "", style: str = "") -> Path:
    folder.mkdir()
    (folder / "index.html").write_text(text, encoding="utf-8")
    (folder / "a.css").write_text(style, encoding="utf-8")
    (folder / "reference").mkdir()
    (folder / "reference" / "cli.html").write_text("<h2 id='stoic'></h2>", encoding="utf-8")
    body = zlib.compress(inventory.encode())
    (folder / "objects.inv").write_bytes(b"# a\n# b\n# c\n# d\n" + body)
    return folder


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://unpkg.com/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/a.css">',
        '<img srcset="a.png, https://example.org/a.png 2x">',
        "<style>@import 'https://example.org/a.css';</style>",
        '<p style="background: url(http://example.org/a.png)">',
    ],
)
def test_a_request_to_another_host_is_found(text: str, tmp_path: Path) -> None:
    assert len(list(check.requests(built(tmp_path / "site", text)))) == 1


def test_links_for_people_are_no_requests(tmp_path: Path) -> None:
    site = built(
        tmp_path / "a", '<a href="https://example.org">x</a><link rel="canonical" href="https://a">'
    )
    assert list(check.requests(site)) == []
    site = built(tmp_path / "b", "", style="a { background: url(https://example.org/a.png) }")
    assert list(check.requests(site)) == ["a.css fetches https://example.org/a.png"]


def test_wrong_links_and_anchors_are_found(tmp_path: Path) -> None:
    text = '<p id="a"></p><a href="{}">x</a>'
    for i, good in enumerate(["#a", "index.html#a", "reference/cli.html#stoic", "mailto:a@b"]):
        assert list(check.wrong_links(built(tmp_path / f"good{i}", text.format(good)))) == []
    for i, bad in enumerate(["#b", "nowhere.html", "reference/cli.html#tune", "reference/"]):
        assert len(list(check.wrong_links(built(tmp_path / f"bad{i}", text.format(bad))))) == 1


def test_names_and_commands_that_are_left_out_are_found(tmp_path: Path) -> None:
    source = names.load(package(tmp_path / "src", top=TOP))
    site = built(tmp_path / "site", "", "stoic.one py:function 1 index.html#$ -\n")
    found = list(check.left_out(site, source))
    assert "the command stoic tune is not in the reference" in found
    assert not any("stoic.one" in each for each in found)
    site = built(tmp_path / "empty", "")
    assert any(each.startswith("stoic.one is not") for each in check.left_out(site, source))


PAGE = "# A\n\n## Part\n\n[x](b.md) [y](#part)\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PAGE, ""),
        (PAGE.replace("b.md", "c.md"), "'c.md'"),
        (PAGE.replace("b.md", "b.md#nowhere"), "'#nowhere'"),
        (PAGE.replace("#part", "#parts"), "'#parts'"),
    ],
)
def test_a_wrong_link_fails_the_build(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(text, encoding="utf-8")
    (tmp_path / "docs" / "b.md").write_text("# B\n", encoding="utf-8")
    ours = f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nsite_dir: site\n"
    alone = "nav: [index.md, b.md]\nplugins: []\nhooks: []\ntheme: {name: mkdocs}\nextra_css: []\n"
    (tmp_path / "mkdocs.yml").write_text(ours + alone, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build"],
        cwd=tmp_path, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode != 0) == bool(words), done.stderr
    assert words in done.stderr


def test_links_to_files_of_the_repository_lead_to_their_pages(tmp_path: Path) -> None:
    for path in ("docs/a/b.md", "src/c.py", "bench/README.md", "bench/d.json", "e.png"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("[d](d.json)\n" if path.endswith(".md") else "{}\n")
    text = (
        "[c](../../src/c.py) [d](../../bench/) `[no](../../src/c.py)` [e](../../e.png) [f](f.md)\n"
    )
    (tmp_path / "docs/a/b.md").write_text(text)
    repository = Repository(tmp_path)
    found = repository.outside()
    assert found.keys() == {
        "repository/src/c.py.md", "repository/bench/README.md", "repository/bench/d.json.md",
        "repository/e.png",
    }  # fmt: skip
    assert found["repository/e.png"] is None
    assert repository.rewritten(text, "a/b.md") == (
        "[c](../repository/src/c.py.md) [d](../repository/bench/README.md) "
        "`[no](../../src/c.py)` [e](../repository/e.png) [f](f.md)\n"
    )
    page = "repository/bench/README.md"
    assert repository.rewritten(found[page] or "", page) == "[d](d.json.md)\n"
