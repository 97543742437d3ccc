"""Ask and tell over HTTP under load: rounds a second, and how long replies take.

``python benchmarks/server/load.py [--seconds 300] [--clients 64]`` lets workers
ask for random suggestions and tell values, every reply after the disk has it; then 16 workers with
the optimiser at 200 trials. Server and workers share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from server import peer
from server.calling import Client, Running, serving

_STUDY = "/v1/studies/load"
_SPACE = ["x=0:1.0", "y=0:1.0", "threads=1:64", "gc=g1,zgc,shenandoah"]


class Times:
    """How long requests took, and what went wrong."""

    def __init__(self) -> None:
        self.asks: list[float] = []
        self.tells: list[float] = []
        self.errors: dict[int, int] = {}
        self.made: dict[str, int] = {}

    def failed(self, status: int) -> None:
        """Count an error."""
        self.errors[status] = self.errors.get(status, 0) + 1


async def work(port: int, index: int, until: float, times: Times) -> None:
    """One worker: ask, evaluate in no time, tell."""
    client, draws = Client(port), random.Random(index)
    try:
        while time.perf_counter() < until:
            began = time.perf_counter()
            asked = await client.call("POST", f"{_STUDY}:ask", {"worker": f"w{index}"})
            if asked.status != 200:
                times.failed(asked.status)
                continue
            between = time.perf_counter()
            trial = asked.data["trials"][0]
            times.made[trial["made"]] = times.made.get(trial["made"], 0) + 1
            value = _value(trial["params"], draws)
            told = await client.call(
                "POST", f"{_STUDY}:tell", {"trial": trial["number"], "value": value}
            )
            if told.status != 200:
                times.failed(told.status)
                continue
            times.asks.append(between - began)
            times.tells.append(time.perf_counter() - between)
    finally:
        await client.close()


def _value(params: dict[str, Any], draws: random.Random) -> float:
    """Something like a latency: a bowl, noise, and now and then an outlier."""
    clean = 20 * (params["x"] - 0.3) ** 2 + 10 * (params["y"] - 0.7) ** 2 + params["threads"] / 64
    return float(clean + draws.gauss(0, 0.3) + (50 if draws.random() < 0.05 else 0))


async def run(port: int, clients: int, seconds: float, method: str, first: int) -> Times:
    """Let workers call a server for some time."""
    client = Client(port)
    body = {"name": "load", "space": _SPACE, "direction": "minimize", "method": method}
    made = await client.call("POST", "/v1/studies", body)
    if made.status != 201:
        raise RuntimeError(made.body.decode())
    draws = random.Random(0)
    for _ in range(first):
        params = {"x": draws.random(), "y": draws.random(), "threads": draws.randint(1, 64),
                  "gc": draws.choice(["g1", "zgc"])}  # fmt: skip
        added = {"params": params, "value": _value(params, draws)}
        await client.call("POST", f"{_STUDY}:add", added)
    if first:  # the process that suggests is started, and has the history
        asked = await client.call("POST", f"{_STUDY}:ask", {})
        trial = asked.data["trials"][0]
        await client.call("POST", f"{_STUDY}:tell", {"trial": trial["number"], "value": 1.0})
    times, until = Times(), time.perf_counter() + seconds
    await asyncio.gather(*(work(port, index, until, times) for index in range(clients)))
    await client.close()
    return times


def report(title: str, times: Times, seconds: float, server: Running) -> dict[str, Any]:
    """The figures of a run."""
    found: dict[str, Any] = {
        "run": title,
        "rounds": len(times.tells),
        "rounds_per_s": round(len(times.tells) / seconds, 1),
        "errors": times.errors,
        "made": times.made,
        "server_MB": round(server.megabytes, 1),
        "server_cpu_s": round(server.cpu_seconds, 1),
    }
    for name, taken in (("ask", times.asks), ("tell", times.tells)):
        cuts = quantiles([1000 * each for each in taken], n=100)
        found[f"{name}_ms"] = {"p50": round(cuts[49], 1), "p99": round(cuts[98], 1)}
    print(json.dumps(found), flush=True)
    return found


def one(title: str, clients: int, seconds: float, method: str, first: int = 0) -> None:
    """One run with a new store and a new server."""
    with tempfile.TemporaryDirectory() as folder:
        store, log = str(Path(folder, "load.db")), Path(folder, "log")
        with serving(store, log) as server:
            times = asyncio.run(run(server.port, clients, seconds, method, first))
            report(title, times, seconds, server)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--only", choices=("random", "auto"))
    given = parser.parse_args()
    if given.only != "auto":
        one(f"{given.clients} clients, random", given.clients, given.seconds, "random")
    if given.only != "random":
        one("16 clients, optimiser, n=200", 16, min(given.seconds, 60.0), "auto", 200)
    if given.only is None:
        print(json.dumps(peer.measured(8, min(given.seconds, 60.0))), flush=True)


if __name__ == "__main__":
    main()
