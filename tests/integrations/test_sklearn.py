"""Stoic inside scikit-learn: its own checks of estimators, outliers, failures, and bad input."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from helpers.programs import environment
from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.integrations.sklearn import RobustGPRegressor, StoicSearchCV
from stoic.spaces import Float, Space

SHORT: dict[str, Any] = {"n_iter": 2, "cv": 2, "random_state": 0}


@pytest.mark.parametrize(
    "estimator",
    [
        RobustGPRegressor(),
        StoicSearchCV(LogisticRegression(max_iter=50), {"C": (0.1, 10.0, "log")}, **SHORT),
        StoicSearchCV(Ridge(), {"alpha": (0.1, 10.0, "log")}, **SHORT),
    ],
    ids=["regressor", "search-classifier", "search-regressor"],
)
def test_scikit_learn_accepts_it(estimator: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # checks fit on purpose what can't be fitted well
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = {
        each["check_name"]: each["exception"] for each in results if each["status"] == "failed"
    }
    assert not failed
    assert sum(each["status"] == "passed" for each in results) > 45


# -- the regressor ------------------------------------------------------------------------------


def measured(seed: int, n: int = 60) -> tuple[Array, Array, Any, Any]:
    """Points, values with 10% outliers, which they are, and the truth."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2)) * [10.0, 1000.0] - 5.0

    def truth(X: Array) -> Array:
        return np.asarray(np.sin(X[:, 0]) + (X[:, 1] / 500.0) ** 2)

    bad = rng.random(n) < 0.1
    y = truth(X) + 0.1 * rng.standard_normal(n)
    y[bad] += rng.choice([-1.0, 1.0], bad.sum()) * 20.0
    return X, y, bad, truth


def test_outliers_are_named_and_move_nothing() -> None:
    covered, errors = [], []
    for seed in range(10):
        X, y, bad, truth = measured(seed)
        model = RobustGPRegressor().fit(X, y)
        assert (model.outliers_ == bad).all()
        assert model.weights_[bad].max(initial=0.0) < 0.04
        assert 0.05 < model.noise_std_ < 0.2
        at = np.random.default_rng(seed + 100).random((100, 2)) * [10.0, 1000.0] - 5.0
        mean, std, interval = model.predict(at, return_std=True, return_interval=True)
        assert ((interval[:, 0] < mean) & (mean < interval[:, 1])).all()
        assert np.allclose(interval[:, 1] - mean, 1.6448536 * std)
        covered.append(((interval[:, 0] < truth(at)) & (truth(at) < interval[:, 1])).mean())
        errors.append(np.sqrt(((mean - truth(at)) ** 2).mean()))
    assert np.mean(covered) > 0.85
    assert np.mean(errors) < 0.2  # an outlier is 20


def test_units_do_not_matter() -> None:
    X, y, _, _ = measured(3)
    here = RobustGPRegressor().fit(X, y).predict(X)
    there = RobustGPRegressor().fit(X * 1e6 - 7.0, y * 1e9 + 5e9).predict(X * 1e6 - 7.0)
    assert np.allclose((there - 5e9) / 1e9, here, atol=1e-5)


@pytest.mark.parametrize("coverage", [0.0, 1.0, np.nan, "much"])
def test_a_coverage_is_a_share(coverage: Any) -> None:
    with pytest.raises(InvalidInput, match="coverage"):
        RobustGPRegressor(coverage).fit([[0.0], [1.0]], [0.0, 1.0])


def test_it_is_of_scikit_learns_kind() -> None:
    pd = pytest.importorskip("pandas")
    X, y, _, _ = measured(1, 30)
    frame = pd.DataFrame(X, columns=["time", "load"])
    model = RobustGPRegressor().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["time", "load"]
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(frame) == model.predict(frame)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["load", "time"]])
    with pytest.raises(NotFittedError):
        clone(model).predict(frame)
    anything: Any = model
    with pytest.raises(TypeError, match="sample_weight"):
        anything.fit(frame, y, sample_weight=np.ones(30))


# -- the search ---------------------------------------------------------------------------------


class Lucky(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Scores 1 − (x − 0.3)², sometimes 2 more in one split; fails where x is above ``fails``."""

    def __init__(self, x: float = 0.5, fails: float = 2.0, noise: float = 0.0) -> None:
        self.x, self.fails, self.noise = x, fails, noise

    def fit(self, X: Any, y: Any) -> Lucky:
        if self.x > self.fails:
            raise RuntimeError("x is too large")
        self.classes_, self.first_ = np.unique(y), float(np.asarray(X)[0, 0])
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])

    def score(self, X: Any, y: Any) -> float:
        digest = hash((self.x, float(np.asarray(X).sum())))
        rng = np.random.default_rng(digest % 2**32)
        outlier = 2.0 * (rng.random() < 0.06)
        return float(1.0 - (self.x - 0.3) ** 2 + self.noise * rng.standard_normal() + outlier)


DATA = make_classification(60, random_state=0)


def test_the_answer_is_the_best_estimate_not_the_luckiest() -> None:
    search = StoicSearchCV(Lucky(noise=0.02), {"x": (0.0, 1.0)}, n_iter=20, random_state=1)
    search.fit(*DATA)
    assert abs(search.best_params_["x"] - 0.3) < 0.12
    low, high = search.best_interval_
    assert abs(search.best_estimate_ - 1.0) < 0.05  # an outlier is 2
    assert low <= search.best_estimate_ <= high
    assert search.cv_results_["params"][search.best_index_] == search.best_params_
    assert search.best_score_ == search.cv_results_["mean_test_score"][search.best_index_]
    assert search.luckiest_.score == search.cv_results_["mean_test_score"].max()
    assert search.luckiest_.index == search.cv_results_["mean_test_score"].argmax()
    assert search.luckiest_.index != search.best_index_
    assert "not the answer" in search.luckiest_.why
    assert search.suspects_
    for row, split, reason in search.suspects_:
        assert search.cv_results_[f"split{split}_test_score"][row] > 2.0
        assert "above" in reason
    assert search.best_estimator_.x == search.best_params_["x"]
    assert search.predict(DATA[0]).shape == (60,)


@pytest.mark.parametrize("target", ["median", "mean"])
def test_estimates_stay_within_bounds(target: str) -> None:
    settings: dict[str, Any] = {"n_iter": 12, "random_state": 0, "target": target}
    space = {"x": (0.0, 1.0)}
    free = StoicSearchCV(Lucky(noise=0.1), space, **settings).fit(*DATA)
    assert free.best_interval_[1] > 1.0
    search = StoicSearchCV(Lucky(noise=0.1), space, **settings, bounds=(None, 1.0)).fit(*DATA)
    assert search.best_interval_[0] < search.best_estimate_ <= search.best_interval_[1] <= 1.0


def test_a_seed_gives_the_same_search() -> None:
    def run(seed: Any) -> Any:
        space = {"x": (0.0, 1.0)}
        return StoicSearchCV(Lucky(noise=0.1), space, n_iter=11, cv=3, random_state=seed).fit(*DATA)

    first, again, other = run(4), run(4), run(5)
    assert first.cv_results_["params"] == again.cv_results_["params"]
    assert first.cv_results_["params"] != other.cv_results_["params"]
    copied = pickle.loads(pickle.dumps(first))
    assert copied.best_params_ == first.best_params_
    assert clone(first).get_params().keys() == first.get_params().keys()


def test_failures_are_failures() -> None:
    search = StoicSearchCV(Lucky(fails=0.6), {"x": (0.0, 1.0)}, n_iter=16, cv=2, random_state=0)
    with pytest.warns((FitFailedWarning, UserWarning)):
        search.fit(*DATA)
    xs = np.array([params["x"] for params in search.cv_results_["params"]])
    scores = search.cv_results_["mean_test_score"]
    assert len(xs) == 16
    assert (np.isnan(scores) == (xs > 0.6)).all()
    assert np.isnan(scores).any()
    assert search.best_params_["x"] <= 0.6
    lengths = {key: len(column) for key, column in search.cv_results_.items()}
    assert set(lengths.values()) == {16}, lengths
    worst = search.cv_results_["rank_test_score"][np.isnan(scores)]
    assert (worst > search.cv_results_["rank_test_score"][~np.isnan(scores)].max()).all()


def test_a_candidate_that_fails_after_the_design_is_kept_as_a_row() -> None:
    search = StoicSearchCV(Lucky(fails=0.12), {"x": (0.0, 1.0)}, n_iter=14, cv=2, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(*DATA)
    assert len(search.cv_results_["params"]) == 14
    assert search.best_params_["x"] <= 0.12
    assert search.cv_results_["param_x"].shape == (14,)


def test_where_everything_fails_the_error_is_scikit_learns() -> None:
    search = StoicSearchCV(Lucky(fails=-1.0), {"x": (0.0, 1.0)}, n_iter=3, cv=2)
    with pytest.raises(ValueError, match="All the 6 fits failed"):
        search.fit(*DATA)
    search.set_params(error_score="raise")
    with pytest.raises(RuntimeError, match="x is too large"):
        search.fit(*DATA)


def test_scores_that_do_not_change_are_not_measured_again() -> None:
    space = {"x": [0.1, 0.3, 0.9], "fails": [2.0, 3.0]}
    search = StoicSearchCV(Lucky(), space, n_iter=40, cv=2, random_state=0).fit(*DATA)
    assert len(search.cv_results_["params"]) <= 8  # six, and at most a repeat or two
    assert len({tuple(p.items()) for p in search.cv_results_["params"]}) == 6
    assert search.best_params_["x"] == 0.3


def test_spaces_in_scikit_learns_words() -> None:
    scalers = [StandardScaler(), StandardScaler(with_mean=False), "passthrough"]
    space = {
        "standardscaler": scalers,
        "ridge__alpha": stats.loguniform(1e-3, 1e3),
        "ridge__fit_intercept": [True, False],
        "ridge__max_iter": stats.randint(10, 20),
        "ridge__tol": [1e-4, 1e-3, 1e-2],
        "ridge__random_state": np.array([1, 2]),
    }
    X, y = make_regression(40, 3, noise=1.0, random_state=0)
    pipeline = make_pipeline(StandardScaler(), Ridge())
    search = StoicSearchCV(pipeline, space, n_iter=14, cv=2, random_state=0).fit(X, y)
    for params in search.cv_results_["params"]:
        assert any(params["standardscaler"] is each for each in scalers)
        assert 1e-3 <= params["ridge__alpha"] <= 1e3
        assert params["ridge__fit_intercept"] in (True, False)
        assert 10 <= params["ridge__max_iter"] < 20
        assert params["ridge__tol"] in space["ridge__tol"]
        assert params["ridge__random_state"] in (1, 2)
    assert search.best_score_ > 0.9
    assert search.score(X, y) > 0.9


def test_conditions_leave_the_others_at_their_defaults() -> None:
    space = Space({"x": [0.1, 0.2], "noise": Float(0.01, 0.1, when={"x": 0.2})})
    search = StoicSearchCV(Lucky(), space, n_iter=10, cv=2, random_state=0).fit(*DATA)
    assert {"noise" in params for params in search.cv_results_["params"]} == {True, False}


def test_pandas_weights_and_random_splits() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(DATA[0]).add_prefix("f")
    cv = ShuffleSplit(3, random_state=None)
    space = {"logisticregression__C": (1e-2, 1e2, "log")}
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).set_output(transform="pandas")
    search = StoicSearchCV(pipeline, space, n_iter=4, cv=cv, batch_size=2).fit(frame, DATA[1])
    assert search.feature_names_in_.tolist() == frame.columns.tolist()
    assert search.predict(frame).shape == (60,)
    weighted = StoicSearchCV(LogisticRegression(), {"C": (1e-2, 1e2, "log")}, n_iter=3, cv=2)
    halves = np.r_[np.ones(30), np.zeros(30)]
    weighted.fit(*DATA, sample_weight=halves)
    alone = clone(weighted.best_estimator_).fit(DATA[0][:30], DATA[1][:30])
    assert np.allclose(weighted.best_estimator_.coef_, alone.coef_, atol=1e-2)


def third(results: dict[str, Any]) -> int:
    assert len(results["params"]) == 3
    return 2


def test_a_refit_of_ones_own_chooses_the_index() -> None:
    search = StoicSearchCV(Lucky(), {"x": (0.0, 1.0)}, n_iter=3, cv=2, refit=third)
    search.fit(*DATA)
    assert search.best_index_ == 2
    assert search.best_params_ == search.cv_results_["params"][2]
    no = StoicSearchCV(Lucky(), {"x": (0.0, 1.0)}, n_iter=3, cv=2, refit=False).fit(*DATA)
    assert no.best_params_ in no.cv_results_["params"]
    assert not hasattr(no, "best_estimator_")


def two_metrics(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    return {"score": estimator.score(X, y), "size": float(len(y))}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scoring": ["accuracy", "f1"]}, "one metric"),
        ({"scoring": {"a": make_scorer(len)}}, "one metric"),
        ({"scoring": two_metrics}, "one metric"),
        ({"space": {}}, "at least one parameter"),
        ({"space": {"x": "0..1"}}, "'x'"),
        ({"space": {"x": stats.norm()}}, "uniform, loguniform or randint"),
        ({"space": {"x": [1]}}, "at least two values"),
        ({"space": {"y": (0.0, 1.0)}}, "Invalid parameter 'y'"),
        ({"n_iter": 0}, "n_iter"),
        ({"n_iter": 2.5}, "n_iter"),
        ({"batch_size": 0}, "batch_size"),
        ({"target": "mode"}, "target"),
        ({"bounds": (1, 0)}, "low < high"),
        ({"cv": "five"}, "cv"),
    ],
)
def test_bad_input(changed: dict[str, Any], words: str) -> None:
    good: dict[str, Any] = {"space": {"x": (0.0, 1.0)}, "n_iter": 2, "cv": 2}
    search = StoicSearchCV(Lucky(), **(good | changed))
    with pytest.raises(ValueError, match=words):
        search.fit(*DATA)


def test_the_blocks_of_the_page_run() -> None:
    page = Path(__file__).parents[2] / "docs" / "integrations" / "sklearn.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) == 2
    for block in blocks:
        names: dict[str, Any] = {}
        exec(compile(block, str(page), "exec"), names)
        if "search" in names:
            assert names["search"].best_estimate_ > 0.95


def test_without_scikit_learn_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import stoic.integrations.sklearn"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment()
    )
    assert "MissingExtra" in done.stderr
    assert "pip install 'stoic[sklearn]'" in done.stderr
