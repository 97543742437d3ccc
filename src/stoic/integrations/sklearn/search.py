"""The candidates of a cross-validated search, and the optimiser that has their scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning

from stoic.checks import Array, describe
from stoic.errors import InvalidInput
from stoic.integrations.sklearn.choices import Choices
from stoic.numbers import rounded
from stoic.optimize import Answer, Optimizer
from stoic.optimize.aim import Aim
from stoic.optimize.answers.recommendation import cautious_scores, estimate

__all__ = ["LuckiestCandidate", "Search", "one_metric"]

_MAX_TRIES = 8  # suggestions in a row of candidates whose scores are known


@dataclass(frozen=True)
class LuckiestCandidate:
    """The candidate of the highest mean score, and why it is, or is not, the answer."""

    index: int
    params: dict[str, Any]
    score: float
    why: str


class Search:
    """The candidates of a search, and an optimiser that has been told their scores."""

    def __init__(self, choices: Choices, splits: int, seed: int, aim: Aim) -> None:
        self._choices, self._splits, self._seed = choices, splits, seed
        self._optimizer = Optimizer(
            choices.space, direction=aim.direction, seed=seed, target=aim.target, bounds=aim.bounds
        )
        self._candidates: list[dict[str, Any]] = []  # by row of cv_results_
        self._scores: list[list[float]] = []  # of each of them, by split
        self._failed: list[dict[str, Any]] = []  # candidates of which all fits failed
        self._measured: list[tuple[int, int]] = []  # row and split of each trial of the optimiser
        self._deterministic = False  # whether a candidate had the same scores again

    def run(
        self, evaluate: Callable[..., dict[str, Any]], candidates: int, batch_size: int
    ) -> None:
        results: dict[str, Any] = {}
        batch = self._design(candidates)
        while batch:
            results = self._evaluate(evaluate, batch) or results
            done = len(self._candidates) + len(self._failed)
            batch = self._next(min(batch_size, candidates - done))
        _append_failures(results, [self._choices.params(each) for each in self._failed])

    def _design(self, candidates: int) -> list[dict[str, Any]]:
        """Candidates that fill the space; the optimiser would count splits for its own design."""
        space, size = self._choices.space, self._optimizer.history.design_size
        points = np.unique(space.sample(min(size, candidates), self._seed), axis=0)
        return [space.decode(point) for point in points]

    def _next(self, count: int) -> list[dict[str, Any]]:
        """Suggestions; where scores do not change, of new candidates, as long as there are any."""
        if count < 1:
            return []
        if not self._deterministic:
            asked: list[dict[str, Any]] = self._optimizer.ask(count)
            return asked
        new: list[dict[str, Any]] = []
        pending: list[dict[str, Any]] = []
        for _ in range(_MAX_TRIES):
            params = self._optimizer.ask(pending=pending)
            pending.append(params)
            if params not in [*self._candidates, *self._failed, *new]:
                new.append(params)
            if len(new) == count:
                break
        return new

    def _evaluate(
        self, evaluate: Callable[..., dict[str, Any]], batch: list[dict[str, Any]]
    ) -> dict[str, Any] | None:
        """Fit and score candidates; None where all fits of all of them failed."""
        try:
            results = evaluate([self._choices.params(each) for each in batch])
        except ValueError as error:
            if not self._candidates or "fits failed" not in str(error):
                raise
            warnings.warn(str(error), FitFailedWarning, stacklevel=2)
            self._failed += batch
            self._optimizer.tell_all([(each, None, "all fits failed") for each in batch])
            return None
        if {key for key in results if key.startswith("mean_test_")} != {"mean_test_score"}:
            raise one_metric("a function that returns several")
        first = len(self._candidates)
        columns = [results[f"split{k}_test_score"][first:] for k in range(self._splits)]
        scores = np.array(columns, dtype=np.float64).T.tolist()
        known = [self._candidates.index(p) if p in self._candidates else -1 for p in batch]
        self._candidates += batch
        self._scores += scores
        new = [i for i, row in enumerate(known) if row < 0 or scores[i] != self._scores[row]]
        self._deterministic = self._deterministic or len(new) < len(batch)
        for split in range(self._splits):  # the first splits of all: values spread over the space
            self._tell([(first + i, split) for i in new])
        return results

    def _tell(self, measured: list[tuple[int, int]]) -> None:
        told: list[tuple[dict[str, Any], float | None, str | None]] = []
        for row, split in measured:
            score = self._scores[row][split]
            outcome = (score, None) if np.isfinite(score) else (None, "fit or score failed")
            told.append((self._candidates[row], *outcome))
        self._optimizer.tell_all(told)
        self._measured += measured

    # -- answers ------------------------------------------------------------------------------

    def best(self) -> int:
        """The row of the answer, of candidates without failures if there are any."""
        rows = self._whole()
        if not self._optimizer.history.successes:
            return 0  # as scikit-learn, whose refit then shows what is wrong
        recommended = self._optimizer.recommend().params
        for row in rows:
            if self._candidates[row] == recommended:
                return row
        points = self._points()[rows]
        return rows[int(np.argmax(cautious_scores(self._optimizer.knowledge(), points)))]

    def _whole(self) -> list[int]:
        finite = [bool(np.isfinite(scores).all()) for scores in self._scores]
        return [row for row, whole in enumerate(finite) if whole or not any(finite)]

    def _points(self) -> Array:
        points, _ = self._choices.space.read([*self._candidates, *self._failed])
        return points

    def estimate(self, row: int) -> Answer:
        """The estimated score of a candidate, with its interval."""
        if not self._optimizer.history.successes:
            return Answer(self._candidates[row], math.nan, (-math.inf, math.inf), 0)
        return estimate(self._optimizer.knowledge(), self._points()[row])

    def suspects(self) -> list[tuple[int, int, str]]:
        """Row, split and reason of the scores that the others contradict."""
        return [(*self._measured[s.trial], s.reason) for s in self._optimizer.suspects()]

    def luckiest(self, best: int, answer: Answer, results: dict[str, Any]) -> LuckiestCandidate:
        """The row of the highest mean score; ``answer`` is that of the row ``best``."""
        means = np.array([np.mean(self._scores[row]) for row in self._whole()])
        row = self._whole()[int(np.argmax(means))]
        side = answer.interval[1] / 2 - answer.interval[0] / 2
        its, chosen = (rounded(v, side) for v in (self.estimate(row).value, answer.value))
        why = f"not the answer: its own estimate is {its}, against {chosen} for the answer"
        if row == best or self._candidates[row] == self._candidates[best]:
            why = f"the answer is this candidate, estimated at {chosen}"
        score = float(results["mean_test_score"][row])
        return LuckiestCandidate(row, dict(results["params"][row]), score, why)


def _append_failures(results: dict[str, Any], failed: list[dict[str, Any]]) -> None:
    """Add rows to ``cv_results_``, as scikit-learn shows failed candidates beside others."""
    masked: Any = np.ma  # its functions have no annotations
    if not failed:
        return
    for key, column in results.items():
        if key == "params":
            column.extend(failed)
        elif key.startswith("param_"):
            rows = masked.masked_all(len(failed), dtype=object)
            for i, params in enumerate(failed):
                if key.removeprefix("param_") in params:
                    rows[i] = params[key.removeprefix("param_")]
            results[key] = masked.concatenate([column.astype(object), rows])
        elif key.startswith("rank_"):
            last = np.full(len(failed), column.max() + 1, dtype=column.dtype)
            results[key] = np.concatenate([column, last])
        else:
            results[key] = np.concatenate([column, np.full(len(failed), np.nan)])


def one_metric(given: object) -> InvalidInput:
    """The error for several metrics, in the words of scikit-learn's parameter."""
    return InvalidInput(
        f"expected scoring as one metric, got {describe(given)}; StoicSearchCV optimises one "
        "score: name one of them, or return one number"
    )
