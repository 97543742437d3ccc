"""How long every experiment's quick form takes on one core.

    STOIC_DATA=… python benchmarks/core/quick.py [NAME …]

Each is run as a user would, ``stoic reproduce NAME --quick --workers 1``, start of the program,
figures and report included, pinned to one core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from stoic.lab.experiments.catalogue import CATALOGUE

LIMIT = 60.0


def main() -> None:
    names = sys.argv[1:] or list(CATALOGUE)
    os.sched_setaffinity(0, {0})
    slow = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            command = ["-c", "from stoic.cli import main; main()", "reproduce", name, "--quick"]
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, *command, "--workers", "1", "--out", folder],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            seconds = time.perf_counter() - start
            slow += [name] if seconds > LIMIT else []
            print(f"{name:28s} {seconds:5.1f} s", flush=True)
    print(f"over {LIMIT:.0f} s: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
