"""Thousands of hostile requests to a server, while honest clients work.

``python benchmarks/server/hostile.py [--requests 12000] [--threads 8]`` sends the attacks of
``tests/helpers/attacks.py`` with random details, holds slow connections open meanwhile, and lets
two workers ask and tell. It prints wrong replies, faults (5xx), hangs, the server's memory, and
what the workers met; the exit code is 0 if all is well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.attacks import ATTACKS, send
from server.calling import Client, Running, serving
from stoic.study import Study

_MAX_MEGABYTES = 300
_HANG_SECONDS = 60.0
_SLOW_CONNECTIONS = 100


class Tally:
    """What the attacks met."""

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.faults = self.hangs = 0
        self.megabytes = 0.0


def attack(port: int, index: int, tally: Tally) -> None:
    """Send one attack."""
    draws = random.Random(index)
    chosen = draws.choice(ATTACKS)
    try:
        status, _ = send(port, chosen, draws, _HANG_SECONDS)
    except TimeoutError:
        tally.hangs += 1
        return
    except ConnectionError:
        status = 0  # dropped: too many connections
    tally.sent[chosen.name] += 1
    if status >= 500 and status != 503:
        tally.faults += 1
    if status not in (*chosen.right, 0, 503):
        tally.wrong[f"{chosen.name}: {status}"] += 1


def slow(port: int, ended: threading.Event) -> None:
    """Hold connections open that send a byte now and then."""
    held: list[socket.socket] = []
    while not ended.wait(0.2):
        while len(held) < _SLOW_CONNECTIONS:
            connection = socket.create_connection(("127.0.0.1", port), 10)
            connection.sendall(b"POST /v1/studies HTTP/1.1\r\nHost: localhost\r\n")
            held.append(connection)
        for connection in tuple(held):
            try:
                connection.sendall(b"X")
            except OSError:
                held.remove(connection)
                connection.close()
    for connection in held:
        connection.close()


async def honest(port: int, ended: threading.Event, met: Counter[int], waits: list[float]) -> None:
    """Ask and tell, as a worker does."""
    client = Client(port)
    while not ended.is_set():
        began = time.perf_counter()
        asked = await client.call("POST", "/v1/studies/mine:ask", {})
        met[asked.status] += 1
        if asked.status == 200:
            number = asked.data["trials"][0]["number"]
            body = {"trial": number, "value": 1.0}
            met[(await client.call("POST", "/v1/studies/mine:tell", body)).status] += 1
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(0.05)
    await client.close()


def run(server: Running, requests: int, threads: int) -> dict[str, Any]:
    """Attack a server; the figures."""
    tally, ended = Tally(), threading.Event()
    met: Counter[int] = Counter()
    waits: list[float] = []

    async def both() -> None:
        await asyncio.gather(*(honest(server.port, ended, met, waits) for _ in range(2)))

    others = [
        threading.Thread(target=slow, args=(server.port, ended)),
        threading.Thread(target=asyncio.run, args=(both(),)),
    ]
    for each in others:
        each.start()
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        for done, _ in enumerate(
            pool.map(lambda i: attack(server.port, i, tally), range(requests))
        ):
            if done % 100 == 0:
                tally.megabytes = max(tally.megabytes, server.megabytes)
    ended.set()
    for each in others:
        each.join()
    return {
        "attacks": sum(tally.sent.values()),
        "kinds": len(tally.sent),
        "seconds": round(time.perf_counter() - began, 1),
        "faults_5xx": tally.faults,
        "hangs": tally.hangs,
        "wrong_replies": dict(tally.wrong),
        "server_MB": round(max(tally.megabytes, server.megabytes), 1),
        "honest": dict(met),
        "honest_slowest_round_s": round(max(waits, default=0.0), 2),
    }


def main() -> int:
    """Run, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=12_000)
    parser.add_argument("--threads", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "studies.db")
        space = {"x": (0.0, 1.0), "n": (1, 9)}
        Study(path, "mine", space=space, direction="minimize", method="random").close()
        with serving(str(path), Path(folder, "log"), "--no-access-log") as server:
            found = run(server, given.requests, given.threads)
    print(json.dumps(found))
    well = not (found["faults_5xx"] or found["hangs"] or found["wrong_replies"])
    honest_errors = sum(count for status, count in found["honest"].items() if status != 200)
    return 0 if well and found["server_MB"] <= _MAX_MEGABYTES and not honest_errors else 1


if __name__ == "__main__":
    sys.exit(main())
