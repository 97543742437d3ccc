"""The chance that an evaluation succeeds, learned from the failures and successes so far."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from stoic.checks import Array
from stoic.optimize.failing.average import KernelAverage
from stoic.optimize.failing.calibration import CalibratedForest
from stoic.optimize.failing.features import mostly_discrete
from stoic.optimize.history import History
from stoic.surrogate.rows import first_rows

__all__ = ["Failures"]

# Different points that failed, from which a forest learns their region in any space. With fewer,
# its steps disturb the search among real numbers: gauss02+crash of benchmarks/robust has regret
# 0.071 instead of 0.054.
_MIN_FAILED_POINTS = 12
_HOPELESS = 2  # failures, without a success, after which a configuration is not suggested again
_NONE: frozenset[bytes] = frozenset()


class Failures:
    """The chance that an evaluation succeeds, from those that did and did not.

    One failure keeps the next suggestions away from its point, many failures from their region, and
    random failures all over the space from nowhere. The model is a forest if the space is mostly
    discrete or if there are many failures, else a kernel average.
    """

    def __init__(
        self, model: KernelAverage | CalibratedForest | None, hopeless: frozenset[bytes] = _NONE
    ) -> None:
        self._model, self._hopeless = model, hopeless

    @classmethod
    def of(cls, history: History) -> Failures:
        """The failures of a history."""
        failed = history.failed()
        if not len(failed):
            return cls(None)
        succeeded = history.points()
        hopeless = _hopeless(failed, succeeded)
        many = len(first_rows(failed)) >= _MIN_FAILED_POINTS
        many = many or mostly_discrete(history.space)
        if many and len(succeeded):
            return cls(CalibratedForest(failed, succeeded, history.space), hopeless)
        return cls(KernelAverage(failed, succeeded, history.space.groups), hopeless)

    def chance_of_success(self, X: Array) -> Array:
        """Between 0 and 1, at the rows of X; 1 everywhere before anything has failed."""
        return np.ones(len(X)) if self._model is None else self._model.chance_of_success(X)

    def hopeless(self, X: Array) -> npt.NDArray[np.bool_]:
        """Which rows of X are configurations that failed twice and never succeeded."""
        if not self._hopeless:
            return np.zeros(len(X), dtype=bool)
        return np.array([x.tobytes() in self._hopeless for x in X], dtype=bool)


def _hopeless(failed: Array, succeeded: Array) -> frozenset[bytes]:
    counts = Counter(point.tobytes() for point in failed)
    good = {point.tobytes() for point in succeeded}
    return frozenset(at for at, n in counts.items() if n >= _HOPELESS and at not in good)
