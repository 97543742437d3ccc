"""The 90% interval against its formula, and what is concluded from one surrogate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stoic.optimize import Answer, Optimizer
from stoic.optimize.answers.interval import IntervalRule, estimated
from stoic.optimize.answers.luckiest import luckiest
from stoic.optimize.answers.recommendation import recommend
from stoic.optimize.answers.suspects import outlying
from stoic.optimize.knowledge import Knowledge
from stoic.report import Result

SQUARE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def optimizer(noise: str, n: int, seed: int = 0) -> Optimizer:
    """An optimiser that knows n points of a hill."""
    rng = np.random.default_rng(seed)
    made = Optimizer(SQUARE, direction="maximize")
    for x, y in rng.random((n, 2)):
        error = {
            "gauss": 0.1 * rng.standard_normal(),
            "right": 0.3 * rng.exponential(),
            "left": -0.3 * rng.exponential(),
            "outliers": 5.0 if rng.random() < 0.2 else 0.1 * rng.standard_normal(),
        }[noise]
        made.tell({"x": x, "y": y}, -abs(x - 0.4) - (y - 0.5) ** 2 + error)
    return made


def weighted_quantile(errors: list[float], weights: list[float], q: float) -> float:
    """The error below which a share q of the weights is, half of each one's own included."""
    n = sum(weights) ** 2 / sum(w * w for w in weights)
    pairs, total, below = sorted(zip(errors, weights, strict=True)), sum(weights), 0.0
    ranks = []
    for _, w in pairs:
        ranks.append(((below + 0.5 * w) / total * n + 0.5) / (n + 1.0))
        below += w
    return float(np.interp(q, ranks, [e for e, _ in pairs]))


@pytest.mark.parametrize("n", [5, 12, 30, 80])
@pytest.mark.parametrize("noise", ["gauss", "right", "left", "outliers"])
def test_the_interval_is_that_of_its_formula(noise: str, n: int) -> None:
    known, rule = optimizer(noise, n).knowledge().regular.known, IntervalRule()
    model, point = known.model, np.array([0.4, 0.5])
    means, variances, shares = [], [], []
    for gp, share in model.modes():
        mean, variance = gp.predict(point[None])
        means.append(mean[0])
        variances.append(variance[0])
        shares.append(share)
    m1, gp = means[0], model.gp
    std = sum(p * (v + (m - m1) ** 2)
              for p, m, v in zip(shares, means, variances, strict=True)) ** 0.5  # fmt: skip
    errors, weights = [], []
    for i, far in enumerate(outlying(known)):
        own = gp.hyper.noise / gp.weights[i]
        mean = gp.mean(gp.X[i : i + 1])[0]
        if not far:
            kept = own / (own + gp.left_out[1][i])
            errors.append(float((model.fits[0].z[i] - mean) / kept**0.5))
            weights.append(float(0.05 + np.exp(-0.5 * (mean - m1) ** 2)))

    def q(share: float) -> float:
        return weighted_quantile(errors, weights, share)

    count = sum(weights) ** 2 / sum(w * w for w in weights)
    off = 0.8416 * 0.5 / count**0.5
    e = (q(0.5 + off) - q(0.5 - off)) / (2 * 0.8416)
    base = m1 - rule.winner * np.hypot(std, e)
    few = max(rule.enough / len(gp), 1.0)
    skew = q(0.75) + q(0.25) - 2 * q(0.5)
    low = rule.stds * few**0.25 * np.hypot(np.hypot(std, e), rule.skew * skew)
    r = gp.mean_residual(point, max(rule.nearby, rule.nearby_share * gp.weights.sum()))
    k = gp.rescaled(rule.length_factor, 1.0).mean(point[None])[0] - m1
    top = (rule.residual * max(r, 0) + rule.rise * max(k, 0)) * few**0.5
    found = estimated(known, point, "median")
    value = base + q(0.5)
    expected = value, value - low, value + np.hypot(low, top)
    assert (found.value, found.low, found.high) == pytest.approx(expected, rel=1e-6)
    assert found.run_low == pytest.approx(value - np.hypot(q(0.5) - q(0.05), low), rel=1e-6)


def test_a_mean_is_on_the_side_of_the_tail() -> None:
    for noise, sign in (("right", 1.0), ("left", -1.0)):
        known = optimizer(noise, 80).knowledge().regular.known
        median, mean = (estimated(known, np.array([0.4, 0.5]), t) for t in ("median", "mean"))
        assert sign * mean.value > sign * median.value
        far, near = (mean.high, mean.low) if sign > 0.0 else (mean.low, mean.high)
        assert abs(far - mean.value) > abs(near - mean.value)


@pytest.mark.parametrize("noise", ["gauss", "outliers"])
def test_a_conclusion_is_the_answers_taken_one_by_one(noise: str) -> None:
    made = optimizer(noise, 30)
    conclusion = made.conclude()
    assert conclusion.answer == made.recommend()
    assert conclusion.suspects == made.suspects()
    assert conclusion.luckiest == made.luckiest
    assert bool(conclusion.suspects) is (noise == "outliers")


def test_a_conclusion_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, calls = optimizer("outliers", 30), []

    def counted(known: Knowledge, *rest: Any) -> Answer:
        calls.append(known)
        return recommend(known, *rest)

    monkeypatch.setattr("stoic.optimize.optimizer.recommend", counted)
    result = Result.of(made)
    assert result.luckiest is not None
    assert len(calls) == 1


def test_the_luckiest_may_be_better_than_an_answer_that_was_chosen_from_others() -> None:
    """Of very many measurements a subset is fitted; nothing has failed."""
    made = optimizer("gauss", 30)
    worst = min(made.trials, key=lambda trial: trial.value or 0.0)
    answer = replace(made.recommend(), params=dict(worst.params))
    why = luckiest(made.knowledge(), answer, ()).why
    assert "not among the measurements that the answer was chosen from" in why
