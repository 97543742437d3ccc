"""How fast the live page is in a real browser: first paint, and updates, by the number of trials.

    python benchmarks/server/page.py [--trials 10000] [--updates 12]

Makes a study with so many trials, serves it, opens its page, and tells further trials while the
page is open, over HTTP as its workers do. Prints, in milliseconds: the server's time for the page,
the first paint and the first drawn chart after the navigation began, also of the first visit, when
the server has no figure yet; and for updates the time that the page's thread was busy, and the time
from the acknowledged value to the new trial and counts, and to the new figures of the model.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import stoic
from helpers.browsing import MISSING, Watched, browser, opened
from helpers.service import serving
from stoic import Study
from stoic.remote import RemoteStudy

SPACE = {"threads": (1, 64, "log"), "cache": (16, 4096, "log"), "gc": ["g1", "zgc", "parallel"]}
_LONG = """new PerformanceObserver(list => {
  for (const task of list.getEntries()) (window.busy ??= []).push(task.duration);
}).observe({type: "longtask", buffered: true});"""
_PAINT = """performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN"""
_SERVER = """performance.getEntriesByType("navigation")[0].responseEnd"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--updates", type=int, default=12)
    parser.add_argument("--store", type=Path, help="of an earlier call, to be used again")
    given = parser.parse_args()
    if MISSING:
        raise SystemExit(MISSING)
    with tempfile.TemporaryDirectory() as folder:
        path = given.store or Path(folder) / "studies.db"
        study = filled(path, given.trials)
        with (
            study,
            serving(path) as service,
            stoic.connect(service.url, study.name) as remote,
        ):
            measure(f"{service.url}/studies/{study.uid}", remote, given.updates)


def filled(path: Path, n: int) -> Study:
    """A study with so many trials, one of twenty of them an outlier."""
    rng = np.random.default_rng(1)
    study = Study(path, space=SPACE, direction="minimize", method="random", objective="latency")
    for i in range(study.finished, n):
        trial = study.ask()
        if i % 50 == 49:
            study.fail(trial, "exit code 1: out of memory")
        else:
            study.tell(trial, value(rng, **trial.params))
    return study


def value(rng: np.random.Generator, threads: int, cache: int, gc: str) -> float:
    """A latency with outliers of both sides."""
    true = 50.0 + 20.0 * (math.log(threads) - 2.5) ** 2 + 5.0 * (math.log(cache) - 6.0) ** 2
    y = true + {"g1": 5.0, "zgc": 0.0, "parallel": 12.0}[gc] + 4.0 * rng.standard_normal()
    return float(y * (rng.choice([0.3, 5.0, 20.0]) if rng.random() < 0.05 else 1.0))


def measure(url: str, study: RemoteStudy, updates: int) -> None:
    """Open the page, tell values, and print the times."""
    rng = np.random.default_rng(2)
    with browser() as started:
        with opened(started, url) as first:  # lets the server compute the first snapshot
            first_paint = first.page.evaluate(_PAINT)
            shown(first, study.finished)
            first.page.wait_for_selector("#part-answer:has-text('estimated at')", timeout=60_000)
            first_figures = first.page.evaluate("performance.now()")
        with opened(started, "about:blank") as seen:
            seen.page.add_init_script(_LONG)
            seen.page.goto(url)
            shown(seen, study.finished)
            paint, server = seen.page.evaluate(_PAINT), seen.page.evaluate(_SERVER)
            chart = seen.page.evaluate("performance.getEntriesByName('stoic-chart')[0].startTime")
            busy, rows_, late = [], [], []
            for _ in range(updates):
                seen.page.evaluate("window.busy = []; performance.clearMeasures('stoic-draw')")
                trial = study.ask()
                study.tell(trial, value(rng, **trial.params))
                began, n = time.perf_counter(), study.finished
                seen.page.wait_for_selector(f"#part-status:has-text('{n:,} evaluations')")
                rows_.append(1e3 * (time.perf_counter() - began))
                seen.page.wait_for_selector(f'#chart[data-n="{n}"]', timeout=120_000)
                late.append(1e3 * (time.perf_counter() - began))
                seen.page.wait_for_timeout(300)
                tasks = seen.page.evaluate(
                    "[0, ...window.busy, ...performance.getEntriesByName('stoic-draw')"
                    ".map(each => each.duration)]"
                )
                busy.append(max(tasks))
    print(f"{study.finished:,} evaluations, milliseconds")
    rows = (
        ("first visit, first paint", [first_paint]), ("first visit, all figures", [first_figures]),
        ("page from the server", [server]), ("first paint", [paint]), ("chart drawn", [chart]),
        ("busy, of an update", busy), ("value until new trial", rows_),
        ("value until new figures", late),
    )  # fmt: skip
    for name, times in rows:
        most = f" (median), {max(times):.0f} (most)" if len(times) > 1 else ""
        print(f"  {name:<26}{statistics.median(times):8.0f}{most}")


def shown(seen: Watched, evaluations: int) -> None:
    """Wait until chart and figures are of so many evaluations."""
    seen.page.wait_for_selector(f'#chart[data-n="{evaluations}"]', timeout=120_000)
    seen.page.wait_for_selector(f"#part-status:has-text('{evaluations:,} evaluations')")


if __name__ == "__main__":
    main()
