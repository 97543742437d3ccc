"""Executors for parallel work: this process, local processes, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.connection import wait
from typing import Any

from stoic.checks import choice, integer
from stoic.errors import InvalidInput, MissingExtra
from stoic.forks import ForkAware, Lock, importing

__all__ = ["ENGINES", "Pool", "executor", "flag_is_raised", "one_thread"]

ENGINES = ("local", "dask")
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class _OneThread(ForkAware):
    """Counts the threads within the block: the first sets the limit, the last lifts it.

    Counted by thread, since a forked child has only one of its parent's threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._within: list[int] = []  # a thread's number for each time that it is within
        self._controller: Any = None
        self._limits: Any = None
        self.join_forks()

    def __enter__(self) -> None:
        with self._lock:
            self._within.append(threading.get_ident())
            if len(self._within) == 1 and self._limits is None:
                self._limits = self._limit()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._within.remove(threading.get_ident())
            if not self._within and self._limits is not None:
                self._limits.restore_original_limits()
                self._limits = None

    def after_fork_in_child(self) -> None:
        self._within = [number for number in self._within if number == threading.get_ident()]

    def _limit(self) -> Any:
        if self._controller is None:
            try:
                with importing:
                    from threadpoolctl import ThreadpoolController
            except ImportError:
                return None
            self._controller = ThreadpoolController()
        return self._controller.limit(limits=1, user_api="blas")


_ONE_THREAD = _OneThread()


def one_thread() -> AbstractContextManager[None]:
    """Limit BLAS to one thread within the block, if the package threadpoolctl is installed.

    On matrices of a few hundred rows more threads are slower, by a factor of ten where other
    programs use the cores as well. Results would also depend on their number in the last bits.
    """
    return _ONE_THREAD


@contextmanager
def executor(
    engine: str = "local", *, workers: int | None = None, scheduler: str | None = None
) -> Iterator[Pool]:
    """A :class:`concurrent.futures.Executor` with ``slots`` tasks at a time.

    It is closed at the end; tasks that have not begun are cancelled.

    Parameters
    ----------
    engine
        ``"local"``: processes of this machine; ``"dask"``: the workers of a Dask cluster.
    workers
        How many local processes; by default one for each core. 0 works within this process.
    scheduler
        Where the Dask scheduler listens, such as ``tcp://10.0.0.1:8786``.
    """
    choice(engine, "engine", ENGINES)
    if engine == "dask":
        pool = _dask(scheduler)
    elif scheduler is not None:
        raise InvalidInput("expected engine='dask' with a scheduler, got 'local'; drop one of them")
    else:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        count = cores or 1 if workers is None else integer(workers, "workers", at_least=0)
        pool = _local(count) if count else _Here()
    try:
        yield pool
    except BaseException:
        pool.abandon()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Pool(Executor):
    """An executor that knows how many tasks it runs at a time."""

    slots = 1
    far = False
    """Whether tasks run on other machines."""

    def abandon(self) -> None:
        """Give up running tasks, whose results are no longer needed."""

    def raise_flag(self, name: str) -> None:
        """Let `flag_is_raised` be True for this name in all tasks of a cluster, from now on."""


def flag_is_raised(name: str) -> bool:
    """Within a task on a cluster: whether `Pool.raise_flag` was called with this name."""
    from distributed import Event

    flag: Any = Event
    return bool(flag(name).is_set())


class _Here(Pool):
    """Runs each task when it is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as failure:
            future.set_exception(failure)
        return future


class _Processes(ProcessPoolExecutor, Pool):
    """Local processes."""

    def __init__(self, workers: int) -> None:
        self._started = _Spawning()
        context: Any = self._started
        super().__init__(workers, mp_context=context, initializer=_die_with_parent)
        self.slots = workers

    def abandon(self) -> None:
        for process in self._started.processes:
            process.terminate()


class _Spawning:
    """The context of spawned processes, with a list of those that it has made."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self.processes: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802, the context's own name
        process = self._context.Process(*args, **kwargs)
        self.processes.append(process)
        return process


def _local(workers: int) -> Pool:
    # Fresh processes with one BLAS thread each: more threads would compete for the cores.
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        pool = _Processes(workers)
        for started in [pool.submit(os.getpid) for _ in range(workers)]:
            started.result()
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
    return pool


def _die_with_parent() -> None:
    """Make a worker end when its parent is gone, even if killed; at Ctrl-C without output."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(1))
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _dask(scheduler: str | None) -> Pool:
    if scheduler is None:
        raise InvalidInput(
            "expected the address of a Dask scheduler, got none; start `dask scheduler` and "
            "`dask worker`, and give scheduler='tcp://host:8786'"
        )
    try:
        from distributed import Client
    except ImportError as missing:
        raise MissingExtra.of("distributed", "the Dask engine", "dask") from missing
    connect: Any = Client
    return _Dask(connect(scheduler, set_as_default=False))


class _Dask(Pool):
    """A Dask cluster that repeats the work of workers that die.

    Dask's own executor reads a task's status after its result; a worker that dies in between
    turns the result into an error. Here the result itself decides.
    """

    far = True

    def __init__(self, client: Any) -> None:
        self._client = client
        self._given: dict[Any, Future[Any]] = {}  # Dask forgets tasks that nobody holds
        self.slots = max(sum(client.nthreads().values()), 32)  # more workers may come

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        task = self._client.submit(fn, *args, pure=False, retries=3, **kwargs)
        future: Future[Any] = Future()
        self._given[task] = future
        future.add_done_callback(lambda done: task.cancel() if done.cancelled() else None)
        task.add_done_callback(lambda done: self._pass_on(done, future))
        return future

    def _pass_on(self, task: Any, future: Future[Any]) -> None:
        """Hand the outcome of a task to the future that was given for it."""
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(task.result())
            except BaseException as failure:  # CancelledError is no Exception
                future.set_exception(failure)
        del self._given[task]

    def raise_flag(self, name: str) -> None:
        from distributed import Event

        flag: Any = Event
        flag(name, client=self._client).set()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if cancel_futures:
            self._client.cancel(list(self._given))
        elif wait:
            wait_for(list(self._given.values()))
        self._client.close()
