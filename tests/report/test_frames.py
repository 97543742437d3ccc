"""Trials as data frames, and objects in notebooks; names from outside do no harm."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput, MissingExtra
from stoic.report import Result
from stoic.report.frames import frame
from stoic.spaces import Int, Space

HOSTILE = "<script>alert('1')</script>\x1b[31m$\\frac\u202e"
SPACE = Space(
    {
        "n": Int(1, 64),
        "value": [1, "auto", None],
        HOSTILE: ["<b>", "&"],
        "m": Int(1, 8, when={HOSTILE: "<b>"}),
        "x": (0.0, 1.0),
    }
)


def result() -> Result:
    """Twelve trials; one is an outlier, and one failed for a hostile reason."""
    optimizer = stoic.Optimizer(SPACE, direction="minimize")
    for i, point in enumerate(SPACE.sample(12, 0)):
        params: Any = SPACE.decode(point)
        if i == 3:
            optimizer.fail(params, "<img src=x onerror=alert(1)>\x07")
        else:
            optimizer.tell(params, 1e4 if i == 7 else params["x"] + 0.01 * i)
    return Result.of(optimizer, objective=HOSTILE)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_result_is_a_frame(library: str) -> None:
    pytest.importorskip(library)
    made = result()
    table = made.to_frame(library)
    assert list(table.columns) == [
        "trial", "n", "param:value", HOSTILE, "m", "x", "value", "state", "reason", "suspect",
    ]  # fmt: skip
    rows = table.to_dict("records") if library == "pandas" else table.to_dicts()
    assert len(rows) == 12
    for row, trial in zip(rows, made.trials, strict=True):
        assert row["trial"] == trial.number
        assert row["n"] == trial.params["n"]
        assert row["x"] == trial.params["x"]
        assert row["state"] == ("failed" if trial.failed else "told")
        if "m" in trial.params:
            assert row["m"] == trial.params["m"]
        if trial.value is not None:
            assert row["value"] == trial.value
    assert [row["trial"] for row in rows if row["suspect"]] == [7]
    if library == "pandas":
        assert str(table["n"].dtype) == "int64"
        assert str(table["m"].dtype) == "Int64"
        assert table["value"].isna().sum() == 1
    else:
        assert table["n"].dtype.is_integer()
        assert table["m"].null_count() > 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_study_is_a_frame(library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    with stoic.Study(tmp_path / "s.db", space={"x": (0.0, 1.0)}, direction="maximize") as study:
        assert len(study.to_frame(library)) == 0
        first = study.ask()
        study.tell(first, 1.0)
        study.tell(first, 2.0, measurement=1)
        study.note(first, "twice")
        study.fail(study.ask(), "crash")
        study.ask()
        table = study.to_frame(library)
    rows = table.to_dict("records") if library == "pandas" else table.to_dicts()
    assert [row["trial"] for row in rows] == [0, 0, 1, 2]
    assert [row["state"] for row in rows] == ["told", "told", "failed", "open"]
    assert rows[1]["value"] == 2.0
    assert rows[1]["measurement"] == 1
    assert rows[0]["notes"] == "twice"
    assert rows[2]["reason"] == "crash"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=rf"package {library} .*stoic\[frames\]"):
        frame({"x": [1]}, library)
    with pytest.raises(InvalidInput, match="library"):
        frame({"x": [1]}, "dask")


TAGS = {"div", "pre", "table", "thead", "tbody", "tr", "th", "td", "img"}
ATTRIBUTES = {"class", "style", "alt", "src"}


class Reader(HTMLParser):
    """Collects what a browser would make of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def harmless(html: str) -> None:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.tags <= TAGS
    assert reader.attributes <= ATTRIBUTES
    assert "\x1b" not in html
    assert "\x07" not in html
    assert "\u202e" not in html


@pytest.mark.parametrize("matplotlib", [True, False])
def test_notebooks(matplotlib: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not matplotlib:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    made = result()
    shown = made._repr_html_()
    harmless(shown)
    assert ("data:image/png;base64," in shown) == matplotlib
    assert ("<table>" in shown) == (not matplotlib)
    assert made.best is not None
    harmless(made.best._repr_html_())
    assert "estimated" in made.best._repr_html_()
    found = stoic.diagnose(np.arange(40.0))
    harmless(found._repr_html_())
    assert ("<img" in found._repr_html_()) == matplotlib
    with stoic.Study(
        tmp_path / "s.db", "<i>s</i>", space=SPACE, direction="maximize", objective=HOSTILE
    ) as study:
        harmless(study._repr_html_())
        for i in range(4):
            study.tell(study.ask(), float(i))
        study.fail(study.ask(), HOSTILE)
        shown = study._repr_html_()
        harmless(shown)
        assert "4 told, 1 failed, 0 open" in shown
        assert "&lt;i&gt;s&lt;/i&gt;" in shown
    harmless(study._repr_html_())  # closed


def test_a_result_without_a_value_is_shown() -> None:
    optimizer = stoic.Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    assert "<img" not in Result.of(optimizer)._repr_html_()
    optimizer.fail({"x": 0.5}, "<b>no</b>")
    harmless(Result.of(optimizer)._repr_html_())
    optimizer.tell({"x": 0.1}, 1e308)
    optimizer.tell({"x": 0.2}, -1e308)
    harmless(Result.of(optimizer)._repr_html_())
