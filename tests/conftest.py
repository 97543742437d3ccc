"""Shared by all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# One thread: BLAS on two cores is slower for matrices of this size.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Whoever is started in the background ignores Ctrl-C, and so would all that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Every change meets the same examples, so that a test fails because of the change; a soak draws
# new ones each time.
settings.register_profile("test", derandomize=True, database=None, deadline=None)
settings.register_profile("soak", deadline=None, print_blob=True)
settings.load_profile("soak" if os.environ.get("STOIC_SOAK") else "test")


# Files that make quick leaves out: processes that are started and killed, servers, long runs.
SLOW = {
    "cli": {"test_lab", "test_loop", "test_start", "test_study", "test_terminal"},
    "diagnostics": {"test_diagnostics"},
    "docs": {"test_blocks"},
    "features": {"test_nystrom"},
    "integrations": {"test_ray", "test_sklearn"},
    "lab": {"test_catalogue", "test_datasets", "test_runner", "test_table_problems"},
    "loops": {"test_loops"},
    "many_arms": {"test_many_arms"},
    "optimize": {
        "test_acquisition", "test_answers", "test_fuzz", "test_replicates", "test_robustness",
        "test_suggestions", "test_units",
    },
    "policies": {"test_against_references", "test_hostile_states", "test_sampling"},
    "posterior": {"test_posterior"},
    "remote": {
        "test_calling", "test_commands", "test_faults", "test_page", "test_running", "test_study",
    },
    "report": {"test_report"},
    "runs": {"test_maximize"},
    "schedules": {"test_coverage"},
    "server": {"test_excluding", "test_hostile", "test_serving", "test_several_servers"},
    "study": {
        "test_damage", "test_faults", "test_forks", "test_hostile", "test_permissions",
        "test_presence", "test_processes", "test_resume", "test_running", "test_secrets",
        "test_trouble", "test_wal",
    },
    "surrogate": {"test_wide_categories"},
    "testing": {"test_conformance"},
    "tests": {"test_bad_input", "test_files", "test_readme", "test_state"},
    "tune": {"test_parts", "test_tune"},
}  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow files."""
    tests = Path(__file__).parent
    folders = {name: tests if name == "tests" else tests / name for name in SLOW}
    gone = [f"{n}/{f}" for n in SLOW for f in SLOW[n] if not (folders[n] / f"{f}.py").exists()]
    if gone:
        raise pytest.UsageError(f"expected files of tests in SLOW, got {', '.join(gone)}")
    for item in items:
        if item.path.stem in SLOW.get(item.path.parent.name, ()):
            item.add_marker(pytest.mark.slow)
