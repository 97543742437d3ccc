"""Where the data of an experiment is: made part of its settings."""

from __future__ import annotations

import os
from pathlib import Path

from stoic.lab.datasets import latency, prices, sensors, tuning
from stoic.lab.datasets.files import ROOT, Source
from stoic.lab.experiments.spec import Table

__all__ = ["located"]

SOURCES: dict[str, Source] = {
    "stocks": prices.SOURCE,
    "stock-returns": prices.SOURCE,
    "stock-means": prices.SOURCE,
    "light-sensors": sensors.SOURCE,
    "seattle-rtt": latency.SOURCE,
    "tuna": tuning.SOURCE,
}


def located(table: Table) -> Table:
    """The table of a problem with the path of its data, where ``STOIC_DATA`` leads to it.

    A run is known by its settings; with the path among them, a run on the authors' data is never
    taken for one on the stand-in.
    """
    root = os.environ.get(ROOT)
    place = (
        Path(root).expanduser() / SOURCES[table["kind"]].folder
        if root and table["kind"] in SOURCES
        else None
    )
    return {**table, "path": str(place)} if place is not None and place.exists() else table
