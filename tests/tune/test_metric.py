"""Numbers that programs print: a whole word with its sign is a value, anything else is refused."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("typer")

from typer.testing import CliRunner

from helpers.programs import program
from stoic.cli.app import app
from stoic.errors import InvalidInput
from stoic.study import Study
from stoic.tune.metric import LastNumber, NotFinite, NoValue, RegexMetric
from stoic.tune.output.captured import Captured

WORDS = st.text(alphabet=string.ascii_lowercase + "=:, ", max_size=12)


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ("\u22125.5", -5.5),
        ("loss: \uff0d5.5", -5.5),
        ("latency=12.5ms", 12.5),
        ("p99=12.5", 12.5),
        ("p99:12.5", 12.5),
        ("p99: 12.5,", 12.5),
        ("[12.5]", 12.5),
        ("(12.5)", 12.5),
        ("12.5%", 12.5),
        ("12.5\u00a0ms", 12.5),
        ("{'p50': 3, 'p99': 12.5}", 12.5),
        ("| p99 | **12.5** |", 12.5),
        ("<p99>12.5</p99>", 12.5),
        ("p99 -> 12.5", 12.5),
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        ("5.", 5.0),
        ("+3", 3.0),
        ("8 req/s", 8.0),
        ("1.5GB/s", 1.5),
        ("12.5\u00b5s", 12.5),
        ("loss 3\nsaved model_v2 to /tmp/run7/x; see http://localhost:8080/", 3.0),
    ],
)
def test_a_whole_word_is_a_number(output: str, value: float) -> None:
    assert LastNumber().read(output) == value


@pytest.mark.parametrize(
    "word",
    [
        "\u20137.5", "\u20147.5", "0x1F", "0b1", "1.2.3", "12h30", "5m30s", "1,234.5", "[1,2,3]",
        "1\u202f234", "1'234.5", "1_000", "\u0661\u0662", "\uff11\uff12", "10\u00b2", "2024-05-01",
        "12:30:05", "10.0.0.1", "host:10.0.0.1", "3-5", "12/60", "12k", "12.5\u00b10.3", "12.5(3)",
        "<5", "$5", "--5", "v1.2", "5e",
    ],
)  # fmt: skip
def test_a_word_that_only_contains_a_number_is_refused_with_its_line(word: str) -> None:
    with pytest.raises(NoValue) as refused:
        LastNumber().read(
            f"took 3 s\nresult {word} end" if word != "v1.2" else f"result {word} end"
        )
    assert re.search(r"result .* end'", str(refused.value))


def test_a_long_line_is_shortened_about_the_word() -> None:
    with pytest.raises(NoValue) as refused:
        LastNumber().read("x " * 300 + "1.2.3" + " y" * 300)
    assert len(str(refused.value)) < 400
    assert "1.2.3'" in str(refused.value) or "1.2.3 y" in str(refused.value)


@pytest.mark.parametrize("output", ["12.5 ms ± 0.3 ms", "12.5 +/- 0.3"])
def test_an_uncertainty_is_no_value(output: str) -> None:
    with pytest.raises(NoValue, match="uncertainty"):
        LastNumber().read(output)


@pytest.mark.parametrize("word", ["nan", "-inf", "Infinity", "1e999", "9" * 400])
def test_what_is_not_finite_is_a_failure_of_the_run(word: str) -> None:
    with pytest.raises(NotFinite, match="not a finite number"):
        LastNumber().read(f"loss {word}")


@given(WORDS, st.floats(allow_nan=False, allow_infinity=False), WORDS)
def test_no_number_loses_its_sign_or_a_part(before: str, value: float, after: str) -> None:
    output = f"{before}{value!r}{after}"
    try:
        found = LastNumber().read(output)
    except NoValue:
        return
    assert found == value


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 6), st.integers(0, 6))
def test_no_pattern_takes_a_part_of_a_number(value: float, start: int, length: int) -> None:
    text = f"loss {value!r} s"
    group = re.escape(text[5 + start : 5 + start + length]) or "x"
    try:
        found = RegexMetric(f"^.{{{5 + start}}}({group})").read(text)
    except NoValue:
        return
    assert found == value


@pytest.mark.parametrize(
    ("pattern", "output"),
    [
        (r"loss.*([0-9.]+)", "loss 12.5"),  # the greedy .* leaves one digit
        (r"loss: -?([0-9.]+)", "loss: -5.5"),
        (r"loss: \W?([0-9.]+)", "loss: \u22125.5"),
        (r"([0-9.]+)$", "1,234.5"),
        (r"=(\d+)", "t=12h30"),
        (r"=(\d+)", "t=12k"),
        (r"([0-9.]+)", "0x1F"),
        (r"loss=([0-9.]+)", "loss=1e-5"),
        (r"t=(.*)", "t=1.2.3"),
        (r"(\d+)$", "12:30:05"),
    ],
)
def test_patterns_that_take_a_part(pattern: str, output: str) -> None:
    with pytest.raises(NoValue, match=re.escape(output)):
        RegexMetric(pattern).read(output)


@pytest.mark.parametrize(
    ("pattern", "output", "value"),
    [
        (r"latency=([0-9.]+)ms", "latency=12.5ms", 12.5),
        (r"latency=([0-9.]+)", "latency=12.5ms", 12.5),
        (r"bench-([0-9.]+)", "bench-12.5", 12.5),
        (r"done (\d+)/\d+", "done 3/60", 3.0),
        (r"^\w+,([0-9.]+),", "a,93.5,7", 93.5),
        (r"acc\.+([0-9.]+)", "acc......93.5", 93.5),
        (r"t: (.*)$", "t: 5 s", 5.0),
    ],
)
def test_patterns_that_spell_out_what_is_around(pattern: str, output: str, value: float) -> None:
    assert RegexMetric(pattern).read(output) == value


def test_patterns_are_shown_as_they_were_written() -> None:
    with pytest.raises(NoValue, match=re.escape(r"--metric p95=(\d+) matches nothing")):
        RegexMetric(r"p95=(\d+)").read("p99=1")
    with pytest.raises(InvalidInput, match=re.escape(r"got 'p95=(\d+' (")):
        RegexMetric(r"p95=(\d+")


def test_what_was_left_out_cuts_no_number() -> None:
    stream = Captured(head=10, tail=10)
    stream.write(b"loss=12" + b"3456" + b" noise" * 20 + b" 999 done")
    with pytest.raises(NoValue, match="matches nothing"):
        RegexMetric(r"loss=(\d+)").read(stream.text)


def tune(folder: Path, command: list[str], *words: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner().invoke(app, ["tune", "--no-report", *words, "--", *command])
    assert done.exit_code == 0, done.output
    return done.output


SEVERAL = """\
import sys
print("seed 7, warm-up 3 s")
print("p99 =", float(sys.argv[1]))
"""


def test_which_of_several_numbers_was_taken_is_said_once(tmp_path: Path) -> None:
    command = [*program(tmp_path, SEVERAL), "{x}"]
    words = ("--minimize", "-p", "x=0.0:1.0", "--budget=3")
    said = tune(tmp_path, command, *words)
    assert said.count("the output holds several numbers") == 1
    assert re.search(r"the last, (0\.\d+), is the value, from the line 'p99 = \1'", said)
    named = (*words, "--metric", "p99 = (.*)", "--name", "named")
    assert "numbers" not in tune(tmp_path, command, *named).replace(str(tmp_path), "")


GO_LIKE = """\
import sys
x = float(sys.argv[1])
print(f"took {x:.3f}s" if x >= 0.5 else f"took {1000 * x:.0f}ms")
"""


def test_values_in_another_unit_are_failures(tmp_path: Path) -> None:
    command = [*program(tmp_path, GO_LIKE), "{x}"]
    tune(tmp_path, command, "--minimize", "-p", "x=0.01:1.0", "--budget=8", "--seed=1")
    with Study(tmp_path / "stoic.db", "bench") as study:
        trials = study.trials
    slow = {trial.params["x"] >= 0.5 for trial in trials if trial.values}
    assert len(slow) == 1, "one unit only"
    reasons = {trial.reason for trial in trials if trial.reason}
    assert any("print all values in one unit" in reason for reason in reasons)
