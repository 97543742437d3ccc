"""Optuna's gRPC proxy in front of a SQLite storage, with workers that ask and tell: a peer to load.

``python benchmarks/server/peer.py [--seconds 60] [--clients 8]``; needs optuna and grpcio, and says
so where they are absent. Random suggestions, each worker a process, as Optuna recommends.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from statistics import quantiles
from typing import Any

__all__ = ["measured"]

_SERVER = """
import sys
from optuna.storages import RDBStorage, run_grpc_proxy_server
run_grpc_proxy_server(RDBStorage(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]))
"""
_START_SECONDS = 60.0


def missing() -> list[str]:
    """Packages that are not installed."""
    return [name for name in ("optuna", "grpc") if importlib.util.find_spec(name) is None]


def _study(port: int) -> Any:
    import optuna

    warnings.simplefilter("ignore")  # the proxy is experimental
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.GrpcStorageProxy(host="127.0.0.1", port=port)
    sampler = optuna.samplers.RandomSampler()
    return optuna.create_study(
        study_name="load", storage=storage, sampler=sampler, load_if_exists=True
    )


def _work(port: int, seconds: float, results: Any) -> None:
    """One worker: ask, evaluate in no time, tell."""
    study = _study(port)
    taken: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        began = time.perf_counter()
        trial = study.ask()
        x = trial.suggest_float("x", 0.0, 1.0) + trial.suggest_float("y", 0.0, 1.0)
        trial.suggest_int("threads", 1, 64)
        trial.suggest_categorical("gc", ["g1", "zgc", "shenandoah"])
        study.tell(trial, x)
        taken.append(time.perf_counter() - began)
    results.put(taken)


def measured(clients: int, seconds: float) -> dict[str, Any]:
    """Rounds a second, and how long one takes."""
    absent = missing()
    if absent:
        return {"run": "Optuna's gRPC proxy", "absent": absent}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder, 'optuna.db')}"
        server = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", _SERVER, url, str(port)],
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for(port)
            rounds = _run(port, clients, seconds)
        finally:
            server.kill()
            server.wait()
    cuts = quantiles([1000 * each for each in rounds], n=100)
    return {
        "run": f"Optuna's gRPC proxy, {clients} clients, random",
        "rounds": len(rounds),
        "rounds_per_s": round(len(rounds) / seconds, 1),
        "round_ms": {"p50": round(cuts[49], 1), "p99": round(cuts[98], 1)},
    }


def _run(port: int, clients: int, seconds: float) -> list[float]:
    context = multiprocessing.get_context("spawn")
    results: Any = context.Queue()
    _study(port)
    workers = [context.Process(target=_work, args=(port, seconds, results)) for _ in range(clients)]
    for worker in workers:
        worker.start()
    rounds = [each for _ in workers for each in results.get(timeout=seconds + 120)]
    for worker in workers:
        worker.join()
    return rounds


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("Optuna's proxy did not start")


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=8)
    given = parser.parse_args()
    print(json.dumps(measured(given.clients, given.seconds)), flush=True)


if __name__ == "__main__":
    main()
