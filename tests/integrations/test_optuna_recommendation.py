"""The answer for the trials of a study of Optuna, whoever sampled them."""

from __future__ import annotations

import math
import random

import pytest

pytest.importorskip("optuna")

import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

import stoic
from stoic.errors import InvalidInput
from stoic.integrations.optuna import recommend
from stoic.integrations.optuna.axes import covering

optuna.logging.set_verbosity(optuna.logging.ERROR)


def randomly(seed: int = 0, maximize: bool = False) -> optuna.Study:
    sampler = optuna.samplers.RandomSampler(seed=seed)
    direction = optuna.study.StudyDirection(1 + maximize)
    return optuna.create_study(direction=direction, sampler=sampler)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_luckiest_trial_is_not_the_answer(sign: float) -> None:
    rng = random.Random(5)

    def noisy(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0.0, 1.0)
        outlier = -9.0 if trial.number in (6, 17) else 0.0
        return sign * ((x - 0.7) ** 2 + rng.gauss(0.0, 0.02) + outlier)

    study = randomly(maximize=sign < 0)
    study.optimize(noisy, n_trials=30)
    found = recommend(study)
    assert abs(found.answer.params["x"] - 0.7) < 0.1
    assert abs(study.best_params["x"] - 0.7) > 0.1
    assert abs(found.answer.value) < 0.05
    low, high = found.answer.interval
    assert low < found.answer.value < high < low + 0.2
    assert found.luckiest.trial.number == study.best_trial.number
    assert found.luckiest.trial.value == study.best_value
    assert found.luckiest.why.startswith("not the answer: measured")
    assert [suspect.trial for suspect in found.suspects] == [6, 17]
    assert found.suspects[0].params == study.trials[6].params
    text = str(found)
    assert text.startswith("Best configuration: x=0.")
    assert text.count("Suspect: trial") == 2


def test_it_is_the_conclusion_of_the_optimizer() -> None:
    study = randomly()
    study.optimize(lambda trial: (trial.suggest_float("x", -1.0, 1.0) - 0.2) ** 2, n_trials=25)
    optimizer = stoic.Optimizer({"x": (-1.0, 1.0)}, direction="minimize")
    optimizer.tell_all([(trial.params, trial.value, None) for trial in study.trials])
    found, expected = recommend(study), optimizer.conclude()
    assert found.answer == expected.answer
    assert (found.luckiest, found.suspects) == (expected.luckiest, expected.suspects)
    assert str(found).endswith("No suspects")


def test_numbers_of_trials_are_those_of_optuna() -> None:
    def objective(trial: optuna.Trial) -> float:
        if trial.number in (0, 3):
            raise OSError
        choice = trial.suggest_categorical("choice", [None, "a"])
        n = trial.suggest_int("n", 10, 40, step=10)
        return -50.0 if trial.number == 9 else n / 10 + (choice is None)

    study = randomly()
    study.optimize(objective, n_trials=26, catch=(OSError,))
    study.ask()  # runs
    found = recommend(study)
    assert found.answer.params == {"choice": "a", "n": 10}
    assert type(found.answer.params["n"]) is int
    assert found.luckiest.trial.number == study.best_trial.number == 9
    assert found.luckiest.trial.params == study.best_params
    assert [suspect.trial for suspect in found.suspects] == [9]


def branching(trial: optuna.Trial) -> float:
    noise = random.Random(trial.number).gauss(0.0, 0.02)
    trial.suggest_int("constant", 3, 3)
    if trial.suggest_categorical("kind", ["good", "bad"]) == "good":
        return (trial.suggest_float("x", 0.0, 1.0) - 0.5) ** 2 + noise
    outlier = -9.0 if trial.number == 21 else 0.0
    return 1.0 + trial.suggest_float("y", 0.0, 1.0) + noise + outlier


def test_a_conditional_space_has_a_whole_configuration() -> None:
    study = randomly(seed=2)
    study.optimize(branching, n_trials=50)
    assert study.best_trial.number == 21
    found = recommend(study)
    assert found.answer.params.keys() == {"constant", "kind", "x"}
    assert found.answer.params["kind"] == "good"
    assert found.answer.params["constant"] == 3
    assert abs(found.answer.params["x"] - 0.5) < 0.1
    assert found.luckiest.trial.number == 21
    assert found.luckiest.why.startswith("not the answer: with its parameters the best estimate")
    assert [suspect.trial for suspect in found.suspects] == [21]


def test_trials_of_all_ranges_count() -> None:
    study = randomly()
    for high in (0.5, 1.0):
        for _ in range(12):
            trial = study.ask({"x": FloatDistribution(high - 0.5, high)})
            study.tell(trial, (trial.params["x"] - 0.5) ** 2)
    found = recommend(study)
    assert abs(found.answer.params["x"] - 0.5) < 0.03
    optimizer = stoic.Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    optimizer.tell_all([(trial.params, trial.value, None) for trial in study.trials])
    assert found.answer == optimizer.recommend()


def test_the_range_that_covers_several() -> None:
    floats: list[BaseDistribution] = [
        FloatDistribution(1e-3, 1.0, log=True),
        FloatDistribution(1e-2, 2.0, log=True),
    ]
    assert covering(floats) == FloatDistribution(1e-3, 2.0, log=True)
    steps = [FloatDistribution(0.0, 1.0, step=0.5), FloatDistribution(0.0, 3.0, step=0.5)]
    assert covering(steps) == FloatDistribution(0.0, 3.0)
    assert covering([steps[0], FloatDistribution(0.0, 1.0, step=0.5)]) == steps[0]
    logs = [IntDistribution(1, 8, log=True), IntDistribution(4, 64, log=True)]
    assert covering(logs) == IntDistribution(1, 64, log=True)


def test_without_a_value_there_is_no_answer() -> None:
    study = randomly()
    with pytest.raises(InvalidInput, match="none among 0 finished trials"):
        recommend(study)
    space: dict[str, BaseDistribution] = {"x": FloatDistribution(0.0, 1.0)}
    study.tell(study.ask(space), state=TrialState.PRUNED)
    study.tell(study.ask(space), -math.inf)
    study.add_trial(create_trial(value=1.0))  # of no parameter
    with pytest.raises(InvalidInput, match="none among 3 finished trials; optimise the study"):
        recommend(study)
    study.tell(study.ask(space), 1.0)
    assert recommend(study).answer.value == 1.0
    with pytest.raises(InvalidInput, match="seed"):
        recommend(study, seed=-1)


def test_the_average_and_the_bounds_can_be_asked_for() -> None:
    """Skewed delays have a mean above the median, and none is negative."""
    rng = random.Random(0)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(
        lambda t: 0.01 + t.suggest_float("x", 0, 1) ** 2 + rng.expovariate(1 / 0.3), n_trials=60
    )
    usual = recommend(study, bounds=(0, None)).answer
    average = recommend(study, target="mean", bounds=(0, None)).answer
    assert (usual.target, average.target) == ("median", "mean")
    assert usual.interval[0] >= 0.0
    assert average.value > usual.value
    with pytest.raises(InvalidInput, match="target"):
        recommend(study, target="average")
    with pytest.raises(InvalidInput, match="bounds"):
        recommend(study, bounds=(1, 0))
