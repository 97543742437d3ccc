"""How close a tuning run of the simulated server came to the truth.

    python -m examples.server.compare STORE [--name server] [--report FILE.html]

Reads the study that ``stoic tune`` made, works out what its answer and its luckiest measurement
truly give (see ``truth.py``), and whether its verdict is true; prints it, and writes the report
with the comparison in it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from examples.server import truth
from examples.server.server import Config

import stoic
from stoic.optimize import Verdict
from stoic.report import write_report

TRUE = ("params", "value", "at_best", "at_luckiest", "at_baseline", "at_challenger")
COMMAND = "stoic tune --space examples/server/server.toml"


def main() -> None:
    """Compare, print, write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--name", default="server")
    parser.add_argument("--report", type=Path, default=Path("server.html"))
    given = parser.parse_args()
    with stoic.Study(given.store, given.name) as study:
        result = study.result()
        asked = [trial.asked for trial in study.trials]
        told = [trial.told for trial in study.trials if trial.told is not None]
    if result.best is None or result.luckiest is None:
        raise SystemExit("no trial gave a value, so there is nothing to compare")
    known = truth.known()
    known["at_best"] = truth.average(Config(**result.best.params))
    known["at_luckiest"] = truth.average(Config(**dict(result.luckiest.trial.params)))
    found = result.verdict
    if found is not None and found.params is not None and result.baseline is not None:
        known["at_challenger"] = truth.average(Config(**found.params))
        known["at_baseline"] = truth.average(Config(**result.baseline))
    print_comparison(known)
    print_verdict(found, known)
    path = write_report(
        result,
        given.report,
        title="Server demo",
        command=COMMAND,
        started=min(asked),
        seconds=max(told) - min(asked),
        truth={key: known[key] for key in TRUE if key in known},
    )
    print(f"report     {path.resolve()}")


def print_comparison(known: dict[str, Any]) -> None:
    """Print the comparison."""
    value = known["value"]
    where = ", ".join(f"{name}={setting}" for name, setting in known["params"].items())
    print("\nThe truth about this simulated server is known:")
    print(f"  {'the best there is':<30}{value:6.1f} ms ({where})")
    claims = {"at_best": "the answer above", "at_luckiest": "the luckiest measurement's"}
    for key, who in claims.items():
        off = max(100 * (known[key] / value - 1), 0.0)
        print(f"  {who:<30}{known[key]:6.1f} ms, {off:.0f} % above the best")


def print_verdict(found: Verdict | None, known: dict[str, Any]) -> None:
    """Print whether the verdict is true, and whether its interval holds the true difference."""
    if found is None or "at_baseline" not in known:
        return
    new, old = known["at_challenger"], known["at_baseline"]
    print(f"  {'the baseline':<30}{old:6.1f} ms")
    true = "better" if new < old else "worse"
    right = {true: "true", "not shown to be better": "no claim"}.get(found.word, "false")
    low, high = found.interval
    holds = "holds" if low <= new - old <= high else "misses"
    print(
        f"The verdict, {found.word!r}, is {right}: the difference is {new - old:.1f} ms, and the "
        f"90% interval, {low:.1f} to {high:.1f} ms, {holds} it."
    )


if __name__ == "__main__":
    main()
