"""All code of the page about Optuna runs, in the order of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("optuna")

import optuna

PAGE = Path(__file__).parents[2] / "docs" / "integrations" / "optuna.md"

if not PAGE.is_file():
    pytest.skip("a source distribution has no docs", allow_module_level=True)


def test_every_block_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(blocks) == text.count("```") // 2 - 1, "all but the one of pip"
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "optuna.md", "exec"), namespace)
    out = capsys.readouterr().out
    assert "Best configuration: cache=" in out
    assert "not the answer: measured 0.1 where" in out
