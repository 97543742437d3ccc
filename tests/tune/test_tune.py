"""``stoic tune`` as a user meets it: real programs, real stores, real signals."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from helpers.programs import PARABOLA, STOIC, alive, environment, program, stoic, tune
from stoic.cli.app import app
from stoic.errors import StoreUnavailable
from stoic.runs import patience
from stoic.spaces import Space
from stoic.study import Study, StudyTrial, TrialRecord
from stoic.study.store import sqlite
from stoic.tune.process.leftovers import Leftovers
from stoic.tune.settings import Settings, parameters
from stoic.tune.template import Template

ROOT = Path(__file__).parents[2]
RUNNER = CliRunner()
BASIC = ("--minimize", "-p", "x=0.0:1.0", "--no-report")


def here(folder: Path, *words: object, code: int = 0) -> str:
    """``stoic tune`` in this process: quicker, where neither signals nor imports matter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = RUNNER.invoke(app, ["tune", *map(str, words)])
    assert result.exit_code == code, result.output
    return result.output


def trials(folder: Path, name: str = "bench") -> tuple[TrialRecord, ...]:
    with Study(folder / "stoic.db", name) as study:
        return study.trials


def test_a_program_is_tuned_and_the_same_command_goes_on(tmp_path: Path) -> None:
    command = [*program(tmp_path, PARABOLA), "{x}"]
    words = ("--minimize", "-p", "x=0.0:1.0", "--json-out", "out.json")
    said = tune(tmp_path, command, *words, "--budget", 12).stdout
    assert len(re.findall(r"^ ?\d+/12  #\d+  x=", said, flags=re.M)) == 12
    found = json.loads((tmp_path / "out.json").read_text())
    assert abs(found["best"]["params"]["x"] - 0.3) < 0.1
    shown = re.search(r"\n\n  (.* )(0\.\d+)\n\n", said)
    assert shown is not None
    assert found["command"].startswith(shown.group(1))
    assert len(shown.group(2)) <= 10, "rounded for people"
    assert float(shown.group(2)) == pytest.approx(found["best"]["params"]["x"], abs=1e-6)
    assert found["command"].endswith(str(found["best"]["params"]["x"])), "data are exact"
    again = subprocess.run(
        shlex.split(found["command"]), capture_output=True, text=True, check=True
    )
    assert again.stdout.startswith("warm-up")
    assert (tmp_path / "bench.html").read_text(encoding="utf-8").startswith("<!")
    log = (tmp_path / "stoic.db.logs" / "bench" / "0003.txt").read_text()
    assert "$ " in log
    assert "warm-up took 3 s" in log

    said = tune(tmp_path, command, *words, "--budget", 14).stdout
    assert "12 trials are done, 2 to go" in said
    assert [t.number for t in trials(tmp_path)] == list(range(14))
    tune(tmp_path, command, *words, "--budget", 14)
    assert len(trials(tmp_path)) == 14


NOISY = """
import os, random
rng = random.Random(os.environ["STOIC_SEED"])
print(float(os.environ["STOIC_X"]) + rng.gauss(0, 1), os.environ["STOIC_TRIAL"] * 0)
"""


def test_runs_repeat_and_every_measurement_has_its_own_seed(tmp_path: Path) -> None:
    found = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        command = program(folder, NOISY)
        here(folder, *BASIC, "--env", "--budget=9", "--repeat=2", "--seed=5", "--", *command)
        found.append([(t.params, t.values) for t in trials(folder)])
    assert found[0] == found[1]
    values = [value for _, both in found[0] for value in both]
    assert len(values) == len(set(values)) == 18


FAILING = """
import os, signal, sys, time
x = float(sys.argv[1])
if x < 0.2: sys.exit("no room for %.3f" % x)
if x < 0.4: os.kill(os.getpid(), signal.SIGSEGV)
if x < 0.6: time.sleep(60)
if x < 0.8: print("loss: nan"); sys.exit()
print("fine")
"""


def test_every_kind_of_failure_is_told_in_words(tmp_path: Path) -> None:
    command = [*program(tmp_path, FAILING), "{x}"]
    words = (*BASIC, "--budget", 12, "--timeout", "0.5", "--jobs", 3)
    said = here(tmp_path, *words, "--", *command, code=1)
    assert "No trial gave a value" in said
    reasons = {re.sub(r"[\d.]+$", "", str(t.reason)) for t in trials(tmp_path)}
    assert reasons == {
        "exit code 1: no room for ",
        "killed by SIGSEGV",
        "no end within 0.5 s",
        "the value is nan, not a finite number",
        "no number in the output",
    }
    assert {t.state for t in trials(tmp_path)} == {"failed"}


def test_a_wrong_metric_is_noticed_early(tmp_path: Path) -> None:
    command = [*program(tmp_path, PARABOLA), "{x}"]
    said = tune(tmp_path, command, *BASIC, "--budget", 100, "--metric", r"p99=(\d+)", code=1).stdout
    assert "5 times out of 5: --metric p99=(\\d+) matches nothing" in " ".join(said.split())
    assert len(trials(tmp_path)) == 5


def test_values_that_are_not_finite_are_failures_of_the_runs(tmp_path: Path) -> None:
    said = here(tmp_path, *BASIC, "--budget=8", "--env", "--", "echo", "loss=nan", code=1)
    assert "correct --metric" not in said
    assert {t.reason for t in trials(tmp_path, "echo")} == {"the value is nan, not a finite number"}
    assert len(trials(tmp_path, "echo")) == 8
    said = here(tmp_path, *BASIC, "--budget=30", "--env", "--", "echo", "loss=nan", code=1)
    assert "all of the first 20 trials failed" in said
    assert len(trials(tmp_path, "echo")) == 28


SLOW = """
import os, sys, time
from pathlib import Path
me = Path(sys.argv[2]) / f"{os.getpid()}.run"
me.touch()
time.sleep(float(sys.argv[3]))
seen = len(list(me.parent.glob("*.run")))
me.unlink()
print(seen)
"""


def start(folder: Path, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*STOIC, "tune", *map(str, words)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def slow(folder: Path, seconds: float) -> list[object]:
    command = program(folder, SLOW)
    words = [*BASIC, "--budget", 8, "--jobs", 2]
    return [*words, "--", *command, "{x}", str(folder), str(seconds)]


def test_only_what_is_surely_ours_is_ended(tmp_path: Path) -> None:
    leftovers = Leftovers(tmp_path)
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as bystander:
        leftovers.note(bystander.pid)
        (note,) = (tmp_path / "running").iterdir()
        found = json.loads(note.read_text())
        assert leftovers.end() == 0  # its tuner, we, still runs
        found["tuner"] = re.sub(r":\d+-", ":1-", found["tuner"])
        for text in (json.dumps(found), "{", '{"tuner": 3}', "[]"):
            note.write_text(text)
            assert leftovers.end() == 0  # it never had our variables
        assert alive(bystander.pid)
        bystander.kill()


def wait_for(done: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(list(done.glob("*.run"))) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    words = slow(tmp_path, 60.0)
    process = start(tmp_path, *words)
    wait_for(tmp_path, 2)
    running = [int(path.stem) for path in tmp_path.glob("*.run")]
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "stopping" in said
    assert "to go on   stoic" in said
    assert not any(alive(pid) for pid in running)
    opened = trials(tmp_path)
    assert [t.state for t in opened] == ["open", "open"]
    assert all(t.lease_until <= time.time() for t in opened)  # given back
    for path in tmp_path.glob("*.run"):
        path.unlink()
    (tmp_path / "bench.py").write_text(PARABOLA)
    here(tmp_path, *words)
    assert [t.number for t in trials(tmp_path)] == list(range(8))
    assert [t.attempt for t in trials(tmp_path)][:2] == [2, 2]


STUBBORN = SLOW.replace(
    "import os,", "import signal; signal.signal(15, signal.SIG_IGN)\nimport os,"
)


def test_a_second_ctrl_c_ends_all_at_once(tmp_path: Path) -> None:
    words = slow(tmp_path, 60.0)
    (tmp_path / "bench.py").write_text(STUBBORN)
    process = start(tmp_path, *words)
    wait_for(tmp_path, 2)
    running = [int(path.stem) for path in tmp_path.glob("*.run")]
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert "stopping" in process.stdout.readline()
    assert all(alive(pid) for pid in running)  # they do not care for SIGTERM
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert not said  # no summary: it was not waited for
    deadline = time.monotonic() + 30
    while any(alive(pid) for pid in running):  # killed, but not ours to wait for any more
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_after_kill_9_the_same_command_goes_on_at_once(tmp_path: Path) -> None:
    words = slow(tmp_path, 60.0)
    process = start(tmp_path, *words)
    wait_for(tmp_path, 2)
    process.kill()
    process.communicate(timeout=60)
    orphans = [int(path.stem) for path in tmp_path.glob("*.run")]
    assert all(Path(f"/proc/{pid}").exists() for pid in orphans)
    (tmp_path / "bench.py").write_text(PARABOLA)
    said = here(tmp_path, *words)
    assert "ended what a killed run had left running: 2" in said
    assert not any(alive(pid) for pid in orphans)
    found = trials(tmp_path)
    assert [t.number for t in found] == list(range(8))
    assert [t.attempt for t in found][:2] == [2, 2]  # not after the lease of ten minutes


def test_jobs_run_at_a_time(tmp_path: Path) -> None:
    here(tmp_path, *slow(tmp_path, 0.5))
    values = [value for t in trials(tmp_path) for value in t.values]
    assert max(values) == 2.0


SPACE = """
command = ["{python}", "bench.py", "--o", "{{o}}", "--m={{m}}", "{{k}}"]
direction = "maximize"
budget = 14
json = "out.score"
[params]
o = ["adam", "sgd"]
m = {{ low = 0.0, high = 1.0, when = {{ o = "sgd" }} }}
k = "8,16,32"
"""
SPACED = """
import json, sys
score = len(sys.argv) * 10 + (float(sys.argv[3][4:]) if sys.argv[2] == "sgd" else 0)
print(json.dumps({"out": {"score": score, "seen": sys.argv[1:]}}))
"""


def test_a_space_file_with_conditions(tmp_path: Path) -> None:
    program(tmp_path, SPACED)
    (tmp_path / "space.toml").write_text(SPACE.format(python=sys.executable))
    here(tmp_path, "--space", "space.toml", "--no-report", "--name", "spaced")
    found = trials(tmp_path, "spaced")
    assert len(found) == 14
    for t in found:
        assert ("m" in t.params) == (t.params["o"] == "sgd")
        assert t.values[0] == (50 + t.params["m"] if "m" in t.params else 40)


WHOLE = ["--minimize", "--budget", "3", "-p", "x=1:9", "--no-report", "--", "./bench.sh", "{x}"]


def change(**changes: object) -> list[str]:
    """The whole command with some words replaced; None drops a word."""
    words = [changes.get(word.strip("-./"), word) for word in WHOLE]
    return [str(word) for word in words if word is not None]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (change(minimize=None), "--minimize or --maximize, got neither"),
        (["--maximize", *WHOLE], "--minimize or --maximize, got both"),
        (WHOLE[:1] + WHOLE[3:], "--budget 60"),
        (WHOLE[:6], "a command to run"),
        ([*WHOLE, "{y}"], "-p y="),
        (WHOLE[:-1], "got it nowhere"),
        (["-p", "x=1:2", *WHOLE], "'x' twice"),
        (["-p", "y=1", *WHOLE], "constant"),
        (["--metric", "(", *WHOLE], "regular expression"),
        (["--metric", "a", "--json", "b", *WHOLE], "got both"),
        (["--timeout", "soon", *WHOLE], "expected --timeout"),
        (["--repeat", "often", *WHOLE], "expected --repeat"),
        (["--space", "none.toml", *WHOLE], "expected a file to read at none.toml"),
        (["--space", "bad.toml", *WHOLE], "expected TOML"),
        (["--store", "no/where/stoic.db", *WHOLE], "expected"),
        (["--json-out", "no/where.json", *WHOLE], "may be written"),
        ([*WHOLE[:-2], "nobody-has-this", "{x}"], "on the PATH"),
        ([*WHOLE[:-2], "bench.sh", "{x}"], "write ./bench.sh"),
        ([*WHOLE[:-2], "./none.sh", "{x}"], "does not exist"),
        ([*WHOLE[:-2], "./bad.toml", "{x}"], "chmod +x"),
        ([*WHOLE[:-2], "/tmp", "{x}"], "folder"),
        ([*WHOLE[:-2], "./empty.sh", "{x}"], "could not be started"),
    ],
)
def test_what_is_refused_before_anything_runs(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("bench.sh", "#!/bin/sh\ntouch ran\necho 1\n"), ("empty.sh", "echo 1\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "bad.toml").write_text("= 3")
    result = RUNNER.invoke(app, ["tune", *words])
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "ran").exists()
    if (tmp_path / "stoic.db").exists():
        assert not any(t.state != "open" for t in trials(tmp_path, "empty"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (change(minimize="--maximize"), "direction"),
        ([word.replace("1:9", "1:8") for word in WHOLE], "space"),
        ([*WHOLE, "more"], "--name"),
        (["--metric", r"(\d)", *WHOLE], "--name"),
        (["--seed", "7", *WHOLE], "seed"),
    ],
)
def test_another_study_of_the_same_name_is_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.sh").write_text("#!/bin/sh\necho $1\n")
    (tmp_path / "bench.sh").chmod(0o755)
    result = RUNNER.invoke(app, ["tune", *WHOLE])
    assert result.exit_code == 0, result.output
    result = RUNNER.invoke(app, ["tune", *words])
    assert result.exit_code == 2, result.output
    assert said in result.output
    result = RUNNER.invoke(app, ["tune", "--name", "other", *words])
    assert result.exit_code == 0, result.output


def test_on_a_terminal_there_is_a_picture(tmp_path: Path) -> None:
    command = [*program(tmp_path, PARABOLA), "{x}"]
    words = [*STOIC, "tune", *BASIC, "--budget", "6", "--", *command]
    parent, child = pty.openpty()
    env = environment(TERM="xterm", LINES="24")
    with subprocess.Popen(words, cwd=tmp_path, env=env, stdout=child, stderr=child) as process:
        os.close(child)
        said = b""
        while True:
            try:
                chunk = os.read(parent, 65536)
            except OSError:  # Linux: the other end is closed
                break
            if not chunk:
                break
            said += chunk
        os.close(parent)
    assert process.returncode == 0
    text = said.decode()
    assert "━" in text
    assert "6/6 trials" in text
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert all(len(line) <= 80 for line in plain.split("\r\n")[:3])
    assert "estimate" in plain


ALONE = """
import sys
for name in ("pyarrow", "matplotlib", "threadpoolctl", "distributed"):
    sys.modules[name] = None
from stoic.cli import main
main()
"""


def test_the_extra_cli_alone_is_enough(tmp_path: Path) -> None:
    command = [*program(tmp_path, PARABOLA), "{x}"]
    words = ["tune", "--minimize", "-p", "x=0.0:1.0", "--budget", "9", "--", *command]
    for given, code, said in ((words, 0, "bench.html"), (["compare", "a", "b"], 2, "stoic[lab]")):
        done = subprocess.run(
            [sys.executable, "-c", ALONE, *given],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert said in done.stdout + done.stderr


def test_the_page_shows_a_space_that_can_be_read() -> None:
    text = (ROOT / "docs" / "tune.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml[^\n]*\n(.*?)```", text, flags=re.S)
    said = Settings.of_table(tomllib.loads(block))
    assert Space({each.name: each.parameter for each in said.params}).dimension == 5
    (line,) = re.findall(r"```sh\nstoic (tune.*?)\n```", text, flags=re.S)
    flags = re.findall(r"-p (\S+)", line)
    places = re.findall(r"\{\w+\}", line)
    assert Template(["./bench.sh", *places], parameters(flags)).parameters.keys() == {
        "threads", "cache_mb", "gc",
    }  # fmt: skip


def test_a_terminal_that_cannot_show_all_signs(tmp_path: Path) -> None:
    command = program(tmp_path, "import os; os.write(2, 'zu groß …'.encode()); os._exit(1)")
    words = ("tune", *BASIC, "--env", "--budget", 2, "--", *command)
    said = stoic(tmp_path, *words, code=1, PYTHONIOENCODING="ascii").stdout
    assert "exit code 1: zu gro? ?" in said
    assert trials(tmp_path)[1].reason == "exit code 1: zu groß …"


def test_a_script_on_the_command_line_has_a_name(tmp_path: Path) -> None:
    here(tmp_path, *BASIC, "--budget", 1, "--", "sh", "-c", "true\necho {x}\n")
    assert trials(tmp_path, "true")[0].values


def test_logs_are_beside_a_store_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    words = (*BASIC, "--store", "~/a.db", "--name", "n", "--budget", 1)
    here(tmp_path, *words, "--", "echo", "{x}")
    assert (tmp_path / "home" / "a.db.logs" / "n" / "0000.txt").is_file()


def test_every_study_has_a_folder_of_its_own(tmp_path: Path) -> None:
    names = ("a/b", "a-b", "a b", "n" * 80 + "1", "n" * 80 + "2", "..", "é")
    for name in names:
        here(tmp_path, *BASIC, "--name", name, "--budget", 1, "--", "echo", "{x}")
    folders = sorted(folder.name for folder in (tmp_path / "stoic.db.logs").iterdir())
    assert len(folders) == len(names)
    assert {"a-b", "é"} < set(folders)


def test_who_closes_the_pipe_ends_the_run_quietly(tmp_path: Path) -> None:
    words = ["tune", *BASIC, "--budget", "9", "--", *program(tmp_path, PARABOLA), "{x}"]
    run = subprocess.Popen(
        [*STOIC, *words],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    assert run.stderr is not None
    assert run.stdout.readline().startswith("1/9")
    run.stdout.close()
    with run.stderr as stderr:
        assert stderr.read() == ""
    assert run.wait(60) == 1
    before = trials(tmp_path)
    assert 1 <= len(before) < 9
    stoic(tmp_path, *words)
    assert [t.state for t in trials(tmp_path)] == ["told"] * 9


MEETS = """
import sys, time
from pathlib import Path
Path(sys.argv[2]).touch()
while Path(sys.argv[2]).exists():
    time.sleep(0.01)
print(float(sys.argv[1]))
"""


def test_a_measurement_outlives_a_store_that_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(patience, "RETRY_SECONDS", (0.1,) * 100)
    told, missed = Study.tell, threading.Event()

    def tell(study: Study, trial: StudyTrial, value: float, *, measurement: int = 0) -> None:
        try:
            told(study, trial, value, measurement=measurement)
        except StoreUnavailable:
            missed.set()
            raise

    monkeypatch.setattr(Study, "tell", tell)
    flag = tmp_path / "runs"

    def lock() -> None:
        while not flag.exists():
            time.sleep(0.01)
        with closing(sqlite3.connect(tmp_path / "stoic.db", isolation_level=None)) as raw:
            raw.execute("BEGIN IMMEDIATE")
            flag.unlink()  # the program ends, and its value can't be told
            missed.wait(60)
            raw.execute("ROLLBACK")

    locking = threading.Thread(target=lock)
    locking.start()
    here(tmp_path, *BASIC, "--budget", 1, "--", *program(tmp_path, MEETS), "{x}", flag)
    locking.join()
    assert missed.is_set()
    assert [(t.state, t.attempt) for t in trials(tmp_path)] == [("told", 1)]


def test_how_many_workers_a_trial_may_lose(tmp_path: Path) -> None:
    words = (*BASIC, "--name", "n")
    here(tmp_path, *words, "--budget", 1, "--", "echo", "{x}")
    for number in (1, 2):
        with Study(tmp_path / "stoic.db", "n", max_lost_leases=None) as other:
            for _ in range(6):
                assert other.ask(lease=0.001).number == number
                time.sleep(0.002)
        most = "unlimited" if number == 1 else 7
        limits = ("--budget", number + 1, "--max-lost-leases", most)
        here(tmp_path, *words, *limits, "--", "echo", "{x}")
    assert [(t.state, t.attempt) for t in trials(tmp_path, "n")] == [
        ("told", 1),
        ("told", 7),
        ("told", 7),
    ]
    with Study(tmp_path / "stoic.db", "n") as other:
        other.ask(lease=0.001)
    here(tmp_path, *words, "--budget", 4, "--max-lost-leases", 1, "--", "echo", "{x}")
    assert trials(tmp_path, "n")[3].reason == "given up: lost 1 lease and never reported"


SHARED = """
import sys, time
from pathlib import Path
Path(sys.argv[2]).touch()
while Path(sys.argv[2]).exists():
    time.sleep(0.01)
print(2.0)
"""


def test_a_trial_that_another_worker_finished_first_keeps_its_value(tmp_path: Path) -> None:
    flag = tmp_path / "runs"

    def finish() -> None:
        while not flag.exists():
            time.sleep(0.01)
        with Study(tmp_path / "stoic.db", "n") as other:
            other.tell(0, 1.0)
        flag.unlink()

    finishing = threading.Thread(target=finish)
    finishing.start()
    words = (*BASIC, "--name", "n", "--budget", 1, "--env")
    said = here(tmp_path, *words, "--", *program(tmp_path, SHARED), "0", flag)
    finishing.join()
    assert "trial 0 was finished by another worker" in said
    assert [t.values for t in trials(tmp_path, "n")] == [(1.0,)]


def test_the_lease_of_a_long_trial_is_renewed(tmp_path: Path) -> None:
    stolen: list[StudyTrial | None] = []

    def steal() -> None:
        while not (tmp_path / "runs").exists():
            time.sleep(0.01)
        deadline = time.monotonic() + 1.2
        with Study(tmp_path / "stoic.db", "n") as other:
            while time.monotonic() < deadline:
                stolen.append(other.ask_within(1))
                time.sleep(0.1)
        (tmp_path / "runs").unlink()

    stealing = threading.Thread(target=steal)
    stealing.start()
    words = (*BASIC, "--name", "n", "--budget", 1, "--lease", "0.3")
    here(tmp_path, *words, "--", *program(tmp_path, MEETS), "{x}", tmp_path / "runs")
    stealing.join()
    assert set(stolen) == {None}
    assert [(t.state, t.attempt) for t in trials(tmp_path, "n")] == [("told", 1)]


def test_trials_that_others_hold_count_and_are_waited_for(tmp_path: Path) -> None:
    here(tmp_path, *BASIC, "--name", "n", "--budget", 1, "--", "echo", "{x}")
    with Study(tmp_path / "stoic.db", "n") as other:
        held = other.ask(lease=5.0)
    said = here(tmp_path, *BASIC, "--name", "n", "--budget", 3, "--", "echo", "{x}")
    assert "waiting for the trials that other workers hold" in said
    assert [(t.state, t.attempt) for t in trials(tmp_path, "n")] == [
        ("told", 1),
        ("told", 2),
        ("told", 1),
    ]
    assert held.number == 1
