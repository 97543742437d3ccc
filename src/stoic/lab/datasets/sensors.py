"""Light sensors of the CMU Intelligent Workplace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoic.checks import Array, finite_array
from stoic.errors import InvalidInput
from stoic.lab.datasets.files import PathArgument, Source, read_table

__all__ = ["LightSensors", "light_sensors"]

SOURCE = Source(
    folder="cmu_light_sensors",
    expected="iw_data_all.mat, or train*.csv, test*.csv and coords*.csv with a header each,",
    origin="sayakrc/Bayesian-Optimization-under-Heavy-tailed-Payoffs on GitHub, "
    "file iw_data_all.mat",
)


@dataclass(frozen=True, eq=False)
class LightSensors:
    """Uncalibrated light levels, and the positions of the sensors.

    Attributes
    ----------
    train, test
        (readings, sensors); 601 × 41 and 192 × 41.
    coordinates
        (sensors, 2) positions on the floor.
    """

    train: Array
    test: Array
    coordinates: Array


def light_sensors(path: PathArgument = None) -> LightSensors:
    """The 41 light sensors of chowdhury2019, collected by A. Krause in November 2005.

    Parameters
    ----------
    path
        ``iw_data_all.mat``, or a folder with it or with CSV copies of its three tables; None for
        the folder ``cmu_light_sensors`` under ``STOIC_DATA``.
    """
    location = SOURCE.require(path)
    if location.is_file() and location.suffix == ".mat":
        return _of_mat(location)
    copies = [next(iter(sorted(location.glob(f"{name}*.csv"))), None) for name in _TABLES]
    tables = [read_table(copy).values for copy in copies if copy is not None]
    if len(tables) == len(_TABLES):
        return _checked(location, *tables)
    if (location / "iw_data_all.mat").is_file():
        return _of_mat(location / "iw_data_all.mat")
    raise SOURCE.missing(location)


_TABLES = ("train", "test", "coords")


def _of_mat(file: Path) -> LightSensors:
    from scipy.io import loadmat  # slow to import: only where it is used

    try:
        data: Any = loadmat(file, struct_as_record=False, squeeze_me=True)["data"]
        tables = data.train.sensordata, data.test.sensordata, data.coords
    except Exception as cause:  # a damaged file may raise anything
        raise InvalidInput(
            f"expected {file} with data.train.sensordata, data.test.sensordata and data.coords, "
            f"got {type(cause).__name__}: {cause}; fetch it again"
        ) from cause
    named = zip(_TABLES, tables, strict=True)
    return _checked(file, *[finite_array(x, f"{name} in {file}") for name, x in named])


def _checked(location: Path, train: Array, test: Array, coordinates: Array) -> LightSensors:
    shapes = train.shape, test.shape, coordinates.shape
    if [len(shape) for shape in shapes] != [2, 2, 2] or not (
        train.shape[1] == test.shape[1] == len(coordinates) and coordinates.shape[1] == 2
    ):
        raise InvalidInput(
            f"expected (n, sensors), (m, sensors) and (sensors, 2) in {location}, got {shapes[0]}, "
            f"{shapes[1]} and {shapes[2]}; fetch the data again"
        )
    return LightSensors(train, test, coordinates)
