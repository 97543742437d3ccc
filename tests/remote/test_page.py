"""docs/do/serve.md, run against a server: every block, with curl, Node.js and Go where they are."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

import stoic
from helpers.pages import ROOT, run
from helpers.service import serving
from stoic.server.settings import Limits, Settings

PAGE = ROOT / "docs" / "do" / "serve.md"
TOOLS = {"curl": "console", "node": "sh", "go": "sh"}

if not PAGE.exists():
    pytest.skip("a source distribution has no docs", allow_module_level=True)


def without(text: str, tool: str) -> str:
    """The page with the blocks marked that need a tool which is not installed."""
    pattern = rf"^(```{TOOLS[tool]}\n(?:\$ )?{tool} )"
    return re.sub(pattern, rf"<!-- not run: {tool} is not installed -->\n\n\1", text, flags=re.M)


def test_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    for tool in TOOLS:
        if shutil.which(tool) is None:
            text = without(text, tool)
    with serving(tmp_path / "served.db") as service:
        page = tmp_path / "page.md"
        page.write_text(text.replace("127.0.0.1:8313", f"127.0.0.1:{service.port}"))
        run(str(page), tmp_path)
        with stoic.connect(service.url, "latency") as study:
            workers = {record.worker.partition("/")[2] for record in study.trials}
            assert study.finished == len(study.trials) >= 10
            assert {tool for tool in ("node", "go") if shutil.which(tool)} <= workers


def test_a_missing_tool_is_a_reason() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for tool in TOOLS:
        assert f"{tool} is not installed" in without(text, tool)


def test_the_limits_are_those_of_the_server() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("## Limits")[2].partition("##")[0]
    limits = Limits()
    rows = dict(re.findall(r"^\| ([^|]*) \| ([^|]*) \|$", text, flags=re.M))
    numbers = {row: [int(n) for n in re.findall(r"\d+", said)] for row, said in rows.items()}
    assert numbers["the body of a request"] == [limits.body_bytes // 2**20, limits.json_depth]
    assert numbers["parameters of a space"] == [limits.parameters]
    assert numbers["studies of a store, to make another through the server"] == [limits.studies]
    assert numbers["trials of one ask; trials or entries in one reply"] == [
        limits.batch,
        limits.page,
    ]
    assert numbers["requests per second of one token"] == [limits.per_second, limits.burst]
    assert numbers["requests under way, connections"] == [limits.requests, limits.connections]
    assert f"({Settings().deadline} s" in PAGE.read_text(encoding="utf-8")
