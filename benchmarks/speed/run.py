"""Every comparison of speed, in one command, on one BLAS thread.

    python benchmarks/speed/run.py [--only a,c] [--quick] [--full] [--peers PYTHON] [--out FILE]

    a   1-D RKHS, 1000 arms, T = 1000: GP-UCB, TGP-UCB, CA-TGP-UCB, MoM-GP-UCB vs the papers' cost
    b   2-D Griewank, 400 arms, likewise
    c   5-D Griewank, 5000 arms, likewise
    d   ATA-GP-UCB (Nyström, QFF) on a vs its paper's cost, and vs our own GP-UCB
    e   BKB, 1000 arms in 3-D, T = 2000, vs its paper's cost
    f   GP-UCB near t = 1000 vs BoTorch and scikit-learn (install_peers.sh makes their venv)
    g   the whole Table 1 of park2024, T = 10⁴ (also as --table1)
    h   cost of a round against t, A and m: fitted exponents
    i   a million arms in 5-D vs one streaming pass over the feature matrix

``--only`` chooses parts. ``--quick`` is a short form of everything, about a minute, to see that it
runs; its figures mean nothing. ``--full`` times the papers' way on every round instead of 20 evenly
spaced ones. ``--peers`` is a Python with BoTorch and scikit-learn, by default .venv-peers's.
The report goes to benchmarks/results/speed.md, or to ``--out``; a run of some parts or a
quick one is only printed, unless ``--out`` is given.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from speed import machine  # isort: skip  before numpy is imported

import argparse
import time
from collections.abc import Callable

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from speed import compare
from speed.exponents import exponents
from speed.libraries import libraries
from speed.many_arms import many_arms
from speed.report import Options, Section, table
from speed.table1 import table1

PARTS: dict[str, Callable[[Options], Section]] = {
    "a": compare.one_dimension,
    "b": compare.two_dimensions,
    "c": compare.five_dimensions,
    "d": compare.quadrature_and_nystrom,
    "e": compare.bkb,
    "f": libraries,
    "g": table1,
    "h": exponents,
    "i": many_arms,
}
RESULT = machine.ROOT / "benchmarks" / "results" / "speed.md"
PARTS_BELOW = "# Part by part\n"
PEERS = machine.ROOT / ".venv-peers" / "bin" / "python"


def arguments() -> argparse.Namespace:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--only", default="", help="a,b,…: only these parts")
    parser.add_argument("--table1", action="store_true", help="the same as --only g")
    parser.add_argument("--quick", action="store_true", help="a short form of everything")
    parser.add_argument("--full", action="store_true", help="the papers' way on every round")
    parser.add_argument("--peers", type=Path, default=PEERS if PEERS.exists() else None)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    args.parts = args.only.split(",") if args.only else list("g" if args.table1 else PARTS)
    if strange := sorted(set(args.parts) - set(PARTS)):
        parser.error(f"expected parts among {', '.join(PARTS)}, got {', '.join(strange)}")
    if args.peers is not None and not args.peers.exists():
        parser.error(f"expected --peers as a Python of install_peers.sh, got {args.peers}")
    return args


def write(args: argparse.Namespace, sections: list[Section], facts: dict[str, str]) -> str:
    """The whole report."""
    given = [f"--only {','.join(args.parts)}"] if len(args.parts) < len(PARTS) else []
    given += [f"--{word}" for word in ("quick", "full") if getattr(args, word)]
    goals = [goal.row() for section in sections for goal in section.goals]
    if args.quick:
        goals = [[*row[:-1], "–"] for row in goals]
    lines = [
        "# Speed",
        "",
        f"`{' '.join(['python benchmarks/speed/run.py', *given])}`",
        *(["A short form, to see that it runs: its figures mean nothing."] if args.quick else []),
        "",
        *(f"- {name}: {value}" for name, value in facts.items()),
        "",
        "## Goals",
        "",
        table(["work", "baseline", "goal", "measured", "met"], goals),
        PARTS_BELOW,
        *(section.text() for section in sections),
    ]
    return "\n".join(lines)


def main() -> None:
    args = arguments()
    start, sections, facts = time.perf_counter(), [], machine.facts()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn()) as bar:
        line = bar.add_task("", total=len(args.parts))
        options = Options(
            quick=args.quick,
            full=args.full,
            peers=args.peers,
            tick=lambda words: bar.update(line, description=words),
        )
        for part in args.parts:
            section = PARTS[part](options)
            bar.console.print(section.text(), markup=False, soft_wrap=True)
            sections.append(section)
            bar.advance(line)
    facts["took"] = f"{(time.perf_counter() - start) / 60:.0f} min"
    text = write(args, sections, facts)
    print(text.partition(PARTS_BELOW)[0])
    whole = not args.quick and len(args.parts) == len(PARTS)
    if args.out or whole:
        out = args.out or RESULT
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
        print(f"wrote {out}", file=sys.stderr)


if __name__ == "__main__":
    main()
