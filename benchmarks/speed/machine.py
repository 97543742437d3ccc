"""One BLAS thread, and what the figures were taken on. Imported before numpy is."""

from __future__ import annotations

import os

os.environ.update(
    OMP_NUM_THREADS="1",
    OPENBLAS_NUM_THREADS="1",
    MKL_NUM_THREADS="1",
    BLIS_NUM_THREADS="1",
    VECLIB_MAXIMUM_THREADS="1",
)

import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import numpy as np
import scipy

ROOT = Path(__file__).resolve().parents[2]


def _line(path: str, start: str) -> str:
    """What stands behind the colon of the first such line of a file of /proc."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return "unknown"
    found = (line.partition(":")[2].strip() for line in lines if line.startswith(start))
    return next(found, "unknown")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _blas() -> str:
    config = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def facts() -> dict[str, str]:
    """The machine, the versions and the commit, by name."""
    memory = _line("/proc/meminfo", "MemTotal").split()
    changed = " and uncommitted changes" if _git("status", "--porcelain", "src") else ""
    return {
        "CPU": _line("/proc/cpuinfo", "model name"),
        "cores": str(os.cpu_count()),
        "memory": f"{int(memory[0]) / 2**20:.1f} GiB" if memory[0].isdigit() else "unknown",
        "load": " ".join(f"{x:.2f}" for x in os.getloadavg()) + " at the start",
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "BLAS": f"{_blas()}, one thread",
        "Numba": _version("numba"),
        "commit": (_git("rev-parse", "--short", "HEAD") or "unknown") + changed,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
