"""Forked children: no lock of the parent, no connection of the parent, and they work at once."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

import stoic
from stoic.errors import StoreUnavailable, UnknownStudy
from stoic.forks import Lock, importing
from stoic.loops.compiling import COMPILES
from stoic.parallel import one_thread
from stoic.study.advisers.following import adviser_of
from stoic.study.store import postgres, sqlite

LINE = {"x": (0.0, 1.0)}
HANG = 60  # seconds after which a child counts as hung

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads


def forked(work: Callable[[], object]) -> int:
    """A child that does this work; its exit code is 0 on success."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(HANG)
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """The exit code of a child; −14 where it hung."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def busy(work: Callable[[], object]) -> Iterator[None]:
    """A thread that does this again and again."""
    over = threading.Event()

    def run() -> None:
        while not over.is_set():
            work()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def round_of(study: stoic.Study) -> None:
    trial = study.ask()
    study.tell(trial, trial.params["x"])


# -- the parent's locks ---------------------------------------------------------------------------

KILLED = """
import os, signal, sys, time
import stoic

study = stoic.Study(sys.argv[1], space={"x": (0.0, 1.0)}, direction="maximize", method="random")
study.ask()
child = os.fork()
if child == 0:
    time.sleep(60.0)
    os._exit(0)
session = study._opened
with session.database.write() as connection:
    session.ledger.present(connection, lock=True)
    print(child, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_child_does_not_keep_the_locks_of_a_parent_that_was_killed(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_PATIENCE_SECONDS", 10.0)
    monkeypatch.setattr(postgres, "_SETTINGS", ("SET lock_timeout TO '10s'",))
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, store], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            assert parent.wait(HANG) == -signal.SIGKILL
            with stoic.Study(store) as study:
                round_of(study)
                assert study.finished == 1
            os.kill(child, 0)  # it was there all the time
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_store_that_is_busy_is_not_an_unknown_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.db"
    monkeypatch.setattr(sqlite, "_PATIENCE_SECONDS", 0.1)
    with (
        stoic.Study(path, space=LINE, direction="maximize") as study,
        study._opened.database.write(),
    ):
        for space in (None, LINE):
            with pytest.raises(StoreUnavailable, match="come free"):
                stoic.Study(path, space=space, direction="maximize")
    with pytest.raises(UnknownStudy):
        stoic.Study(tmp_path / "none.db")


# -- a child uses the study that it inherits ------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "random"])
def test_a_child_that_is_forked_while_a_thread_asks(store: str, method: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", method=method) as study:
        for _ in range(12):
            round_of(study)
        with busy(lambda: round_of(study)):
            time.sleep(0.1)
            children = []
            for _ in range(4):
                children.append(forked(lambda: round_of(study)))
                children.append(forked(lambda: round_of(stoic.Study(store))))
                time.sleep(0.02)
            assert [ended(child) for child in children] == [0] * 8
        assert study.finished == len(study.trials) >= 20


def test_a_child_that_is_forked_during_a_run(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    children: list[int] = []

    def forks(x: float) -> float:
        if len(children) < 3:
            children.append(forked(lambda: round_of(study)))
        time.sleep(0.01)
        return x

    with stoic.Study(path, space=LINE, direction="maximize", method="random", lease=0.2) as study:
        study.optimize(forks, 30, jobs=3)
        assert [ended(child) for child in children] == [0] * len(children)
        assert study.finished >= 30


def test_a_fork_within_a_fork(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", method="random") as study:

        def twice() -> None:
            round_of(study)
            inner = forked(lambda: round_of(study))
            round_of(study)
            assert ended(inner) == 0

        child = forked(twice)
        round_of(study)
        assert ended(child) == 0
        assert study.finished == len(study.trials) == 4


_inherited: stoic.Study | None = None


def _one(_: int = 0) -> int:
    assert _inherited is not None
    round_of(_inherited)
    return os.getpid()


def test_pools_that_fork(store: str) -> None:
    global _inherited
    context = multiprocessing.get_context("fork")
    with stoic.Study(store, space=LINE, direction="maximize", method="random") as study:
        _inherited = study
        process = context.Process(target=_one)
        process.start()
        process.join(HANG)
        assert process.exitcode == 0
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            assert os.getpid() not in set(pool.map(_one, range(8), timeout=HANG))
        round_of(study)
        assert study.finished == len(study.trials) == 10
    _inherited = None


# -- a child leaves the parent's store and transactions alone -------------------------------------

OUTLIVES = """
import os, signal, subprocess, sys
import stoic

def tell():
    study.tell(study.ask(), 1.0)

study = stoic.Study(sys.argv[1], space={"x": (0.0, 1.0)}, direction="maximize", method="random")
tell()
told, ready = os.pipe()
wait, go = os.pipe()
child = os.fork()
if child == 0:
    tell()
    os.write(ready, b".")
    os.read(wait, 1)
    tell()
    os.kill(os.getpid(), signal.SIGKILL)  # what was acknowledged must not need a last word
os.read(told, 1)
study.close()
third = f"import stoic; stoic.Study({sys.argv[1]!r}).close()"
subprocess.run([sys.executable, "-c", third], check=True)
os.write(go, b".")
assert os.waitpid(child, 0)[1] == signal.SIGKILL
with stoic.Study(sys.argv[1]) as study:
    assert study.finished == 3, study.finished
"""


def test_what_a_child_tells_survives_the_end_of_its_parents_study(store: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OUTLIVES, store], capture_output=True, text=True, timeout=HANG
    )
    assert done.returncode == 0, done.stderr


AMID = """
import os, sys
import stoic
from stoic.errors import StoreUnavailable

store = sys.argv[1]
study = stoic.Study(store, space={"x": (0.0, 1.0)}, direction="maximize", method="random")
trial = study.ask()
session = study._opened
child = None

def amid():
    global child
    with session.database.write() as connection:
        row = session.known(connection, 0)
        session.ledger.change(connection, row._replace(worker="changed"))
        child = os.fork()
        if child == 0 and len(sys.argv) > 2:
            session.ledger.change(connection, row._replace(worker="by the child"))
        elif child:
            assert os.waitpid(child, 0)[1] == 0

try:
    amid()
except StoreUnavailable as error:
    assert child == 0 and "forked" in str(error), error
    for use in (study.ask, lambda: stoic.Study(store)) if "://" not in store else ():
        try:
            use()
        except StoreUnavailable as error:
            assert "started anew" in str(error), error
        else:
            raise AssertionError("the locks of the parent were taken for its own")
    study.close()
    sys.exit(0)  # and tear everything down
assert child
study.tell(trial, 2.0)
for _ in range(20):
    study.tell(study.ask(), 1.0)
assert study.trials[0].worker == "changed"
"""


@pytest.mark.parametrize("words", [[], ["writes"]])
def test_a_child_neither_commits_nor_rolls_back_its_parents_transaction(
    store: str, words: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AMID, store, *words], capture_output=True, text=True, timeout=HANG
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    with stoic.Study(store) as study:
        assert study.finished == 21


LEAVES = """
import os, sys, time
import stoic

def forks(x):
    child = os.fork()
    if child == 0:
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    leases.append(study.trials[0].lease_until)
    return x

leases = []
with stoic.Study(sys.argv[1], space={"x": (0.0, 1.0)}, direction="maximize") as study:
    study.optimize(forks, 1)
assert leases[0] > time.time() + 300.0, leases
"""


def test_a_child_of_an_evaluation_gives_nothing_back(store: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVES, store], capture_output=True, text=True, timeout=HANG
    )
    assert done.returncode == 0, done.stderr


# -- locks of the package -------------------------------------------------------------------------


@contextmanager
def held(lock: object) -> Iterator[None]:
    """A lock that another thread holds."""
    inside, over = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:  # type: ignore[attr-defined]
            inside.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _enter(lock: object) -> None:
    with lock:  # type: ignore[attr-defined]
        pass


def test_a_lock_that_another_thread_holds_is_free_in_a_child() -> None:
    lock = Lock()
    with held(lock):
        assert ended(forked(lambda: _enter(lock))) == 0
    with lock:  # held by the thread that forks: the child lets go of it as its parent does
        child = os.fork()
    if child == 0:
        os._exit(0)
    assert ended(child) == 0


def test_blas_is_limited_and_freed_by_who_is_left_in_a_child() -> None:
    within = one_thread()

    def enters() -> None:
        _enter(within)
        assert not within._within  # type: ignore[attr-defined]
        assert within._limits is None  # type: ignore[attr-defined]

    with held(within):
        assert ended(forked(enters)) == 0
    with held(within._lock):  # type: ignore[attr-defined]
        assert ended(forked(enters)) == 0


def _optimizer(study: stoic.Study) -> object:
    adviser = adviser_of(study._opened.definition)
    assert isinstance(adviser, type(study._opened.adviser))
    return adviser.trials  # makes the optimiser, in a cached property


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="cached properties have no lock any more")
def test_cached_properties_that_a_thread_computes(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        members = vars(type(study._opened.adviser)).values()
        (cached,) = [m for m in members if isinstance(m, functools.cached_property)]
        with held(vars(cached)["lock"]):
            assert ended(forked(lambda: _optimizer(study))) == 0


def test_a_fork_waits_for_modules_that_a_thread_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time; time.sleep(0.5); done = True")
    monkeypatch.syspath_prepend(tmp_path)

    def imports() -> None:
        with importing:
            assert __import__("slow_to_import").done

    thread = threading.Thread(target=imports)
    thread.start()
    time.sleep(0.1)
    assert ended(forked(imports)) == 0
    thread.join()


def test_a_fork_within_an_import() -> None:
    with importing:
        child = os.fork()
    if child == 0:
        os._exit(0)
    assert ended(child) == 0


def test_a_fork_waits_for_loops_that_a_thread_compiles() -> None:
    lock = pytest.importorskip("numba.core.compiler_lock").global_compiler_lock
    assert COMPILES

    def compiles() -> None:
        with lock:
            time.sleep(0.5)

    thread = threading.Thread(target=compiles)
    thread.start()
    time.sleep(0.1)
    assert ended(forked(compiles)) == 0
    thread.join()


def test_a_fork_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoic.forks._PATIENCE_SECONDS", 0.1)

    def refused() -> None:
        with pytest.raises(StoreUnavailable, match="started anew"):
            study.ask()

    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize", method="random") as study:
        trial = study.ask()
        with held(study._opened.database.write()):
            assert ended(forked(refused)) == 0
        study.tell(trial, 1.0)
        assert ended(forked(lambda: round_of(study))) == 0
        assert study.finished == 2
