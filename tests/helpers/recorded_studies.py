"""What the command line shows, exports and reports of studies that are always the same."""

from __future__ import annotations

import html
import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import stoic
from helpers.recorded_optimizer import history, same_numbers, space_of

__all__ = ["compare", "record"]

# What differs from run to run of the same code: times, durations, random names.
MASKS = (
    (re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC"), "TIME"),
    (re.compile(r"^[0-9.]+ m?s$", re.MULTILINE), "SECONDS"),
    (re.compile(r"\b1[6-9]\d{8}\.\d+\b"), "UNIX-TIME"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "UID"),
    (re.compile(r"\d+ [A-Z][a-z]+ 20\d\d · [0-9.]+ m?s\b"), "DATE · SECONDS"),
)


def _space(store: str, name: str, number: int, **more: Any) -> None:
    plan, outcomes = history(number)
    with stoic.Study(
        store,
        name,
        space=space_of(plan["space"]),
        direction=plan["direction"],
        seed=number,
        worker="recorder",
        lease=1e6,
        **more,
    ) as study:
        for params, value, reason in outcomes[:25]:
            study.enqueue(params)
            trial = study.ask()
            if value is None:
                study.fail(trial, reason or "")
            else:
                study.tell(trial, value)
                if trial.number % 5 == 2:
                    study.tell(trial, 1.01 * value, measurement=1)
        for _ in range(5):
            trial = study.ask()
            study.tell(trial, float(trial.number))
        study.ask()  # stays open


def _policy(store: str) -> None:
    X = np.linspace(0.0, 1.0, 12)
    policy = stoic.policies.TGPUCB(stoic.Arms(X), stoic.SquaredExponential(0.2))
    with stoic.Study(store, "arms", policy=policy, worker="recorder", lease=1e6) as study:
        for i in range(30):
            trial = study.ask()
            noise = 1e6 if i % 10 == 4 else 0.0
            study.tell(trial, float(np.sin(5.0 * X[trial.params["arm"]])) + noise)


MAKERS: dict[str, Callable[[str], None]] = {
    "mixed": lambda store: _space(store, "mixed", 23, objective="p99 latency [ms]"),
    "conditional": lambda store: _space(store, "conditional", 17),
    "log": lambda store: _space(store, "naïve <b>&amp;</b>", 8, objective="loss"),
    "random": lambda store: _space(store, "random", 40, method="random"),
    "arms": _policy,
}


def record(name: str, folder: Path) -> dict[str, str]:
    """All views of one study, by what was asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    views: dict[str, str] = {}
    with chdir(folder):
        for old in folder.iterdir():
            old.unlink()
        MAKERS[name]("study.db")
        for kind in ("csv", "json"):
            views[f"export {kind}"] = _command("export", f"out.{kind}") + _read(f"out.{kind}")
        views["export parquet"] = _command("export", "out.parquet") + _parquet("out.parquet")
        for view in ("show", "best", "trials"):
            views[view] = _command(view)
            views[f"{view} --json"] = _command(view, "--json")
        _command("report", "--out", "out.html")
        views["report"] = _stripped(_read("out.html"))
    return {view: _masked(text.replace(str(folder), "FOLDER")) for view, text in views.items()}


def _read(name: str) -> str:
    return Path(name).read_text(encoding="utf-8")


def _parquet(name: str) -> str:
    """The rows and types of a Parquet file, whose bytes name the version of its writer."""
    from pyarrow import parquet

    table = parquet.read_table(name)
    return f"{table.schema.to_string(show_field_metadata=False)}\n{table.to_pylist()!r}"


def _command(*words: str) -> str:
    """What ``stoic study`` prints, and its exit code."""
    from stoic.cli import main

    out, err = io.StringIO(), io.StringIO()
    argv = ["stoic", "study", *words, "--store", "study.db"]
    calm = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    code: Any = 0
    stand_in = patch.object(sys, "argv", argv), patch.dict(os.environ, calm)
    with stand_in[0], stand_in[1], redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return f"{out.getvalue()}{err.getvalue()}[{code or 0}]\n"


def _stripped(page: str) -> str:
    """The text of a page, one line for each element that has some."""
    page = re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    lines = (html.unescape(part).strip() for part in re.split(r"<[^>]*>", page))
    return "\n".join(line for line in lines if line)


def _masked(text: str) -> str:
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return text


def compare(old: dict[str, str], new: dict[str, str]) -> tuple[list[str], list[str]]:
    """Views that differ in numbers, and lines that differ in words or by rounding alone."""
    wrong = [f"no view {view!r}" for view in old if view not in new]
    words = []
    for view in sorted(old.keys() & new.keys()):
        if old[view] == new[view]:
            continue
        before, after = old[view].splitlines(), new[view].splitlines()
        pairs = zip(before, after, strict=False)
        lines = [f"{view}: {a!r} became {b!r}" for a, b in pairs if a != b]
        if same_numbers(old[view], new[view]):
            words += lines
        else:
            wrong += lines[:5] or [f"{view}: {len(before)} lines became {len(after)}"]
    return wrong, words
