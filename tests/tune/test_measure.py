"""``--measure``: the kernel's figures of programs, and who counts."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from helpers.programs import stoic
from stoic.errors import InvalidInput
from stoic.tune.metric import Measured, NoValue, metric_of
from stoic.tune.plan import Plan
from stoic.tune.program import Ended, Program
from stoic.tune.settings import Settings, parameters

LINUX = sys.platform.startswith("linux")
BUSY = "import time\nwhile time.process_time() < 0.3: pass\n"


def ended(code: str, accounts: str | None, timeout: float | None = None) -> Ended:
    return Program(timeout, accounts=accounts).run([sys.executable, "-S", "-c", code], {})


def value(found: Ended, what: str) -> float:
    return Measured(what).of(found).value


def test_wall_time_is_that_of_the_program() -> None:
    for timeout in (None, 30.0):
        found = ended("import time; time.sleep(0.3)", "wall", timeout)
        assert found.trouble is None
        assert 0.3 <= value(found, "wall") < 5.0
        assert value(found, "cpu") < 0.25


def test_processor_time_includes_children_that_were_waited_for() -> None:
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-S', '-c', {BUSY!r}])"
    assert 0.3 <= value(ended(code, "cpu"), "cpu") < 2.0


@pytest.mark.skipif(not LINUX, reason="orphans are counted on Linux only")
@pytest.mark.parametrize("accounts", ["cpu", "rss"])
def test_orphans_of_the_group_count(accounts: str) -> None:
    code = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen(['sh', '-c', sys.executable + ' -S -c \"' + {BUSY!r} + '\" &'])\n"
        "time.sleep(4.0)"  # the orphan needs a third of a second, also where much else runs
    )
    found = ended(code, accounts)
    assert found.usage.cpu_seconds >= 0.25
    assert value(ended(code, None), "cpu") < 0.25, "without accounting nobody waits for it"


@pytest.mark.skipif(not LINUX, reason="see usage.py")
def test_memory_is_the_programs_and_not_ours() -> None:
    ballast = bytearray(60_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])
    small = value(ended("pass", "rss"), "rss")
    large = value(ended("x = b'x' * 80_000_000", "rss"), "rss")
    assert 1.0 < small < 40.0
    assert 76.0 < large - small < 82.0
    tiny = Program(None, accounts="rss").run(["true"], {})
    assert tiny.usage.max_rss_bytes < 5_000_000
    assert len(ballast) == 60_000_000


@pytest.mark.parametrize("accounts", ["wall", "cpu", "rss"])
def test_exit_codes_time_outs_and_missing_programs(accounts: str) -> None:
    found = ended("import sys; print('out'); sys.exit('no room')", accounts)
    assert found.trouble == "exit code 1: no room"
    assert found.stdout.text == "out\n"
    begun = time.monotonic()
    found = ended("import time; time.sleep(60)", accounts, 0.3)
    assert found.trouble == "no end within 0.3 s"
    assert time.monotonic() - begun < 20.0
    missing = Program(None, accounts=accounts).run(["/no/such/program"], {})
    assert (missing.started, missing.trouble) == (
        False, "could not be started: No such file or directory",
    )  # fmt: skip


def test_arguments_and_input_survive_the_small_parent() -> None:
    code = "import sys; print(repr(sys.argv[1:]), repr(sys.stdin.read()))"
    words = [sys.executable, "-S", "-c", code, "a b", "", "$x;'\"*", "-n"]
    for accounts in (None, "rss"):
        found = Program(None, accounts=accounts).run(words, {})
        assert found.stdout.text == f"{words[4:]!r} ''\n"


def test_one_kind_of_value() -> None:
    assert Measured("rss").bounds == (0.0, None)
    assert str(metric_of(None, None, "wall")) == "--measure wall"
    with pytest.raises(InvalidInput, match="--metric or --measure"):
        metric_of("x", None, "wall")
    with pytest.raises(InvalidInput, match="'wall', 'cpu', 'rss'"):
        Measured("time")
    with pytest.raises(NoValue):
        Measured("wall").find("12")


def test_settings_of_files_and_options() -> None:
    base = Settings.of_table({"metric": "x=(.)", "budget": 3, "command": ["true"]})
    given = Settings(measure="cpu", params=parameters(["x=1:9"]), env=True).over(base)
    assert (given.metric, given.measure) == (None, "cpu")
    plan = Plan.of(given)
    assert (plan.direction, plan.objective) == ("minimize", "CPU time (s)")
    with pytest.raises(InvalidInput, match="measure"):
        Settings.of_table({"measure": "energy"})


def test_a_program_that_prints_nothing_is_tuned_by_its_time(tmp_path: Path) -> None:
    words = ["-p", "x=1:9", "--budget", 5, "--env", "--no-report"]
    said = stoic(tmp_path, "tune", *words, "--measure", "wall", "--", "true").stdout
    assert "wall time (s)" in said
    found = stoic(tmp_path, "tune", *words, "--minimize", "--name", "b", "--", "true", code=1)
    text = " ".join((found.stdout + found.stderr).split())
    assert "nothing was printed; print the value, or measure the program itself with" in text
    assert "--measure wall" in text
    found = stoic(tmp_path, "tune", *words, "--measure", "cpu", "--", "true", code=2)
    assert "expected objective 'wall time (s)' of study" in " ".join(found.stderr.split())
