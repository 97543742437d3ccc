"""``stoic tune`` with a baseline, finals, a time limit and an early end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from helpers.programs import program
from stoic.cli.app import app
from stoic.errors import InvalidInput, StoicError
from stoic.runs.limits import UNLIMITED
from stoic.spaces import Space
from stoic.study import Study
from stoic.tune.baseline import configuration, of_flags, of_setting
from stoic.tune.parameters import of_flag, of_table
from stoic.tune.plan import Plan
from stoic.tune.settings import Settings, finals, parameters

NOISY = "import sys,random; x=float(sys.argv[1]); print(20 + 30*(x-0.3)**2 + random.gauss(0, .5))"


def here(folder: Path, *words: object, code: int = 0) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == code, result.output
    return result.output


def test_the_verdict_is_the_first_line_everywhere(tmp_path: Path) -> None:
    tuned = ("tune", "--minimize", "-p", "x=0.0:1.0", "--name", "b", "--plain", "--seed", 1)
    command = ("--", *program(tmp_path, NOISY), "{x}")
    said = here(tmp_path, *tuned, "--baseline", "x=0.95", "--budget", 20, "--confirm", 10,
                "--json-out", "out.json", *command)  # fmt: skip
    lines = said.splitlines()
    after = lines[max(i for i, line in enumerate(lines) if line.lstrip().startswith("20/20")) + 1 :]
    assert after[0].startswith("verdict    better than the baseline: ")
    assert any(line.startswith("finals begin: ") for line in lines)
    found = json.loads((tmp_path / "out.json").read_text())
    assert next(iter(found)) == "verdict"
    assert found["verdict"]["word"] == "better"
    assert found["baseline"] == {"x": 0.95}
    assert found["ended_by"] == "budget"
    for view in ("show", "best"):
        assert here(tmp_path, "study", view).startswith("verdict: better than the baseline")
        asked = json.loads(here(tmp_path, "study", view, "--json"))
        assert (asked["verdict"] if view == "best" else asked["result"]["verdict"]) is not None
    page = (tmp_path / "b.html").read_text()
    assert page.index("Better than the baseline") < page.index("is estimated at")
    assert 'href="stoic.db.logs/b/0000.txt"' in page
    here(tmp_path, "study", "report", "--out", "again.html")
    assert 'href="stoic.db.logs/b/0019.txt"' in (tmp_path / "again.html").read_text()
    # the study knows its baseline, and refuses another one
    with Study(tmp_path / "stoic.db", "b") as study:
        assert study.trials[0].params == study.baseline == {"x": 0.95}
    said = here(tmp_path, *tuned, "--budget", 21, "--no-report", *command)
    assert "goes on: 20 trials are done, 1 to go" in said
    here(tmp_path, *tuned, "--baseline", "x=0.5", "--budget", 21, *command, code=2)


def test_a_run_ends_by_its_time(tmp_path: Path) -> None:
    command = ("--", *program(tmp_path, NOISY), "{x}")
    said = here(tmp_path, "tune", "--minimize", "-p", "x=0.0:1.0", "--time", "3s", "--name", "t",
                "--plain", "--no-report", "--json-out", "out.json", *command)  # fmt: skip
    assert "; ended by the time limit" in said
    assert json.loads((tmp_path / "out.json").read_text())["ended_by"] == "time"


def test_a_settled_run_ends_early(tmp_path: Path) -> None:
    flat = "import sys; print(5.0 + int(sys.argv[1]))"
    command = ("--", *program(tmp_path, flat), "{k}")
    said = here(tmp_path, "tune", "--minimize", "-p", "k=1:2", "--budget", 60, "--stop", "settled",
                "--name", "s", "--plain", "--no-report", *command)  # fmt: skip
    assert "settled: another trial would hardly improve the answer" in said
    with Study(tmp_path / "stoic.db", "s") as study:
        assert study.finished < 60


# -- how they are written -------------------------------------------------------------------------


def test_values_are_read_as_the_parameters_have_them() -> None:
    written = parameters(["threads=1:64", "gc=g1,zgc", "share=0.10,0.20", "batch=1,8,64"])
    space = Space({each.name: each.parameter for each in written})
    given = of_flags(["threads=8, gc=zgc", "share=0.10,batch=8"])
    found = configuration(space, written, given)
    assert found == {"threads": 8, "gc": "zgc", "share": 0.1, "batch": 8}
    flag = of_table("fast", [True, False])
    assert configuration(Space({"fast": flag.parameter}), [flag], {"fast": "true"}) == {
        "fast": True
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"threads": "8"}, "gc"),
        ({"threads": "80", "gc": "g1"}, "threads"),
        ({"threads": "8", "gc": "cms"}, "gc"),
        ({"threads": "8", "gc": "g1", "cache": "1"}, "add -p cache="),
    ],
)
def test_a_baseline_outside_of_the_space_is_refused(given: dict[str, str], expected: str) -> None:
    written = [of_flag("threads=1:64"), of_flag("gc=g1,zgc")]
    space = Space({each.name: each.parameter for each in written})
    with pytest.raises(InvalidInput, match=f"baseline.*{expected}"):
        configuration(space, written, given)


@pytest.mark.parametrize("flags", [["threads"], ["threads="], ["=8"], ["a=1,a=2"], ["a=1", "a=1"]])
def test_options_that_are_no_baseline_are_refused(flags: list[str]) -> None:
    with pytest.raises(InvalidInput, match="baseline"):
        of_flags(flags)


def test_a_file_has_the_same_settings(tmp_path: Path) -> None:
    path = tmp_path / "tune.toml"
    path.write_text(
        'command = ["python3", "{x}", "{k}"]\ndirection = "minimize"\ntime = "10m"\n'
        'confirm = false\nstop = "settled"\n[baseline]\nx = 0.5\nk = 3\n'
        '[params]\nx = "0.0:1.0"\nk = "1:9"\n'
    )
    base = Settings.of_file(path)
    plan = Plan.of(Settings(baseline={"k": "4"}).over(base), report=False)
    assert plan.baseline == {"x": 0.5, "k": 4}
    limits = plan.limits
    assert (limits.seconds, limits.confirm, limits.stop) == (600.0, 0, "settled")
    assert limits.budget == UNLIMITED
    assert of_setting("x=0.5", "baseline") == {"x": "0.5"}
    assert finals(20, "confirm") == 20
    wrongs: list[dict[str, object]] = [
        {"baseline": 3},
        {"baseline": {}},
        {"confirm": "most"},
        {"stop": "soon"},
    ]
    for wrong in wrongs:
        with pytest.raises(StoicError):
            Settings.of_table(wrong)


def test_a_run_needs_a_budget_or_a_time() -> None:
    given = Settings(("python3", "{x}"), (of_flag("x=0.0:1.0"),), direction="minimize")
    with pytest.raises(InvalidInput, match="add --budget 60 or --time 10m"):
        Plan.of(given)
