"""Numbers out of text and into text, wherever text comes from outside."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic.diagnostics.reading import read_text_table
from stoic.errors import InvalidInput
from stoic.numbers import parse, rounded, with_interval
from stoic.optimize import Answer, Optimizer
from stoic.report import Result

FINITE = st.floats(allow_nan=False, allow_infinity=False)
NO_NUMBERS = ["", "-", "1_000", "1,5", "0x1F", "1.2.3", "\u0661\u0662", "\uff11", "\u20135", "12ms",
              "1 2", "--5", "1e", "infinit"]  # fmt: skip


@given(FINITE)
def test_every_float_is_parsed_as_it_was_written(value: float) -> None:
    assert parse(repr(value)) == value
    if value < 0:
        assert parse("\u2212" + repr(value)[1:]) == value


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number(text: str) -> None:
    assert parse(text) is None


def test_integers_stay_integers_and_very_long_ones_are_infinite() -> None:
    assert type(parse("12")) is int
    assert parse("9" * 5000) == math.inf


@given(st.floats(-1e307, 1e307), st.floats(1e-300, 1e300))
def test_rounding_moves_a_value_by_less_than_its_interval(value: float, half_width: float) -> None:
    text = rounded(value, half_width)
    assert abs(float(text) / 2 - value / 2) <= 0.03 * half_width + 1e-14 * abs(value)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e5))
def test_two_digits_of_the_half_width_and_no_more(value: float, half_width: float) -> None:
    decimals = 1 - math.floor(math.log10(half_width))
    text = rounded(value, half_width)
    assert len(text.partition(".")[2]) == max(decimals, 0)
    assert text not in ("-0", "-0.0", "-0.00")


def test_six_digits_where_there_is_no_interval() -> None:
    assert rounded(0.46276693071853076) == "0.462767"
    assert rounded(0.46276693071853076, 0.0) == "0.462767"
    assert rounded(math.nan, 1.0) == "nan"


def test_large_values_keep_the_digits_of_their_interval() -> None:
    assert with_interval(12345678.9, (12345675.0, 12345682.0)) == (
        "12345678.9",
        "12345675.0",
        "12345682.0",
    )


def test_answers_are_rounded_by_their_interval_and_data_are_not() -> None:
    answer = Answer({"x": 0.46276693071853076}, 12.411734, (11.93111, 13.02222), measured=3)
    shown = "x=0.462767: 12.41 (90%: 11.93 to 13.02), median of all runs"
    assert str(answer) == shown
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    for i in range(5):
        optimizer.tell({"x": (i + 0.5) / math.pi**2}, math.sin(i))
    result = Result.of(optimizer)
    assert max(map(len, str(result).split())) < 16, str(result)
    assert result.to_dict()["trials"][1]["value"] == math.sin(1)


def test_a_sheet_keeps_every_sign_and_takes_no_digits_of_other_scripts() -> None:
    (column,) = read_text_table("ms\n1.5\n\u22122.5\n3\n".encode(), "x.csv").columns()
    assert column.values == [1.5, -2.5, 3.0]
    for word in ("\u20132.5", "\u0661\u0662", "1_000"):
        with pytest.raises(InvalidInput, match="line 3"):
            read_text_table(f"ms\n1.5\n{word}\n3\n4\n".encode(), "x.csv").columns()


def test_an_import_keeps_every_sign_and_takes_no_digits_of_other_scripts(tmp_path: Path) -> None:
    from stoic import Study
    from stoic.study.exchange.transfer import import_file

    store, table = tmp_path / "a.db", tmp_path / "t.csv"
    Study(store, "s", space={"x": (-1.0, 1.0)}, direction="minimize").close()
    table.write_text("x,value\n\u22120.5,\u22122.5\n0.5,3\n", encoding="utf-8")
    import_file(store, "s", table)
    with Study(store, "s") as study:
        assert [(t.params["x"], t.values) for t in study.trials] == [(-0.5, (-2.5,)), (0.5, (3.0,))]
    for word in ("\u20132.5", "\u0661\u0662", "1_000"):
        table.write_text(f"x,value\n0.5,{word}\n", encoding="utf-8")
        with pytest.raises(InvalidInput, match="line 2"):
            import_file(store, "s", table)
