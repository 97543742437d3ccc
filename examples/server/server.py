#!/usr/bin/env python3
"""A small web server under load, simulated: prints the 99th percentile of its latency.

    python examples/server/server.py --threads 16 --cache-mb 512 --gc g1

Requests arrive at random and wait for a free thread. One that the cache does not hold waits for
the disk, whose times have a heavy tail. The garbage collector sometimes stops all threads, for
longer if more is cached. More threads hide the time of the disk but compete for the cores.

Some measurements are outliers. Sometimes another program takes the cores, and the run is several
times too slow. If the queue overflows, the load generator may lose its connections and report the
few requests that it saw: the worst servers can look like the best. A cache that is too large for
the machine ends in exit code 137.

Pure standard library; a run takes about a tenth of a second. ``STOIC_SEED`` seeds it.
"""

from __future__ import annotations

import argparse
import heapq
import math
import os
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

REQUESTS = 6000
RATE = 1.0  # requests per millisecond
CORES = 8
MEMORY = 4800  # MB
PATIENCE = 200.0  # ms after which a client gives up, and is counted with that


@dataclass(frozen=True)
class Collector:
    """A garbage collector: how often it stops the world, for how long, and what it costs."""

    every: float  # ms between pauses
    pause: float  # ms of a pause
    per_mb: float  # ms more for each MB that is cached
    cpu: float  # factor of all work
    memory: float  # factor of the cache


COLLECTORS = {
    "g1": Collector(300.0, 2.0, 0.012, 1.0, 1.15),
    "zgc": Collector(150.0, 0.5, 0.006, 1.25, 1.35),
    "parallel": Collector(600.0, 4.0, 0.02, 0.92, 1.05),
}


@dataclass(frozen=True)
class Config:
    """What can be set."""

    threads: int
    cache_mb: int
    gc: str

    @property
    def memory(self) -> float:
        """MB that the server needs."""
        return 350 + 20 * self.threads + self.cache_mb * COLLECTORS[self.gc].memory


@dataclass(frozen=True)
class Run:
    """What a run was like."""

    latencies: list[float]  # ms, by arrival

    @property
    def given_up(self) -> float:
        """The share of clients that got no answer in time."""
        return sum(latency >= PATIENCE for latency in self.latencies) / len(self.latencies)

    @property
    def p99(self) -> float:
        """The 99th percentile of the latency, in ms."""
        return sorted(self.latencies)[math.ceil(0.99 * len(self.latencies)) - 1]


def simulate(config: Config, rng: random.Random, slowdown: float = 1.0) -> Run:
    """Serve all requests, first come first served."""
    gc = COLLECTORS[config.gc]
    hits = 0.98 - 0.9 * math.exp(-((config.cache_mb / 450.0) ** 0.8))
    crowd = 1.0 + 0.03 * max(config.threads - CORES, 0)
    cpu = slowdown * gc.cpu * crowd * 2.2  # ms
    arrivals = _arrivals(rng)
    pauses = _pauses(gc, config.cache_mb, arrivals[-1], rng)
    begin, end = next(pauses)
    free = [0.0] * config.threads  # when each thread is free again: a heap
    latencies: list[float] = []
    awake = 0.0  # when the last pause ended
    for arrived in arrivals:
        start = max(arrived, heapq.heappop(free), awake)
        while start >= begin:  # all threads are stopped
            start = awake = max(start, end)
            begin, end = next(pauses)
        busy = 1 + sum(until > start for until in free)
        work = cpu * rng.uniform(0.5, 1.5) * max(1.0, 0.35 * busy / CORES)
        disk = 0.0 if rng.random() < hits else 6.0 * rng.paretovariate(2.0)
        done = start + work + disk * (1.0 + busy / 32)
        heapq.heappush(free, done)
        latencies.append(min(done - arrived, PATIENCE))
    return Run(latencies)


def _arrivals(rng: random.Random) -> list[float]:
    now, times = 0.0, []
    for _ in range(REQUESTS):
        now += rng.expovariate(RATE)
        times.append(now)
    return times


def _pauses(
    gc: Collector, cache_mb: int, until: float, rng: random.Random
) -> Iterator[tuple[float, float]]:
    """Begin and end of each pause, in order; their lengths have a heavy tail."""
    now = 0.0
    while now < 100 * until:
        now += rng.expovariate(1.0 / gc.every)
        begin = now
        now += (gc.pause + gc.per_mb * cache_mb) * rng.paretovariate(3.0)
        yield begin, now
    yield math.inf, math.inf


def measure(config: Config, rng: random.Random) -> float:
    """The measured p99, sometimes an outlier. `MemoryError` if the machine is too small."""
    if rng.random() < 1.0 / (1.0 + math.exp((MEMORY - config.memory) / 60.0)):
        raise MemoryError
    slowdown = rng.uniform(2.5, 5.0) if rng.random() < 0.04 else 1.0  # another program
    run = simulate(config, rng, slowdown)
    if run.given_up > 0.1 and rng.random() < 0.15:  # the load generator lost its connections
        return rng.uniform(0.2, 0.5)
    return run.p99


def main() -> int:
    """Measure once, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--cache-mb", type=int, required=True)
    parser.add_argument("--gc", choices=list(COLLECTORS), required=True)
    given = parser.parse_args()
    config = Config(given.threads, given.cache_mb, given.gc)
    try:
        p99 = measure(config, random.Random(os.environ.get("STOIC_SEED")))
    except MemoryError:
        print("server killed: out of memory", file=sys.stderr)
        return 137
    print(f"{REQUESTS} requests at {1000 * RATE:g} a second")
    print(f"p99 latency: {p99:.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
