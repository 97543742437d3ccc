"""A forest whose confidence is learned: from nothing, if failures are random, to more than its own.

The log-odds of success are L + β (l − L), with L those of the overall share of successes and l
those of the forest. β is learned from how well the trees predict the outcomes that were left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, softmax

from stoic.checks import Array
from stoic.optimize.failing.features import Features
from stoic.optimize.failing.forest import Forest
from stoic.spaces import Space

__all__ = ["CalibratedForest"]


@dataclass(frozen=True)
class CalibrationRule:
    """How the confidence is learned; chosen by benchmarks/robust/failing.py."""

    confidences: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)  # β, averaged over
    mean: float = 1.0  # of the prior of β
    spread: float = 0.5  # its standard deviation
    least_chance: float = 1e-3  # of success or failure, by a forest
    used: int = 200  # latest failures, and latest successes, that count


_RULE = CalibrationRule()


class CalibratedForest:
    """The chance that an evaluation succeeds, by a forest.

    Parameters
    ----------
    failed, succeeded
        Points of the unit cube; at least one of each.
    space
        Of these points.
    """

    def __init__(self, failed: Array, succeeded: Array, space: Space) -> None:
        failed, succeeded = failed[-_RULE.used :], succeeded[-_RULE.used :]
        good = np.repeat([False, True], [len(failed), len(succeeded)])
        self._features = Features(space)
        self._forest = Forest(self._features(np.vstack([failed, succeeded])), ~good)
        self._usual = float(logit((len(succeeded) + 0.5) / (len(good) + 1.0)))
        self.confidence = self._learned(self._log_odds(1.0 - self._forest.left_out), good)

    def chance_of_success(self, X: Array) -> Array:
        """Between 0 and 1, at the rows of X."""
        log_odds = self._log_odds(1.0 - self._forest.chance_of_failure(self._features(X)))
        chance: Array = expit(self._usual + self.confidence * (log_odds - self._usual))
        return chance

    def _log_odds(self, chance: Array) -> Array:
        limited: Array = logit(np.clip(chance, _RULE.least_chance, 1.0 - _RULE.least_chance))
        return limited

    def _learned(self, log_odds: Array, good: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        """The posterior mean of β, given the outcomes and their log-odds by other outcomes."""
        beta = np.array(_RULE.confidences)
        odds = self._usual + beta[:, None] * (log_odds - self._usual)
        fit = -np.logaddexp(0.0, np.where(good, -odds, odds)).sum(axis=1)
        prior = -0.5 * ((beta - _RULE.mean) / _RULE.spread) ** 2
        return float(softmax(fit + prior) @ beta)
