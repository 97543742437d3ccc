"""``stoic diagnose``: every file a user may have, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic.diagnostics import diagnose
from stoic.diagnostics.reading import read_text_table
from stoic.errors import InvalidInput, StoicError

pytest.importorskip("typer")
from typer.testing import CliRunner

from stoic.cli.app import app

RUNNER = CliRunner()
Y = np.random.default_rng(0).lognormal(size=200)


def call(*words: object, code: int = 0, given: str | bytes | None = None) -> str:
    result = RUNNER.invoke(app, ["diagnose", *map(str, words)], input=given)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def as_json(*words: object, given: str | bytes | None = None) -> list[dict[str, Any]]:
    found = json.loads(call(*words, "--json", given=given))
    columns: list[dict[str, Any]] = found["columns"]
    return columns


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "values.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_one_column_is_reported_in_words(tmp_path: Path) -> None:
    said = call(write(tmp_path, "ms\n" + "\n".join(map(str, Y))))
    assert said == f"ms\n{diagnose(Y)}\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " ", ", ", "   "])
@pytest.mark.parametrize("header", [True, False])
def test_delimiters_and_headers(delimiter: str, header: bool, tmp_path: Path) -> None:
    rows = [delimiter.join(["a", str(i), repr(y)]) for i, y in enumerate(Y.tolist())]
    text = "\r\n".join([delimiter.join(["host", "run", "ms"])] * header + rows) + "\r\n"
    found = as_json(write(tmp_path, text))
    assert [each["column"] for each in found] == (
        ["run", "ms"] if header else ["column 2", "column 3"]
    )
    assert found[1]["median"] == diagnose(Y).median
    assert as_json(tmp_path / "values.csv", "--column", 3) == found[1:]
    if header:
        assert as_json(tmp_path / "values.csv", "--column", "ms") == found[1:]


@pytest.mark.parametrize(("text", "median"), [
    (b"1\n2\n3\n", 2.0),
    (b"1\r2\r3", 2.0),
    (b"\xef\xbb\xbflatency ms\n1\n\n# a note\n 2 \n3", 2.0),
    ("ms\n1\n2\n3".encode("utf-16"), 2.0),
    (b"ms;host\n1,5;a\n2,5;b\n3,5;c", 2.5),
    (b'host,ms\n"a,b",1\n"c",2\nd,"3"\n', 2.0),
    (b"when,ms\n2024-01-01 10:00:00,1e3\n2024-01-01 10:00:01,2e3\n2024-01-01 10:00:02,3e3", 2e3),
    (b"1 \n 2\n3\t\n", 2.0),
    (b"7", 7.0),
])  # fmt: skip
def test_files(text: bytes, median: float) -> None:
    assert [each["median"] for each in as_json("-", given=text)] == [median]


def test_several_columns_get_a_line_each(tmp_path: Path) -> None:
    rows = "\n".join(f"{a},x,{b}" for a, b in zip(Y, 1e6 * Y, strict=True))
    said = call(write(tmp_path, "[red]a,host,b\n" + rows))
    assert "[red]a" in said
    assert "host" not in said
    assert "--column NAME" in said


def test_bad_cells_are_named_or_skipped() -> None:
    text = "host,ms\na,1\nb,oops\nc,\nd,nan\ne,2\nf,3\ng,4\nh,5\n"
    said = call("-", given=text, code=2)
    assert said.count("\n") == 1
    assert said.startswith("stoic: expected a finite number in line 3, column 'ms'")
    assert "got 'oops'" in said
    [found] = as_json("-", "--skip-bad", given=text)
    assert (found["n"], found["skipped"]) == (5, 3)
    assert "skipped: 3 cells" in call("-", "--skip-bad", given=text)


@pytest.mark.parametrize(("text", "words", "said"), [
    ("", [], "got an empty file"),
    ("\n\n# nothing\n", [], "got an empty file"),
    ("a,b\nx,y\n", [], "expected a column of numbers"),
    ("abc", [], "expected a column of numbers"),
    ("a,b\n1,2\n", ["--column", "c"], "expected a column of standard input, 'a', 'b'"),
    ("a,b\n1,2\n", ["--column", "3"], "got '3'"),
    ("a,b\n1,2\n", ["--column", "0"], "got '0'"),
    ("a,b\n1,x\n", ["--column", "b"], "line 2, column 'b'"),
    ("a,b\n1,x\n", ["--column", "b", "--skip-bad"], "got none"),
    ("1\n2\n3\n4_000\n", [], "got '4_000'"),
    ("a,b\n1,2\n3\n", ["--column", "b"], "an empty cell"),
    (b"\xff\x00\x80abc", [], "UTF-8"),
    (b"PK\x03\x04\0\0", [], "UTF-8"),
])  # fmt: skip
def test_what_is_refused_is_said_in_a_line(text: str | bytes, words: list[str], said: str) -> None:
    answer = call("-", *words, given=text, code=2)
    assert said in answer
    assert answer.startswith("stoic: ")
    assert answer.count("\n") == 1


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert "No such file" in call(tmp_path / "none.csv", code=2)
    assert "directory" in call(tmp_path, code=2)


@given(st.one_of(st.binary(max_size=80), st.text("01.,;\t \n\"'e-#a", max_size=80)))
def test_any_bytes_are_read_or_refused(data: bytes | str) -> None:
    raw = data.encode() if isinstance(data, str) else data
    try:
        columns = read_text_table(raw, "x").columns(skip_bad=True)
    except StoicError as refused:
        assert isinstance(refused, InvalidInput)
    else:
        assert all(diagnose(column.values).n for column in columns)
