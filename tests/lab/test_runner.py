"""The runner: the same bytes however often, wherever and in whichever order runs are done."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.cluster import cluster
from stoic.errors import InvalidInput, MissingExtra
from stoic.lab.attacks import attacks
from stoic.lab.experiments.one_run import checkpoints, play
from stoic.lab.experiments.origins import located, versions
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.runner import RunsFailed, Status, all_runs, run
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.noise import noises
from stoic.lab.problems import problems
from stoic.lab.world import World
from stoic.parallel import executor

HERE = Path(__file__).parent
SCRIPT = HERE.parent / "helpers" / "sweep.py"
TABLES = ("curves", "epochs")


def _load_sweep() -> Experiment:
    spec = importlib.util.spec_from_file_location("sweep", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sweep: Experiment = module.SWEEP
    return sweep


SWEEP = _load_sweep()
SMALL = replace(SWEEP, trials=1, horizons=(60,))


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.parquet").read_bytes() for name in TABLES}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    run(SWEEP, folder, workers=0)
    return contents(folder)


# -- the world ----------------------------------------------------------------------------------


def world(seed: int, attack: Any = None) -> World:
    problem = problems.make({"kind": "gp-sample"}, seed=seed)
    return World(problem, noises.make({"kind": "student-t", "df": 3.0}), attack, seed=seed)


def test_policies_of_a_trial_meet_the_same_draws() -> None:
    a, b, other = world(3), world(3), world(4)
    rng = np.random.default_rng(0)
    for t in range(5000):  # beyond a block of draws
        arm, arm_b = (int(x) for x in rng.integers(0, 100, 2))
        noise_a = a.pull(arm) - a.problem.f[arm]
        noise_b = b.pull(arm_b) - b.problem.f[arm_b]
        assert noise_a == pytest.approx(noise_b, abs=1e-9), t
        assert other.pull(arm) - other.problem.f[arm] != pytest.approx(noise_a, abs=1e-9)


def test_the_world_keeps_the_uncorrupted_payoff() -> None:
    attack = attacks.make({"kind": "flip", "budget": 5.0})
    honest, attacked = world(1), world(1, attack)
    for arm in [7, 8, 9, 7, 7] * 10:
        honest.pull(arm)
        attacked.pull(arm)
    assert attacked.clean == honest.clean == honest.reported
    assert attacked.reported != attacked.clean
    assert attacked.regret == honest.regret > 0.0


def test_regret_by_hand() -> None:
    w = world(2)
    f = w.problem.f
    for arm in (0, 5, 99):
        w.pull(arm)
    assert w.regret == pytest.approx(3 * f.max() - f[0] - f[5] - f[99])


# -- runs ----------------------------------------------------------------------------------------


def test_checkpoints_end_at_the_horizon() -> None:
    for horizon in (1, 2, 7, 1000):
        times = checkpoints(horizon, 20)
        assert times[-1] == horizon
        assert times[0] == 1
        assert (np.diff(times) > 0).all()


def test_a_run_is_a_function_of_its_settings() -> None:
    first = next(iter(SMALL.runs()))
    again, other = play(first), play(replace(first, trial=1))
    assert play(first)["curve"] == again["curve"]
    assert again["curve"] != other["curve"]
    assert first.key == replace(first, trial=0).key != replace(first, trial=1).key
    assert first.key != replace(first, versions={"numpy": "0"}).key


def test_processes_give_the_bytes_of_one(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    seen: list[Status] = []
    run(SWEEP, tmp_path, workers=2, watch=seen.append)
    assert contents(tmp_path) == undisturbed
    assert [status.done for status in seen] == list(range(len(seen)))
    assert seen[-1].done == seen[-1].total == 18


def test_more_trials_keep_what_is_done(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    run(replace(SWEEP, trials=1), tmp_path, workers=0)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").iterdir()}
    run(SWEEP, tmp_path, workers=0)
    assert contents(tmp_path) == undisturbed
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())


def kill_at_random_moments(folder: Path, kills: int, seed: int) -> int:
    """Kill the sweep with SIGKILL after a few runs, several times; how often it was alive."""
    rng = np.random.default_rng(seed)
    struck = 0
    for _ in range(kills):
        wanted = len(list(folder.glob("runs/*.json"))) + int(rng.integers(0, 4))
        process = subprocess.Popen([sys.executable, str(SCRIPT), str(folder)])
        while process.poll() is None and len(list(folder.glob("runs/*.json"))) < wanted:
            time.sleep(0.002)
        time.sleep(float(rng.uniform(0.0, 0.02)))
        struck += process.poll() is None
        process.kill()
        process.wait()
    return struck


def test_killed_and_resumed(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    assert kill_at_random_moments(tmp_path, 2, seed=1) > 0
    run(SWEEP, tmp_path, workers=0)
    assert contents(tmp_path) == undisturbed


def children(pid: int) -> set[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for task in tasks for child in task.read_text().split()}


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
def test_workers_go_when_their_parent_is_killed(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, str(SCRIPT), str(tmp_path)])
    workers: set[int] = set()
    deadline = time.monotonic() + 30
    while not list((tmp_path / "runs").glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
        workers |= children(process.pid)
    process.kill()
    process.wait()
    assert workers
    while time.monotonic() < deadline and any(Path(f"/proc/{pid}").exists() for pid in workers):
        time.sleep(0.05)
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]


def test_an_interrupt_ends_all_at_once_and_keeps_what_is_done(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(tmp_path), "2", "20000"]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "runs").glob("*.json"))) < 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    kept = set((tmp_path / "runs").glob("*.json"))
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode != 0
    assert "SpawnProcess" not in said  # workers go without a word
    assert kept <= set((tmp_path / "runs").glob("*.json"))
    assert len(Results.load(tmp_path).cases()) >= 1


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
def test_a_killed_worker_is_replaced(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    struck: list[int] = []

    def strike(status: Status) -> None:
        if status.done == 5 and not struck:
            for pid in children(os.getpid()):
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                if b"spawn_main" in command:
                    struck.append(pid)
                    os.kill(pid, signal.SIGKILL)
                    return

    run(SWEEP, tmp_path, workers=2, watch=strike)
    assert struck
    assert contents(tmp_path) == undisturbed


def test_dask_with_a_worker_killed(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with cluster(tmp_path) as dask:

        def strike(status: Status) -> None:
            if status.done == 4:
                dask.kill_a_worker()

        run(SWEEP, tmp_path / "out", engine="dask", scheduler=dask.address, watch=strike)
        assert dask.workers[0].wait(10) == -signal.SIGKILL
    assert contents(tmp_path / "out") == undisturbed


# -- what goes wrong -----------------------------------------------------------------------------


OWN = """
import os, sys

class Strange(Exception):
    pass

class Own:
    def __init__(self, domain, kernel, *, deed, **_):
        self.deed, self.t = deed, 0

    def ask(self):
        return {"float": 0.0, "negative": -1, "true": True, "far": 30}.get(self.deed, 0)

    def tell(self, arm, payoff):
        self.t += 1
        if self.t == 30:
            if self.deed == "raise":
                raise Strange("boom")
            if self.deed == "exit":
                sys.exit(0)
            if self.deed == "die":
                os._exit(3)
"""


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("raise", r"Strange: boom \(own.py, line 18\)"),
        ("exit", "SystemExit: 0"),
        ("die", "its process died"),
        ("float", "expected the arm"),
        ("negative", "expected the arm"),
        ("true", "expected the arm"),
        ("far", "expected the arm"),
    ],
)
def test_a_failing_run_does_not_end_the_others(deed: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    own = PolicySpec(f"{tmp_path / 'own.py'}:Own", "own", options={"deed": deed})
    mixed = replace(SMALL, policies=(own, PolicySpec("tgp-ucb")), noises=SMALL.noises[:1], trials=2)
    with pytest.raises(RunsFailed, match=said) as caught:
        run(mixed, tmp_path / "out", workers=2 if deed in ("raise", "die") else 0)
    assert "error in 2; the first, own on trial" in str(caught.value)
    kept = Results.load(tmp_path / "out").cases()
    assert {case.policy for case in kept} == {"tgp-ucb"}
    assert len(list((tmp_path / "out" / "runs").glob("*.json"))) == 2


def test_changed_files_are_run_again(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    own = PolicySpec(f"{file}:Own", "own", options={"deed": ""})
    runs = replace(SMALL, policies=(own,), noises=SMALL.noises[:1])
    first = run(runs, tmp_path / "out", workers=0).curves()[0].end
    file.write_text(OWN.replace("}.get(self.deed, 0)", "}.get(self.deed, 7)"))
    assert run(runs, tmp_path / "out", workers=0).curves()[0].end != first


def test_fresh_does_all_again(tmp_path: Path) -> None:
    run(SMALL, tmp_path, workers=0)
    seen: list[Status] = []
    run(SMALL, tmp_path, workers=0, watch=seen.append)
    assert seen[0].found == seen[-1].done == 6
    seen.clear()
    run(SMALL, tmp_path, workers=0, watch=seen.append, fresh=True)
    assert [status.done for status in seen] == list(range(7))  # and each is kept as it ends


@pytest.mark.parametrize("text", ["{", "{}", "null", '{"curve": {"t": [1, 2], "regret": [1]}}'])
def test_a_damaged_run_is_done_again(text: str, tmp_path: Path) -> None:
    run(SMALL, tmp_path, workers=0)
    before = contents(tmp_path)
    damaged = next((tmp_path / "runs").glob("*.json"))
    damaged.write_text(text)
    run(SMALL, tmp_path, workers=0)
    assert contents(tmp_path) == before
    assert damaged.with_suffix(".damaged").read_text() == text


def test_worlds_that_results_would_not_distinguish_are_refused(tmp_path: Path) -> None:
    twins = ({"kind": "gaussian", "std": 0.01}, {"kind": "gaussian", "std": 100.0})
    with pytest.raises(InvalidInput, match="its own label"):
        run(replace(SMALL, noises=twins), tmp_path, workers=0)
    with pytest.raises(InvalidInput, match="its own label"):
        run([SMALL, SMALL], tmp_path, workers=0)


def test_data_are_part_of_a_runs_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stocks = replace(SMALL, problems=({"kind": "stocks"},), noises=({},))
    monkeypatch.delenv("STOIC_DATA", raising=False)
    without = all_runs([located(stocks)], {})[0].key
    folder = tmp_path / "stocks29_chowdhury2019"
    folder.mkdir()
    (folder / "fin.csv").write_text("Date,A\n2016-01-04,1.0\n")
    monkeypatch.setenv("STOIC_DATA", str(tmp_path))
    with_data = all_runs([located(stocks)], {})[0].key
    (folder / "fin.csv").write_text("Date,A\n2016-01-04,2.0\n")
    changed = all_runs([located(stocks)], {})[0].key
    assert len({without, with_data, changed}) == 3


def test_missing_noise_policy_and_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="expected a noise"):
        run(replace(SMALL, noises=({},)), tmp_path, workers=0)
    with pytest.raises(InvalidInput, match="expected a policy among"):
        run(replace(SMALL, policies=(PolicySpec("gp-ucd"),)), tmp_path, workers=0)
    odd = PolicySpec("tgp-ucb", options={"no": 1})
    with pytest.raises(InvalidInput, match="unexpected keyword argument 'no'"):
        run(replace(SMALL, policies=(odd,)), tmp_path, workers=0)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"stoic\[lab\]"):
        run(SMALL, tmp_path, workers=0)


def test_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong, said in (
        ({"engine": "ray"}, "one of"),
        ({"engine": "dask"}, "address"),
        ({"scheduler": "tcp://x"}, "dask"),
        ({"workers": -1}, "at least 0"),
    ):
        with pytest.raises(InvalidInput, match=said), executor(**wrong):
            pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingExtra, match=r"stoic\[dask\]"),
        executor("dask", scheduler="tcp://127.0.0.1:1"),
    ):
        pass


def test_the_manifest_holds_every_setting(tmp_path: Path) -> None:
    from stoic.lab.experiments.toml import from_table

    results = run(SMALL, tmp_path, workers=0)
    assert from_table(results.manifest["experiments"][0]) == SMALL
    assert results.manifest["runs"] == {"done": 6, "total": 6}
    assert {"stoic", "numpy", "scipy", "python", "pyarrow"} <= set(results.manifest["versions"])
    assert versions()["stoic"] == results.manifest["versions"]["stoic"]
