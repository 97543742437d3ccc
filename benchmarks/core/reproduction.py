"""The pages of all reproductions, from results at full size.

    time stoic reproduce --all --out results
    python benchmarks/core/reproduction.py results [--clock SECONDS --where TEXT]

Checks the results again and writes ``docs/reproduction``: an overview with one row for each figure
or table, a page for each experiment with its claims, figures and small summaries, and a page on
real data. The counts are also written into the page on bandits. An experiment without results is
listed as not run, and its own page is left as it is. Without any results nothing is written. With
``--clock``, the time that the first command took by the clock, the overview states it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.real_page import first_row, real_page
from core.reproduction_pages import (
    Checked,
    Seconds,
    checked,
    experiment_page,
    insert,
    overview,
    seconds,
    spent,
    tallies,
)
from stoic.lab.experiments.catalogue import CATALOGUE, Reproduction
from stoic.lab.experiments.catalogue.choice import Setting
from stoic.lab.experiments.catalogue.real import SCALES, real_settings
from stoic.lab.experiments.publish import publish
from stoic.lab.experiments.results import Results

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("summary.csv", "curves.csv")


def main() -> None:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"))
    parser.add_argument("--into", type=Path, default=ROOT, help="a copy of the project's folder")
    parser.add_argument("--clock", type=float, help="seconds of the run, by the clock")
    parser.add_argument("--where", default="", help='such as "on 2 cores"')
    asked = parser.parse_args()
    print(write_pages(asked.results, asked.into, asked.clock, asked.where))


def write_pages(
    results_folder: Path, root: Path, clock: float | None = None, where: str = ""
) -> str:
    """Write all pages of a project's folder; the counts in words."""
    pages = root / "docs" / "reproduction"
    found: list[Checked] = []
    used: Seconds = {}
    measured: list[Setting] = []
    for entry in CATALOGUE.values():
        folder = results_folder / entry.name
        if not (folder / "curves.parquet").exists():
            found.append(Checked(entry))
            continue
        results = Results.load(folder)
        claims = entry.check(results)
        publish(folder, results, entry, claims=claims, command=f"stoic reproduce {entry.name}")
        one = checked(entry, results, (folder / "summary.csv").read_text(encoding="utf-8"))
        found.append(one)
        used |= seconds(results)
        measured += real_settings(results) if entry.name in SCALES else []
        keep(entry, folder, pages / entry.name)
        write(pages / entry.name / "README.md", experiment_page(one))
        print(f"{entry.name}: {one.verdict}", flush=True)
    if not used:
        raise SystemExit(f"expected results of experiments in {results_folder}, got none")
    if measured:
        write(pages / "real" / "README.md", real_page(measured))
    more = first_row(measured) if measured else ""
    cost = spent(sum(used.values()) / 3600.0, clock, where)
    write(pages / "README.md", overview(found, cost, more))
    bandits = root / "docs" / "understand" / "bandits.md"
    write(bandits, insert(bandits.read_text(encoding="utf-8"), tallies(found)))
    return tallies(found)


def keep(entry: Reproduction, folder: Path, target: Path) -> None:
    """Copy figures and summaries beside the page."""
    target.mkdir(parents=True, exist_ok=True)
    figures = [f"{kind}.{ending}" for kind in entry.figures for ending in ("svg", "png")]
    for name in (*KEPT, *figures):
        shutil.copyfile(folder / name, target / name)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
