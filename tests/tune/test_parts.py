"""The parts of ``stoic tune`` on their own: what is written, what is run, what is read."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.programs import alive
from stoic.errors import InvalidInput
from stoic.optimize import Optimizer
from stoic.report.result import Result
from stoic.spaces import Categorical, Float, Grid, Int, Parameter
from stoic.tune.metric import JsonMetric, LastNumber, NoValue, RegexMetric
from stoic.tune.output.captured import Captured
from stoic.tune.parameters import Written, of_flag, of_table
from stoic.tune.program import Program
from stoic.tune.progress import alike
from stoic.tune.settings import Settings, losses, repeats, seconds
from stoic.tune.summary import _suspects
from stoic.tune.template import Template


@pytest.mark.parametrize(
    ("flag", "parameter"),
    [
        ("threads=1:64", Int(1, 64)),
        ("threads = -5 : 5", Int(-5, 5)),
        ("threads=\u22125:5", Int(-5, 5)),
        ("ratio=16:9,4:3", Categorical(["16:9", "4:3"])),
        ("cache=16:4096:log", Int(16, 4096, "log")),
        ("rate=0.1:2.5", Float(0.1, 2.5)),
        ("rate=1:2.0", Float(1.0, 2.0)),
        ("rate=1e-4:1e-1:log", Float(1e-4, 0.1, "log")),
        ("rate=1e2:1e3", Float(100.0, 1000.0)),
        ("gc=g1,zgc", Categorical(["g1", "zgc"])),
        ("size=1,8,64", Grid([1, 8, 64])),
        ("size=64,8,1", Grid([64, 8, 1])),
        ("size=8,1,64", Categorical([8, 1, 64])),
        ("host=a:1,b:2", Categorical(["a:1", "b:2"])),
        ("flag=true,false", Categorical(["true", "false"])),
        ("odd=nan,inf,1", Categorical(["nan", "inf", 1])),
    ],
)
def test_flags(flag: str, parameter: Parameter) -> None:
    assert of_flag(flag).parameter == parameter


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("threads", "name the parameter"),
        ("=1:2", "rename it"),
        ("a b=1:2", "rename it"),
        ("threads=8", "constant"),
        ("threads=1-64", "constant"),
        ("threads=", "constant"),
        ("threads=1:64:linear", "low:high:log"),
        ("threads=1:2:3:4", "low:high:log"),
        ("threads=low:high", "expected numbers"),
        ("threads=\u20135:5", "expected numbers"),
        ("threads=\u0661:\u0669", "expected numbers"),
        ("threads=1:64ms", "expected numbers"),
        ("threads=1,000:64,000", "without commas"),
        (r"path=C:\new", r"in 'C:\\new'"),
        ("threads=64:1", "low below high"),
        ("threads=0:8:log", "log scale"),
        ("rate=0:1e999", "finite"),
        ("gc=g1,", "empty choice"),
        ("gc=g1,g1", "distinct"),
        ("size=1,1.0", "distinct"),
        ("size=1:" + "9" * 5000, "digits"),
    ],
)
def test_flags_that_are_refused(flag: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        of_flag(flag)


@given(st.lists(st.from_regex(r"[+-]?[0-9]{1,8}(\.[0-9]{1,4})?(e[+-]?[0-9])?", fullmatch=True),
                min_size=2, max_size=6, unique_by=float))  # fmt: skip
def test_listed_numbers_are_given_to_the_program_as_they_were_written(words: list[str]) -> None:
    written = of_flag("size=" + ",".join(words))
    parameter = written.parameter
    assert isinstance(parameter, Grid | Categorical)
    assert [written.text(parameter.value(i)) for i in range(len(words))] == words


@pytest.mark.parametrize(
    ("entry", "parameter"),
    [
        ("1:64", Int(1, 64)),
        ({"low": 1, "high": 64, "scale": "log"}, Int(1, 64, "log")),
        ({"low": 0, "high": 1.5}, Float(0.0, 1.5)),
        (["a", True, 3], Categorical(["a", True, 3])),
        ({"choices": [1, 2, 3]}, Categorical([1, 2, 3])),
        ({"values": ["small", "large"]}, Grid(["small", "large"])),
        ({"low": 0.0, "high": 1.0, "when": {"o": "sgd"}}, Float(0.0, 1.0, when={"o": "sgd"})),
    ],
)
def test_entries_of_a_file(entry: object, parameter: Parameter) -> None:
    assert of_table("it", entry).parameter == parameter


@pytest.mark.parametrize("entry", [3, None, {"low": 1}, {"from": 1, "to": 2}, {"values": 3}, []])
def test_entries_that_are_refused(entry: object) -> None:
    with pytest.raises(InvalidInput, match="it"):
        of_table("it", entry)


def test_numbers_are_given_to_programs_with_a_sign_that_they_read() -> None:
    assert of_flag("x=\u22121,2,3").text(-1) == "-1"


@pytest.mark.parametrize("numbers", [{"budget": 10**8}, {"jobs": 10**5}, {"seed": 2**63}])
def test_options_have_the_bounds_of_a_file(numbers: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match=f"expected --{next(iter(numbers))} of at most"):
        Settings(**numbers).checked()  # type: ignore[arg-type]


def test_a_bool_is_written_as_most_programs_read_it() -> None:
    assert Written("x", Categorical([True, 1.5])).text(True) == "true"


def template(words: list[str], *flags: str, env: bool = False) -> Template:
    return Template(words, [of_flag(flag) for flag in flags], env=env)


def test_places_are_filled_without_a_shell() -> None:
    it = template(["b", "-t{n}", "{g};{n}", "{{n}}", "$(x) *", "{seed}"], "n=1:9", "g=a b,'c'")
    assert it.fill({"n": 3, "g": "a b"}, seed=7) == ["b", "-t3", "a b;3", "{n}", "$(x) *", "7"]


def test_what_does_not_exist_is_left_out() -> None:
    words = ["b", "{m}", "--m={m}", "--momentum", "{m}", "{o}"]
    o, m = of_flag("o=adam,sgd"), of_table("m", {"low": 0.0, "high": 1.0, "when": {"o": "sgd"}})
    it = Template(words, [o, m])
    assert it.fill({"o": "sgd", "m": 0.5}) == ["b", "0.5", "--m=0.5", "--momentum", "0.5", "sgd"]
    assert it.fill({"o": "adam"}) == ["b", "", "adam"]
    assert "STOIC_M" not in it.environment({"o": "adam"})


@pytest.mark.parametrize(
    ("words", "flags", "said"),
    [
        ([], ["n=1:9"], "a command"),
        (["b", "{m}", "{n}"], ["n=1:9"], r"-p m="),
        (["b"], ["n=1:9"], r"--env if the program reads STOIC_N"),
        (["b", "{n"], ["n=1:9"], "a brace alone"),
        (["b", "{}", "{n}"], ["n=1:9"], "a brace alone"),
        (["b", "{a.b}", "{a-b}"], ["a.b=1:9", "a-b=1:9"], "STOIC_A_B"),
        (["b", "{seed}"], ["seed=1:9"], "rename it"),
    ],
)
def test_templates_that_are_refused(words: list[str], flags: list[str], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        template(words, *flags)


@given(st.text(alphabet="ab{}", max_size=8))
def test_any_argument_is_filled_or_refused(word: str) -> None:
    try:
        filled = template(["p", word, "{a}"], "a=1:9").fill({"a": 5})
    except InvalidInput:
        return
    assert len(filled) == 3
    assert "a" not in filled[1] or "a" in word


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ("12.3ms", 12.3),
        ("p50 1\np99: 7.5 ms\n\n", 7.5),
        ("throughput=-3.5e+2 req/s", -350.0),
        ("load 0.5 100%", 100.0),
        (".5", 0.5),
        ("v2 ran 3 times; host42", 3.0),
        ("\x1b[32m12.5 ms\x1b[0m", 12.5),
        ("took 5.s", 5.0),
        ("took 5, then 6,", 6.0),
        ("run_12_345: 7", 7.0),
    ],
)
def test_the_last_number(output: str, value: float) -> None:
    assert LastNumber().read(output) == value


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("", "nothing was printed"),
        ("fine", "no number"),
        ("loss 3 then nan", "not a finite"),
        ("-inf", "not a finite"),
        ("1e999", "not a finite"),
        ("total 12,345", "without commas"),
        ("total 1,234,567.5 ms", "without commas"),
        ("12,5 ms", "without commas"),
        ("1,2,35", "without commas"),
        ("it took -1.234,75.", "without commas"),
        ("total 12_345 ms", "'12_345' .*without underscores"),
        ("-1_000.5e3", "'-1_000.5e3' .*without underscores"),
        ("1.000_5", "without underscores"),
    ],
)
def test_no_last_number(output: str, said: str) -> None:
    with pytest.raises(NoValue, match=said):
        LastNumber().read(output)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["", " ms", "ms", "%"]))
def test_every_float_is_read_as_it_was_printed(value: float, unit: str) -> None:
    assert LastNumber().read(f"a 1 b 2\nvalue: {value!r}{unit}\n") == value


def test_regular_expressions() -> None:
    text = "p50=1 p99=7.5ms\np50=2 p99=8.5ms\n"
    assert RegexMetric(r"p99=(\S+)").read(text) == 8.5
    assert RegexMetric(r"p50=(?P<p50>\d+) p99=(?P<ms>\S+)").name == "p50"
    assert RegexMetric(r"(p99)=(?P<ms>\S+)").read(text) == 8.5
    assert RegexMetric(r"(?<=p50=)\d").read(text) == 2.0
    with pytest.raises(NoValue, match="without commas"):
        RegexMetric(r"p99=(\S+)").read("p99=12,5")
    with pytest.raises(NoValue, match="without underscores"):
        RegexMetric(r"p99=(\S+)").read("p99=12_345")
    for pattern, said in ((r"p95=(\d+)", "matches nothing"), ("(p99)", "not a whole number")):
        with pytest.raises(NoValue, match=said):
            RegexMetric(pattern).read(text)
    with pytest.raises(InvalidInput, match="regular expression"):
        RegexMetric("p99=(")


@pytest.mark.parametrize(
    ("path", "output", "value"),
    [
        ("p99", '{"p99": 7}', 7.0),
        ("a.p99", 'log\n{"a": {"p99": 1}}\n{"a": {"p99": 2.5}}\nbye 3', 2.5),
        ("p99", '{\n "p99": 7\n}', 7.0),
        ("runs.-1.ms", '{"runs": [{"ms": 1}, {"ms": 2}]}', 2.0),
    ],
)
def test_json(path: str, output: str, value: float) -> None:
    assert JsonMetric(path).read(output) == value


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("7", "no p99"),
        ("none", "no JSON"),
        ('{"p50": 1}', "no p99"),
        ('{"p99": null}', "no p99"),
        ('{"p99": "7"}', "not a number"),
        ('{"p99": true}', "not a number"),
        ('{"p99": NaN}', "not a finite"),
        ('{"p99": 1' + "0" * 400 + "}", "not a finite"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_no_json(output: str, said: str) -> None:
    with pytest.raises(NoValue, match=said):
        JsonMetric("p99").read(output)


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_captured_keeps_both_ends(chunks: list[bytes]) -> None:
    kept = Captured(head=10, tail=20)
    for chunk in chunks:
        kept.write(chunk)
    whole = b"".join(chunks)
    text = kept.text
    if len(whole) <= 30:
        assert text == whole.decode("utf-8", "replace")
    else:
        head, _, tail = text.partition("\n[output left out here]\n")
        assert whole[:10].decode("utf-8", "replace").startswith(head)
        assert whole[-20:].decode("utf-8", "replace").endswith(tail)
        assert not head or head[-1].isspace(), "what the gap cuts into is left out"
        assert not tail or tail[0].isspace()


def run(code: str, timeout: float | None = 20.0, **environment: str) -> Any:
    return Program(timeout).run([sys.executable, "-c", code], environment)


def test_a_program_that_is_content() -> None:
    ended = run("import os; print(os.environ['STOIC_X'] + 'x')", STOIC_X="7")
    assert ended.trouble is None
    assert ended.stdout.text == "7x\n"


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        (
            "import sys; print('a\\nno luck \\n', file=sys.stderr); sys.exit(3)",
            "exit code 3: a … no luck",
        ),
        ("import sys; sys.exit(137)", "exit code 137"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
        ("import os; os.abort()", "killed by SIGABRT"),
        ("input()", "exit code 1: EOFError: EOF when reading a line"),
    ],
)
def test_a_program_in_trouble(code: str, trouble: str) -> None:
    assert run(code).trouble == trouble


def test_the_reason_of_a_failure_is_its_first_and_last_line() -> None:
    usage = "bench: no such option -z\n\nusage: bench [-h] [--threads N]\n  --threads N  how many\n"
    err = Captured()
    err.write(usage.encode())
    assert err.in_short() == "bench: no such option -z … --threads N how many"
    err.write(b"x" * 5000 + b"\n\n")
    assert err.in_short().startswith("bench: no such option -z … xxx")
    assert len(err.in_short()) < 300


def test_what_cannot_start() -> None:
    for words in (["/nowhere/at/all"], [str(Path(__file__))], ["a\0b"]):
        ended = Program(None).run(words, {})
        assert not ended.started
        assert str(ended.trouble).startswith("could not be started: ")


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
{then}
"""


def ends(pid: int) -> bool:
    """Whether a process that was killed ends; the kernel takes a moment for it."""
    deadline = time.monotonic() + 20.0
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


def test_a_time_out_ends_the_whole_group() -> None:
    ended = run(STUBBORN.format(then="time.sleep(60)"), timeout=1.0)
    assert ended.trouble == "no end within 1 s"
    assert ends(int(ended.stdout.text))


def test_what_a_program_leaves_behind_is_ended() -> None:
    ended = run(STUBBORN.format(then=""))
    assert ended.trouble is None
    assert ends(int(ended.stdout.text))


def test_a_daemon_that_keeps_the_pipes_holds_neither_threads_nor_files() -> None:
    code = (
        "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', "
        "'import time; time.sleep(60)'], start_new_session=True).pid)"
    )
    before = len(os.listdir("/proc/self/fd"))
    ended = run(code)
    daemon = int(ended.stdout.text)
    try:
        assert alive(daemon)
        for thread in threading.enumerate():
            if thread.name == "stoic-reader":
                thread.join(20.0)
                assert not thread.is_alive()
        assert len(os.listdir("/proc/self/fd")) == before
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_a_flood_of_output_is_kept_within_bounds() -> None:
    ended = run("import sys; sys.stdout.write('x' * 8_000_000 + '\\n42\\n')")
    assert len(ended.stdout.text) < 2_000_000
    assert LastNumber().read(ended.stdout.text) == 42.0


def test_stop_ends_what_runs_and_starts_nothing_more() -> None:
    program = Program(None)
    found: list[Any] = []
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    thread = threading.Thread(target=lambda: found.append(program.run(words, {})))
    thread.start()
    while not program._running:
        time.sleep(0.01)
    program.stop()
    thread.join()
    assert found[0].stopped
    assert program.run(words, {}).stopped


def test_settings_of_a_table_and_of_options() -> None:
    file = Settings.of_table(
        {
            "command": "bench --t '{threads}' x",
            "direction": "minimize",
            "timeout": "2m",
            "metric": "p99=(.*)",
            "repeat": "auto",
            "params": {"threads": "1:64", "gc": ["g1", "zgc"]},
        }
    )
    assert file.command == ("bench", "--t", "{threads}", "x")
    assert (file.timeout, file.repeat) == (120.0, 0)
    both = Settings(params=(of_flag("gc=serial,g1"), of_flag("x=1:2")), json="p99").over(file)
    assert [p.name for p in both.params] == ["threads", "gc", "x"]
    assert both.params[1].parameter == Categorical(["serial", "g1"])
    assert (both.metric, both.json, both.direction) == (None, "p99", "minimize")


@pytest.mark.parametrize(
    "table",
    [
        {"bugdet": 3},
        {"budget": "3"},
        {"budget": 0},
        {"direction": "up"},
        {"command": 3},
        {"command": "unclosed '"},
        {"params": ["x"]},
        {"timeout": "soon"},
        {"timeout": -1},
        {"repeat": "often"},
        {"repeat": 0},
        {"env": 1},
        {"seed": -1},
        {"name": ""},
        {"valid": 3},
        {"valid": ["a < 1", ""]},
    ],
)
def test_settings_that_are_refused(table: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(table))):
        Settings.of_table(table)


def test_times_and_repeats() -> None:
    assert [seconds(t, "t") for t in ("30", "1.5m", "2h", 7)] == [30.0, 90.0, 7200.0, 7.0]
    assert [repeats(r, "r") for r in ("auto", "3", 4)] == [0, 3, 4]
    assert [losses(r, "r") for r in ("unlimited", "3", 4)] == [0, 3, 4]
    for wrong in ("auto", "0", 0, -1, 1.5, ""):
        with pytest.raises(InvalidInput, match="losses"):
            losses(wrong, "losses")


def test_failures_are_counted_by_what_they_have_in_common() -> None:
    reasons = {"exit code 1": 1, "exit code 2": 2, "no end within 3 s": 1, "no end within 4 s": 2}
    assert alike(reasons) == [("no end within 3 s", 3), ("exit code 2", 2), ("exit code 1", 1)]


# -- what is said in the end ----------------------------------------------------------------------


def test_the_summary_says_what_the_estimate_would_be_without_the_suspects() -> None:
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    for i in range(20):
        optimizer.tell({"x": i / 20.0}, 1.0 - (i / 20.0 - 0.3) ** 2)
    assert [str(line) for line in _suspects(Result.of(optimizer), 80)] == []
    optimizer.tell({"x": 0.5}, 1e9)
    result = Result.of(optimizer)
    said = " ".join(" ".join(str(line) for line in _suspects(result, 80)).split())
    assert said.endswith(str(result.without_suspects))
    assert "without the suspect the estimate would" in said
