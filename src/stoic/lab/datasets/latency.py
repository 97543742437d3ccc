"""Round-trip times between the nodes of the Seattle network."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stoic.checks import Array, IntArray, integer
from stoic.errors import InvalidInput
from stoic.lab.datasets.files import PathArgument, Source, read_rows, read_table

__all__ = ["RoundTrips", "seattle_rtt"]

NODES = 99
_DAMAGE = (OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile, zlib.error)
SOURCE = Source(
    folder="seattle_rtt",
    expected="the files SeattleData_1 … SeattleData_688 (99 × 99 numbers, comma-separated), or an "
    ".npz with rtt_cs (slices × 99 × 99, in hundredths), or source<n>.csv (header n0, n1, …)",
    origin="uofa-rzhu3/NetLatency-Data on GitHub, folder Seattle",
)


@dataclass(frozen=True, eq=False)
class RoundTrips:
    """Round-trip times from one node to all others.

    Attributes
    ----------
    source
        The node that measures.
    destinations
        The other nodes' numbers.
    rtt
        (time slices, destinations), probably in seconds; resolution 0.01.
    """

    source: int
    destinations: IntArray
    rtt: Array


def seattle_rtt(path: PathArgument = None, source: int = 28) -> RoundTrips:
    """Round-trip times from a node to the 98 others, 688 times: heavy-tailed, and correlated.

    The record is a time series (lag-1 autocorrelation about 0.8). Resample its rows for a
    stochastic problem, or replay them in order for a problem that changes over time.

    Parameters
    ----------
    path
        The publisher's folder of ``SeattleData_*`` files, an ``.npz`` of all of them, a CSV file
        of one source, or a folder with any of these; None for the folder ``seattle_rtt`` under
        ``STOIC_DATA``.
    source
        The node, 0 … 98.

    References
    ----------
    R. Zhu, B. Liu, D. Niu, Z. Li, H. V. Zhao. Network Latency Estimation for Personal Devices: a
    Matrix Completion Approach. IEEE/ACM Transactions on Networking 25 (2017) 724–737.
    """
    integer(source, "source", at_least=0, at_most=NODES - 1)
    location = SOURCE.require(path)
    if location.is_file():
        return _of_csv(location, source) if location.suffix == ".csv" else _of_npz(location, source)
    archives = sorted(location.glob("*.npz"))
    if archives:
        return _of_npz(archives[0], source)
    if (location / f"source{source}.csv").is_file():
        return _of_csv(location / f"source{source}.csv", source)
    slices = [*location.glob("SeattleData_*"), *location.glob("Seattle/SeattleData_*")]
    if slices:
        return _of_slices(slices, source)
    raise SOURCE.missing(location)


def _of_npz(file: Path, source: int) -> RoundTrips:
    try:
        with file.open("rb") as opened, np.load(opened) as archive:
            hundredths = archive["rtt_cs"]
    except _DAMAGE as cause:
        raise InvalidInput(
            f"expected {file} with an array rtt_cs, got {type(cause).__name__}: {cause}; "
            "fetch it again"
        ) from cause
    shape = hundredths.shape
    if hundredths.dtype.kind not in "iu" or len(shape) != 3 or shape[1:] != (NODES, NODES):
        raise InvalidInput(
            f"expected rtt_cs in {file} as whole numbers (slices, {NODES}, {NODES}), "
            f"got {hundredths.dtype} {shape}; fetch it again"
        )
    return _without_itself(hundredths[:, source, :] / 100.0, source)


def _of_csv(file: Path, source: int) -> RoundTrips:
    table = read_table(file)
    destinations = [int(name[1:]) if name[1:].isdecimal() else -1 for name in table.names]
    if min(destinations) < 0 or source in destinations:
        raise InvalidInput(
            f"expected columns n0, n1, … without n{source} in {file}, the destinations of source "
            f"{source}, got {', '.join(table.names[:5])}, …; pass the file's own source"
        )
    _check(file, table.values)
    return RoundTrips(source, np.array(destinations), table.values)


def _of_slices(files: list[Path], source: int) -> RoundTrips:
    def slice_number(file: Path) -> int:
        digits = file.name.partition("_")[2]
        if not digits.isdecimal():
            raise InvalidInput(f"expected files SeattleData_<number>, got {file}; remove it")
        return int(digits)

    rtt = np.empty((len(files), NODES))
    for i, file in enumerate(sorted(files, key=slice_number)):
        rows = read_rows(file)
        try:
            if len(rows) != NODES:
                raise ValueError(f"{len(rows)} lines")
            rtt[i] = [float(cell) for cell in rows[source][1]]
        except ValueError as cause:
            raise InvalidInput(
                f"expected {NODES} lines of {NODES} numbers in {file}, got {cause} "
                f"(line {source + 1} is read); fetch it again"
            ) from cause
        _check(file, rtt[i])
    return _without_itself(rtt, source)


def _check(file: Path, rtt: Array) -> None:
    if not (np.isfinite(rtt) & (rtt >= 0.0)).all():
        raise InvalidInput(f"expected times ≥ 0 in {file}, got {rtt.min():g}; fetch it again")


def _without_itself(rtt: Array, source: int) -> RoundTrips:
    others = np.delete(np.arange(NODES), source)
    return RoundTrips(source, others, rtt[:, others])
