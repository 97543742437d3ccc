"""Everything that real runs meet, done to studies for long: one table of figures and bars.

    python benchmarks/study/soak.py [--scale 1.0] [--only kills,crowd,…] [--peers PYTHON]

Takes about half an hour at full scale on two cores. ``--peers`` is a Python that has Optuna,
such as .venv-peers/bin/python of benchmarks/robust/install_peers.sh; without it there is no
comparison. PostgreSQL is used where its server is installed. A short form of each part runs with
the tests. The exit code is 0 if all bars are met.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.servers import BINARIES, server
from study import crowding, filling, killing, lasting, resuming, spoiling
from study.bars import Figure, Watch, folder, watching

ROOT = Path(__file__).parents[2]

Part = Callable[[Path, float, Watch], list[Figure]]


def scaled(count: int, scale: float, least: int = 1) -> int:
    return max(least, round(count * scale))


def kills(where: Path, scale: float, watch: Watch) -> list[Figure]:
    rounds, each = killing.rounds(scaled(500, scale))
    stores = [str(where / f"kill{i}.db") for i in range(rounds)]
    figures = killing.storms(stores, each, watch, "SQLite", seed=1)
    store, trials = str(where / "large.db"), scaled(10_000, scale, 200)
    killing.large(store, where, trials)
    return figures + killing.restarts(store, scaled(100, scale, 3), watch, "SQLite", trials)


def postgres(where: Path, scale: float, watch: Watch) -> list[Figure]:
    if not (BINARIES / "initdb").exists():
        return [Figure("PostgreSQL", "no server is installed")]
    rounds, each = killing.rounds(scaled(500, scale))
    with server(sync=True) as made:
        stores = [made.fresh() for _ in range(rounds)]
        figures = killing.storms(stores, each, watch, "PostgreSQL", seed=2)
        store, trials = made.fresh(), scaled(10_000, scale, 200)
        killing.large(store, where, trials)
        return figures + killing.restarts(store, scaled(100, scale, 3), watch, "PostgreSQL", trials)


def crowd(where: Path, scale: float, watch: Watch) -> list[Figure]:
    trials = scaled(200, scale, 10)
    figures, rate = crowding.crowd(str(where / "crowd.db"), 8, trials, watch)
    if OPTIONS.peers.exists():
        figures += crowding.beside_optuna(where, OPTIONS.peers, rate, 8, trials, watch)
    else:
        figures.append(Figure("throughput beside Optuna's", f"no Python at {OPTIONS.peers}"))
    return figures


def herds(where: Path, scale: float, watch: Watch) -> list[Figure]:
    return crowding.herds(where, scaled(50, scale, 2), 32, watch)


def retries(where: Path, scale: float, watch: Watch) -> list[Figure]:
    return crowding.retries(str(where / "retries.db"), 4, scaled(200, scale, 10), watch)


def spoil(where: Path, scale: float, watch: Watch) -> list[Figure]:
    return spoiling.spoil(where, scaled(200, scale, 8), 200, watch)


def full(where: Path, scale: float, watch: Watch) -> list[Figure]:
    figures = filling.fill(where, scaled(20, scale, 2), watch)
    return figures + filling.full_file_system(where) + filling.forbid()


def resume(where: Path, scale: float, watch: Watch) -> list[Figure]:
    return resuming.resume(where, scaled(100, scale, 8), watch)


def last(where: Path, scale: float, watch: Watch) -> list[Figure]:
    return lasting.last(where, scaled(100_000, scale, 2000), watch)


PARTS: dict[str, Part] = {
    part.__name__: part
    for part in (kills, postgres, crowd, herds, retries, spoil, full, resume, last)
}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of all counts")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--peers", type=Path, default=ROOT / ".venv-peers" / "bin" / "python")
    parser.add_argument("--markdown", type=Path, help="a file to write the table to as well")
    return parser.parse_args()


def main() -> None:
    figures: list[Figure] = []
    start = time.monotonic()
    for name in OPTIONS.only.split(","):
        with folder() as where, watching() as watch:
            found = PARTS[name](where, OPTIONS.scale, watch)
        figures += found
        for each in found:
            print(f"{each.what}: {each.figure}", flush=True)
    shown(figures)
    print(f"{(time.monotonic() - start) / 60:.1f} minutes")
    if OPTIONS.markdown is not None:
        OPTIONS.markdown.write_text(markdown(figures), encoding="utf-8")
    raise SystemExit(any(each.met is False for each in figures))


def shown(figures: list[Figure]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("what", "figure", "bar", "met"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    words = {True: "yes", False: "[red]NO[/red]", None: ""}
    for each in figures:
        table.add_row(each.what, each.figure, each.bar, words[each.met])
    Console(width=120).print(table)


def markdown(figures: list[Figure]) -> str:
    words = {True: "yes", False: "**no**", None: ""}
    lines = [f"| {f.what} | {f.figure} | {f.bar} | {words[f.met]} |" for f in figures]
    system = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    head = [
        "# Studies under fire", "",
        f"`python benchmarks/study/soak.py --scale {OPTIONS.scale:g}` ({system}, "
        f"{os.cpu_count()} cores)", "",
        "| what | figure | bar | met |", "|---|---|---|---|",
    ]  # fmt: skip
    return "\n".join([*head, *lines, ""])


if __name__ == "__main__":
    OPTIONS = options()
    main()
