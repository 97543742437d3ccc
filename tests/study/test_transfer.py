"""Trials out of a study and back: the same, whatever the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import stoic
from stoic.errors import (
    ConflictingValue,
    InvalidInput,
    InvalidParams,
    InvalidPayoff,
    MissingData,
    StudyMismatch,
    UnknownStudy,
)
from stoic.spaces import Categorical, Float, Grid
from stoic.study import TrialRecord, summaries
from stoic.study.definition import StudyArguments
from stoic.study.exchange.transfer import export, import_file

SPACE = {
    "x": (0.0, 1.0),
    "value": (1, 9),
    "gc": ["g1", "zgc", True, None, 3],
    "region": Float(0.0, 1.0, when={"gc": "g1"}),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("source") / "s.db")
    with stoic.Study(path, "müll", space=SPACE, direction="minimize", seed=4) as study:
        for number in range(15):
            gc = SPACE["gc"][number % 5]  # type: ignore[index]
            params = {"x": 0.1 + 0.2 * (number % 4), "value": 1 + number % 9, "gc": gc}
            study.enqueue(params | ({"region": 0.3} if gc == "g1" else {}))
            trial = study.ask()
            if number == 3:
                study.fail(trial, 'out of "memory",\nagain')
            elif number != 7:
                study.tell(trial, -0.0 if number == 5 else 0.1 * number)
        study.tell(4, 17.0, measurement=2)
    return path


def told(path: str, name: str) -> list[tuple[object, ...]]:
    with stoic.Study(path, name) as study:
        return [_essence(record) for record in study.trials]


def _essence(record: TrialRecord) -> tuple[object, ...]:
    values = tuple(map(repr, record.values))
    return (record.number, record.params, record.state, values, record.reason, record.told)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_there_and_back(source: str, tmp_path: Path, kind: str) -> None:
    file, new = tmp_path / f"trials.{kind}", str(tmp_path / "new.db")
    assert export(source, "müll", file) == 16
    asked = StudyArguments(SPACE, None, "minimize", 4) if kind == "csv" else None
    first = import_file(new, "müll", file, arguments=asked)
    assert (first.made, first.trials, first.outcomes, first.known) == (True, 15, 15, 0)
    assert told(new, "müll") == told(source, "müll")
    again = import_file(new, "müll", file)
    assert (again.made, again.trials, again.outcomes, again.known) == (False, 0, 0, 15)
    with stoic.Study(new, "müll") as study, stoic.Study(source, "müll") as other:
        assert (study.direction, study.seed, study.space) == ("minimize", 4, other.space)
        assert study.ask().number == 7  # it was open there, and is so here


def test_a_format_that_the_name_does_not_tell(source: str, tmp_path: Path) -> None:
    export(source, "müll", tmp_path / "trials", "json")
    assert json.loads((tmp_path / "trials").read_text())["study"]["name"] == "müll"
    assert import_file(tmp_path / "new.db", None, tmp_path / "trials", "json").study == "müll"
    with pytest.raises(InvalidInput, match="csv, json, parquet"):
        export(source, "müll", tmp_path / "trials")
    with pytest.raises(UnknownStudy, match="'müll'"):
        export(source, "none", tmp_path / "trials.csv")


LINE = {"x": (0.0, 1.0), "n": (1, 9)}


def brought(folder: Path, text: str, name: str = "rows.csv") -> list[tuple[object, ...]]:
    (folder / name).write_text(text)
    import_file(
        folder / "s.db",
        "study",
        folder / name,
        arguments=StudyArguments(LINE, direction="maximize"),
    )
    return told(str(folder / "s.db"), "study")


def test_what_people_write(tmp_path: Path) -> None:
    rows = brought(tmp_path, "n,x,value,reason\n3.0,0.5,1e3,\n2,1,,crash\n\n4,0.25,-7,\n")
    assert [row[1:5] for row in rows] == [
        ({"x": 0.5, "n": 3}, "told", ("1000.0",), None),
        ({"x": 1.0, "n": 2}, "failed", (), "crash"),
        ({"x": 0.25, "n": 4}, "told", ("-7.0",), None),
    ]
    more = brought(tmp_path, '[{"params": {"x": 1, "n": 1}, "value": 3}]', "rows.json")
    assert more[3][1:4] == ({"x": 1.0, "n": 1}, "told", ("3.0",))


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("x,n,value\n0.5,1,1\n0.5,10,2\n", InvalidParams, "line 3"),
        ("x,n,value\n0.5,1,1\n0.5,1,nan\n", InvalidPayoff, "line 3"),
        ("x,n,value\n0.5,1,1\n0.5,1,\n", InvalidPayoff, "line 3"),
        ("x,n,value\n0.5,1,1\n0.5,,2\n", InvalidParams, "line 3"),
        ("x,n,value\n0.5,1,1\n0.5,1.5,2\n", InvalidParams, "line 3"),
        ("x,n,value\n0.5,1,1\n0.5,one,2\n", InvalidParams, "line 3"),
        ("x,n,value\n0.5,1,1\n0.5,1\n", InvalidInput, "line 3"),
        ('x,n,value\n0.5,1,1\n0.5,1,"2\n', InvalidInput, "line 3"),
        ("x,n,value\n0.5,1,1\n0.5,1,1_0\n", InvalidPayoff, "line 3.*1_0"),
        ("x,n,value\n0.5,1,1\n0.5,0_1,1\n", InvalidParams, "line 3.*0_1"),
        ("x,n,value\n0.5,1,1\n0_1,1,1\n", InvalidParams, "line 3.*0_1"),
        ("x,n,value,number\n0.5,1,1,0_0\n", InvalidInput, "line 2.*0_0"),
        ("x,n,value,y\n0.5,1,1,7\n", InvalidInput, "'y'"),
        ("x,n,param:x,value\n0.5,1,0.6,1\n", InvalidInput, "'x' and 'param:x'"),
        ("x,x,value\n0.5,1,1\n", InvalidInput, "different names"),
        ("x,n,value\n", InvalidInput, "none"),
        ("x,n,value,number\n0.5,1,1,0\n0.5,1,1,2\n", InvalidInput, "line 3.* go on with 1"),
        ("x,n,value,number\n0.5,1,1,0\n0.6,1,1,0\n", InvalidInput, "line 3"),
        ("x,n,value,number\n0.5,1,1,-1\n", InvalidInput, "line 2"),
        ("x,n,value,measurement\n0.5,1,1,3\n", InvalidInput, "line 2.*number"),
        ("x,n,value,state\n0.5,1,1,failed\n", InvalidInput, "line 2"),
        ("x,n,value,number\n0.5,1,1,0\n0.5,1,,0\n", InvalidPayoff, "line 3"),
        ("x,n,value,number,reason\n0.5,1,1,0,\n0.5,1,,0,crash\n", ConflictingValue, "line 3"),
        (
            "x,n,value,number,measurement\n0.5,1,1,0,0\n0.5,1,2,0,0\n",
            ConflictingValue,
            "line 3.*1.0 again",
        ),
    ],
)
def test_bad_rows_are_refused_and_nothing_is_written(
    tmp_path: Path, text: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        brought(tmp_path, text)
    if (tmp_path / "s.db").exists():
        assert summaries(tmp_path / "s.db") == ()


def test_a_parameter_is_said_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match=r"row 1.*'x' in params or in a column"):
        brought(tmp_path, '[{"params": {"x": 1, "n": 1}, "x": 0.5, "value": 3}]', "rows.json")


EMPTY = {
    "flags": ["", "-O2"],
    "level": Grid(["", "deep"], when={"flags": "-O2"}),
    "note": Categorical([None, "set"], when={"flags": ["", "-O2"]}),
}


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_empty_text_is_a_choice_like_others(tmp_path: Path, kind: str) -> None:
    rows: list[dict[str, object]] = [
        {"flags": "", "note": None},
        {"flags": "-O2", "level": "", "note": "set"},
        {"flags": "-O2", "level": "deep", "note": None},
    ]
    with stoic.Study(tmp_path / "s.db", space=EMPTY, direction="maximize") as study:
        for params in rows:
            study.add(params, 1.0)
    export(tmp_path / "s.db", "study", tmp_path / f"t.{kind}")
    asked = StudyArguments(EMPTY, direction="maximize")
    import_file(tmp_path / "n.db", "study", tmp_path / f"t.{kind}", arguments=asked)
    assert [row[1] for row in told(str(tmp_path / "n.db"), "study")] == rows


def test_an_empty_cell_that_may_mean_two_things(tmp_path: Path) -> None:
    asked = StudyArguments({"x": (0.0, 1.0), "flags": ["", None, "-O2"]}, direction="maximize")
    file = tmp_path / "rows.csv"
    file.write_text("x,flags,value\n0.5,-O2,1\n0.5,,2\n")
    with pytest.raises(InvalidParams, match=r"line 3.*None or the empty text; use JSON"):
        import_file(tmp_path / "s.db", "study", file, arguments=asked)
    file = tmp_path / "rows.json"
    file.write_text('[{"x": 0.5, "flags": "", "value": 1}, {"x": 0.5, "flags": null, "value": 2}]')
    import_file(tmp_path / "s.db", "study", file, arguments=asked)
    assert [row[1] for row in told(str(tmp_path / "s.db"), "study")] == [
        {"x": 0.5, "flags": ""},
        {"x": 0.5, "flags": None},
    ]


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[" * 10**5, b"7", b"[7]", b'{"trials": 3}'])
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_nonsense_is_refused(tmp_path: Path, data: bytes, kind: str) -> None:
    file = tmp_path / f"rows.{kind}"
    file.write_bytes(data)
    with pytest.raises((InvalidInput, UnknownStudy)):
        import_file(tmp_path / "s.db", "study", file)
    assert not (tmp_path / "s.db").exists()


def test_rows_must_agree_with_the_study(tmp_path: Path) -> None:
    brought(tmp_path, "x,n,value,number\n0.5,1,1,0\n0.6,2,,1\n".replace(",,", ",3,"))
    for text, words in (
        ("x,n,value,number\n0.5,1,2,0\n", "1.0 again"),
        ("x,n,value,number\n0.5,2,1,0\n", "expected trial 0 at"),
    ):
        with pytest.raises(ConflictingValue, match=words):
            brought(tmp_path, text)
    assert len(told(str(tmp_path / "s.db"), "study")) == 2
    with pytest.raises(StudyMismatch):
        import_file(
            tmp_path / "s.db",
            "study",
            tmp_path / "rows.csv",
            arguments=StudyArguments({"x": (0, 5)}),
        )
    with pytest.raises(MissingData):
        import_file(tmp_path / "s.db", "study", tmp_path / "nowhere.csv")


def test_open_trials_get_their_values(store: str, tmp_path: Path) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", method="random") as study:
        trial = study.ask()
    file = tmp_path / "rows.json"
    rows = [{**trial.params, "number": 0, "value": 2.5}, {**trial.params, "reason": "late"}]
    file.write_text(json.dumps(rows))
    done = import_file(store, "study", file)
    assert (done.trials, done.outcomes) == (1, 2)
    assert [row[2] for row in told(store, "study")] == ["told", "failed"]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_reasons_that_are_no_text(store: str, tmp_path: Path, kind: str) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    with stoic.Study(store, space={"x": (0.0, 1.0)}, direction="maximize") as study:
        study.fail(study.ask(), "no file b\udcff")
    copy = tmp_path / f"copy.{kind}"
    assert export(store, "study", copy) == 1
    assert b"no file b" in copy.read_bytes()
    assert import_file(store, "study", copy).known == 1


@pytest.mark.parametrize("choices", [["auto", 1], ["auto", True], [False, 2.5]])
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_choices_of_two_types(store: str, tmp_path: Path, kind: str, choices: list[object]) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    with stoic.Study(store, space={"size": choices}, direction="maximize") as study:
        for choice in choices:
            study.add({"size": choice}, 1.0)
        copy = tmp_path / f"copy.{kind}"
        export(store, "study", copy)
        import_file(
            store, "copy", copy, arguments=StudyArguments({"size": choices}, direction="maximize")
        )
        assert [t.params for t in study.trials] == [{"size": choice} for choice in choices]
    with stoic.Study(store, "copy") as study:
        assert [t.params["size"] for t in study.trials] == choices
