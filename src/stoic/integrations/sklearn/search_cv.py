"""A search by cross-validation whose answer is the best estimate."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.utils import check_random_state, get_tags

from stoic.checks import integer
from stoic.errors import InvalidInput
from stoic.integrations.sklearn.choices import Choices
from stoic.integrations.sklearn.search import Search, one_metric
from stoic.optimize.aim import Aim
from stoic.parallel import one_thread

__all__ = ["StoicSearchCV"]

BaseSearchCV: Any = GridSearchCV.__base__  # it has no public name


class StoicSearchCV(BaseSearchCV):  # type: ignore[misc]
    """A search over an estimator's parameters whose answer is the best estimate, not the luckiest.

    The score of each split is a measurement of its own, whose noise is learned; an outlier among
    the splits does not decide. Failed fits are failures, and make their surroundings less likely to
    be suggested. It replaces ``GridSearchCV`` and ``RandomizedSearchCV``.

    Parameters
    ----------
    estimator, scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As of ``RandomizedSearchCV``, for one metric. Failures are seen where ``error_score`` is
        NaN.
    space
        Names and what each may be: ``(low, high)``, ``(low, high, "log")``, a list, a distribution
        ``uniform``, ``loguniform`` or ``randint`` of ``scipy.stats``, or a parameter of Stoic; or a
        `stoic.Space`. Increasing numbers in a list are ordered, other choices are not.
    n_iter
        How many candidates are evaluated; less where the space has less.
    batch_size
        How many are evaluated at a time, for an ``n_jobs`` above the number of splits.
    random_state
        Of all random draws of the search.
    target, bounds
        What ``best_estimate_`` estimates, the ``"median"`` or the ``"mean"`` of splits, and the
        range of possible scores, such as ``(0, 1)``, as for `stoic.Optimizer`.

    Attributes
    ----------
    best_params_, best_index_
        Of the candidate with the best cautious estimate, unless ``refit`` is a function.
    best_estimate_, best_interval_
        Its estimated score, with a 90% interval.
    best_score_
        Its mean score.
    luckiest_
        The candidate of the highest mean score, which other searches return, and a reason.
    suspects_
        ``(candidate, split, reason)`` for each score that the others contradict.
    cv_results_, best_estimator_, and others
        As of ``RandomizedSearchCV``; candidates of which all fits failed come last.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> space = {"C": (1e-2, 1e3, "log"), "gamma": (1e-4, 1e1, "log")}
    >>> search = StoicSearchCV(SVC(), space, n_iter=10, random_state=0).fit(X, y)
    >>> bool(search.best_estimate_ > 0.95), len(search.cv_results_["params"])
    (True, 10)
    """

    def __init__(
        self,
        estimator: Any,
        space: Any,
        *,
        n_iter: int = 30,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        batch_size: int = 1,
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        target: str = "median",
        bounds: tuple[float | None, float | None] | None = None,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.space = space
        self.n_iter = n_iter
        self.batch_size = batch_size
        self.random_state = random_state
        self.target = target
        self.bounds = bounds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags = deepcopy(get_tags(self.estimator).target_tags)
        return tags

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search, and fit the estimator with the best parameters to all samples."""
        if isinstance(self.scoring, list | tuple | set | dict):
            raise one_metric(self.scoring)
        if y is None and get_tags(self).target_tags.required:
            raise InvalidInput(
                "StoicSearchCV requires y to be passed, but the target y is None; this estimator "
                "learns from targets"
            )
        Choices(self.space)
        integer(self.n_iter, "n_iter", at_least=1)
        integer(self.batch_size, "batch_size", at_least=1)
        self._aim()
        super().fit(X, y, **params)
        return self

    def _aim(self) -> Aim:
        return Aim.of("maximize", self.target, self.bounds)

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self._search = Search(Choices(self.space), self.n_splits_, seed, self._aim())
        self._search.run(evaluate_candidates, self.n_iter, self.batch_size)

    def _select_best_index(self, refit: Any, refit_metric: str, results: dict[str, Any]) -> int:
        search = self._search
        del self._search
        with one_thread():
            best = search.best()
            if callable(refit):
                best = int(super()._select_best_index(refit, refit_metric, results))
            answer = search.estimate(best)
            self.suspects_ = search.suspects()
        self.best_estimate_, self.best_interval_ = answer.value, answer.interval
        self.luckiest_ = search.luckiest(best, answer, results)
        return best
