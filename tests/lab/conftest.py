"""Shared by the tests of the lab."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the data folders: STOIC_DATA, or a folder beside the repository."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("STOIC_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the data are not ours to ship, and there are none at {folder}: STOIC_DATA")
    return folder
