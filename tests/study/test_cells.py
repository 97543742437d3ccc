"""Cells of CSV that spreadsheets would run, and names that a study may have."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stoic.errors import InvalidInput
from stoic.study import Study, summaries
from stoic.study.definition import StudyArguments
from stoic.study.exchange.tables import Table, read_table, write_table
from stoic.study.exchange.transfer import export, import_file

STARTS = tuple("=+-@\t\r＝＋－＠")
NUMBERS = ("-5", "+5", "-0.25", "-1e-07", "-.5", "5.")
TEXTS = st.text(st.sampled_from("'=+-@\t\r\n\"ax1.e,;＝"), max_size=6) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=6
)
Name = st.builds("c{}".format, TEXTS) | st.sampled_from(["=a", "'=a", "''-b", "@c", "+1"])


def cells(path: Path) -> list[list[str]]:
    """As any other program reads them."""
    text = path.read_bytes().decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline="")))


@given(
    columns=st.lists(Name, min_size=1, max_size=3, unique=True),
    texts=st.lists(TEXTS.filter(bool), min_size=1, max_size=3),
)
@example(columns=["=a", "'=a"], texts=["'-5", "-5", "''=x"])
@example(columns=["c"], texts=["\r", "a\rb", "\n", "'"])
def test_every_text_comes_back_and_none_is_a_formula(
    columns: list[str], texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cells") / "t.csv"
    rows = [dict.fromkeys(columns, text) for text in texts]
    write_table(Table(rows, [], columns), path, "csv")
    found = read_table(path, "csv")
    assert found.columns == columns
    assert found.rows == rows
    for cell in (cell for row in cells(path) for cell in row):
        try:
            float(cell)
        except ValueError:
            assert not cell.startswith(STARTS)


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    rows = [{"c": number} for number in (*NUMBERS, -5, -0.25, 3)]
    write_table(Table(rows, [], ["c"]), tmp_path / "t.csv", "csv")
    assert cells(tmp_path / "t.csv")[1:] == [[str(row["c"])] for row in rows]


EVIL = ["=cmd|'/c calc'!A1", "@SUM(1)", "+a", "-5", "'=x", "\tx", "plain"]


def test_a_study_comes_back_from_its_table(tmp_path: Path) -> None:
    space = {"=choice": EVIL, "x": (-10.0, 10.0)}
    with Study(tmp_path / "a.db", "s", space=space, direction="minimize", method="random") as study:
        for number, choice in enumerate(EVIL):
            study.enqueue({"=choice": choice, "x": -5.0})
            trial = study.ask()
            if number % 2:
                study.fail(trial, '=HYPERLINK("http://x")')
            else:
                study.tell(trial, -1.5)
        expected = [(t.params, t.values, t.reason) for t in study.trials]
    export(tmp_path / "a.db", "s", tmp_path / "t.csv")
    for cell in (cell for row in cells(tmp_path / "t.csv") for cell in row):
        assert not cell.startswith(STARTS) or cell in ("-5", "-5.0", "-1.5")
    asked = StudyArguments(space, None, "minimize")
    import_file(tmp_path / "b.db", "s", tmp_path / "t.csv", arguments=asked)
    with Study(tmp_path / "b.db", "s") as study:
        assert [(t.params, t.values, t.reason) for t in study.trials] == expected


@pytest.mark.parametrize("name", ["", "a\x1bb", "a\nb", "a\u202eb", "x" * 201, "\ud800"])
def test_import_takes_the_names_that_a_study_takes(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="printable text") as refused:
        Study(tmp_path / "a.db", name, space={"x": (0.0, 1.0)}, direction="maximize")
    file = tmp_path / "t.json"
    with Study(tmp_path / "a.db", "good", space={"x": (0.0, 1.0)}, direction="maximize") as study:
        study.tell(study.ask(), 1.0)
    export(tmp_path / "a.db", "good", file)
    told = json.loads(file.read_text())
    with pytest.raises(InvalidInput) as given_name:
        import_file(tmp_path / "b.db", name, file)
    told["study"]["name"] = name
    file.write_text(json.dumps(told))
    with pytest.raises(InvalidInput) as told_name:
        import_file(tmp_path / "b.db", None, file)
    assert str(given_name.value) == str(told_name.value) == str(refused.value)
    assert not (tmp_path / "b.db").exists()
    import_file(tmp_path / "b.db", "another", file)
    assert [each.name for each in summaries(tmp_path / "b.db")] == ["another"]


def test_import_takes_the_objectives_that_a_study_takes(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    with Study(tmp_path / "a.db", "good", space={"x": (0.0, 1.0)}, direction="maximize") as study:
        study.tell(study.ask(), 1.0)
    export(tmp_path / "a.db", "good", file)
    told = json.loads(file.read_text())
    told["study"]["objective"] = {"not": "text"}
    file.write_text(json.dumps(told))
    with pytest.raises(InvalidInput, match="objective as text"):
        import_file(tmp_path / "b.db", None, file)
