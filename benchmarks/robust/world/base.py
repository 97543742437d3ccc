"""What a world, its problems and the methods that search them have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

import stoic

Array = npt.NDArray[np.float64]
Params = Mapping[str, Any]


class Method(Protocol):
    """``Class(space, direction, seed, budget, **options)``.

    ``ask_many(n)`` and ``estimate()``, the value expected of the last answer, are optional.
    """

    def ask(self) -> Params:
        """Return the configuration to measure next."""

    def tell(self, params: Params, value: float) -> None:
        """Report a measurement."""

    def fail(self, params: Params, reason: str) -> None:
        """Report that a measurement gave no value."""

    def recommend(self) -> Params:
        """Return the answer."""


@dataclass(frozen=True)
class Case:
    """One problem of a world by name; results are grouped by function and by noise."""

    name: str
    function: str
    noise: str


@dataclass(frozen=True)
class Settings:
    """What the command line says about a world."""

    data: Path | None = None
    instances: tuple[int, ...] = (1, 2)
    dimensions: tuple[int, ...] = (2, 5)


class Problem(ABC):
    """A problem with its measurements, which depend on the seed."""

    space: stoic.Space
    direction: str = "minimize"

    @abstractmethod
    def measure(self, params: Params) -> float | None:
        """Return a measurement, or None where it fails."""

    @abstractmethod
    def scores(self, rows: Sequence[Params]) -> Array:
        """Return the true score of each configuration, small is good; inf where it is invalid.

        Called after the last measurement.
        """


class World(ABC):
    """A family of problems."""

    budgets: ClassVar[tuple[int, ...]] = (60,)
    """Where the answer is scored; the last is the number of measurements."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @abstractmethod
    def cases(self) -> list[Case]:
        """Return the problems, in the order in which they run."""

    @abstractmethod
    def open(self, case: Case, seed: int) -> Problem:
        """Return a problem, ready to be measured."""


def missing(package: str, purpose: str) -> SystemExit:
    """Return the exit for a package that is not installed."""
    return SystemExit(
        f"expected the package {package} for {purpose}, got none; "
        "make an environment by benchmarks/robust/install_peers.sh and use its python"
    )
