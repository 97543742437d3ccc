"""What the README shows runs, and stands where it should."""

from __future__ import annotations

import re
from pathlib import Path

import stoic

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, flags=re.S)


def test_the_loop_is_short_and_early() -> None:
    first = blocks()[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 15
    assert README[: README.index(first) + len(first)].count("\n") <= 40


def test_examples_run() -> None:
    for block in blocks():
        namespace: dict[str, object] = {}
        exec(compile(block, "README.md", "exec"), namespace)
        best = namespace["best"]
        assert isinstance(best, stoic.policies.Recommendation)
        assert 0 <= best.arm < 100


def test_linked_files_exist() -> None:
    for text in (README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert (ROOT / target).exists(), target


def test_every_policy_has_its_row() -> None:
    for name in stoic.policies.names():
        assert f"`{stoic.policies.by_name(name).__name__}" in README
