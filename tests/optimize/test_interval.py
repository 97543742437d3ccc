"""The 90% interval against its formula, and what is concluded from one surrogate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stoic.optimize import Answer, Optimizer
from stoic.optimize.answers.interval import IntervalRule, interval, skew_shift
from stoic.optimize.answers.luckiest import luckiest
from stoic.optimize.answers.recommendation import recommend
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


@pytest.mark.parametrize("n", [5, 12, 30, 80])
@pytest.mark.parametrize("noise", ["gauss", "right", "left", "outliers"])
def test_the_interval_is_that_of_its_formula(noise: str, n: int) -> None:
    model, rule = optimizer(noise, n).knowledge().model, IntervalRule()
    point = np.array([0.4, 0.5])
    means, variances, shares = [], [], []
    for gp, share in model.modes():
        mean, variance = gp.predict(point[None])
        means.append(mean[0])
        variances.append(variance[0])
        shares.append(share)
    mu, e = model.fits[0].noise_mean
    c = mu**2 / (mu**2 + (e / 2) ** 2)
    total, w = len(model.gp), model.gp.weights.sum()
    variance = sum(p * (v + (m - means[0]) ** 2)
                   for p, m, v in zip(shares, means, variances, strict=True))  # fmt: skip
    r = model.gp.mean_residual(point, max(rule.nearby, rule.nearby_share * w))
    k = model.gp.rescaled(rule.length_factor, 1.0).mean(point[None])[0] - means[0]
    low = np.hypot(rule.low_surrogate * variance**0.5,
                   rule.low_noise * e * (1 + c * (1 + (mu < 0))))  # fmt: skip
    low *= max(rule.enough / max(w, 1), 1) ** 0.25
    side = np.hypot(rule.high_surrogate * variance**0.5,
                    rule.high_noise * e * (1 + c * (1 + (mu > 0))))  # fmt: skip
    top = rule.residual * max(r, 0) + rule.rise * max(k, 0)
    top *= max(rule.enough / total, 1) ** 0.5
    high = np.hypot(side, top) * (1 + rule.hidden * (1 - w / total))
    expected = means[0] + c * mu, low, high
    assert interval(model, point) == pytest.approx(expected, rel=1e-9)
    assert skew_shift(model) == pytest.approx(c * mu, rel=1e-9)


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

    def counted(known: Knowledge) -> Answer:
        calls.append(known)
        return recommend(known)

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
