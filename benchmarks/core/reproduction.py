"""The page of all reproductions, from results at full size.

    stoic reproduce --all --out results
    python benchmarks/core/reproduction.py results

Checks the results again and writes ``docs/reproduction``: a table of each paper's claims, our
results and whether they agree, with each experiment's figures and small summaries. Without any
results it stops and leaves the page unchanged.
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from pathlib import Path

from stoic.lab.experiments.catalogue import CATALOGUE, CheckedClaim, Reproduction
from stoic.lab.experiments.publish import publish
from stoic.lab.experiments.results import Results

PAGE = Path(__file__).parents[2] / "docs" / "reproduction"
AGREES = {True: "yes", False: "**no**", None: "within chance"}  # unless it was not tested
KEPT = ("summary.csv", "curves.csv")


def main() -> None:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"))
    results_folder: Path = parser.parse_args().results
    lines = ["# What the papers found, and what we found", "", INTRODUCTION, ""]
    seconds, counts = 0.0, Counter[str]()
    for entry in CATALOGUE.values():
        folder = results_folder / entry.name
        if not (folder / "curves.parquet").exists():
            print(f"{entry.name}: no results")
            continue
        results = Results.load(folder)
        claims = entry.check(results)
        counts.update(claim.word for claim in claims)
        publish(folder, results, entry, claims=claims, command=f"stoic reproduce {entry.name}")
        spent = cpu_seconds(results)
        seconds += 0.0 if entry.name in SHARED else spent
        lines += section(entry, claims, keep(entry, folder), spent)
        print(entry.name, dict(Counter(claim.word for claim in claims)), flush=True)
    if not counts:
        raise SystemExit(f"expected results of experiments in {results_folder}, got none")
    total = (
        f"Of {counts.total()} claims {counts['holds']} hold, {counts['does not hold']} do not, and "
        f"{counts['is not settled']} are within chance. {untested(counts)}"
        f"Everything took {seconds / 3600:.2f} "
        f"hours of CPU time, {seconds / 7200:.2f} hours on two cores."
    )
    lines[3:3] = ["", total]
    (PAGE / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(total)


INTRODUCTION = (
    "Every experiment at the paper's full size; `stoic reproduce NAME` runs one again. *Agrees* is "
    "the result of a check in `src/stoic/lab/experiments/catalogue`, never a visual impression; "
    "numbers after ± are standard deviations over trials, brackets 95 % bootstrap intervals of "
    "paired differences. The papers' figures are compared by order and shape, since their numbers "
    "are not printed. "
    "*Why not* is our explanation, written by hand."
)
SHARED = ("bogunovic2022/fig1", "park2024/table1")  # runs of other experiments


def untested(counts: Counter[str]) -> str:
    """How many claims were not tested, if any."""
    known = counts["holds"] + counts["does not hold"] + counts["is not settled"]
    left = counts.total() - known
    return f"{left} {'was' if left == 1 else 'were'} not tested. " if left else ""


def cpu_seconds(results: Results) -> float:
    """CPU time of all runs."""
    return float(sum(curve.end.sum() for curve in results.curves("seconds", "seconds")))


def keep(entry: Reproduction, folder: Path) -> list[str]:
    """Copy figures and summaries; the figures' paths within the page's folder."""
    target = PAGE / entry.name
    target.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        shutil.copyfile(folder / name, target / name)
    for kind in entry.figures:
        for ending in ("svg", "png"):
            shutil.copyfile(folder / f"{kind}.{ending}", target / f"{kind}.{ending}")
    return [f"{entry.name}/{kind}" for kind in entry.figures]


def section(
    entry: Reproduction, claims: list[CheckedClaim], figures: list[str], seconds: float
) -> list[str]:
    """One experiment: its setting, the table of claims, its figures."""
    lines = [
        f"## {entry.name}: {entry.title}",
        "",
        f"{entry.source}. {entry.setting}",
        "",
        "| claim | ours | agrees | why not |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {cell(claim.says)} | {cell(claim.figures)} | "
        f"{claim.untested or AGREES[claim.holds]} | {cell(claim.why)} |"
        for claim in claims
    ]
    lines.append("")
    for figure in figures:
        lines += [f"![{entry.title}]({figure}.png)", ""]
    lines += [
        f"[final figures]({entry.name}/summary.csv), [curves]({entry.name}/curves.csv), "
        + ", ".join(f"[{Path(figure).name}.svg]({figure}.svg)" for figure in figures)
        + f"; {seconds:.0f} s of CPU time.",
        "",
    ]
    return lines


def cell(text: str) -> str:
    """Text that does not end a table's cell."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
