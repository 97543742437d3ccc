"""Stoic's sampler inside Optuna: suggestions are those of `stoic.Optimizer`, whatever happens."""

from __future__ import annotations

import copy
import logging
import math
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("optuna")

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState, create_trial

import stoic
from stoic.errors import InvalidInput, MissingExtra
from stoic.integrations.optuna import StoicSampler, recommend
from stoic.integrations.optuna.trials import Trials

optuna.logging.set_verbosity(optuna.logging.ERROR)

UNIT = FloatDistribution(0.0, 1.0)
PLANE: dict[str, BaseDistribution] = {"x": UNIT, "y": UNIT}


def bowl(x: float, y: float) -> float:
    return (x - 0.3) ** 2 + (y - 0.6) ** 2


def objective(trial: optuna.Trial) -> float:
    return bowl(trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0))


def made(**options: Any) -> optuna.Study:
    return optuna.create_study(sampler=StoicSampler(), **options)


def by_hand(study: optuna.Study) -> stoic.Optimizer:
    """An optimiser with the outcomes of a study on ``PLANE``, in their order."""
    optimizer = stoic.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction="minimize")
    for trial in study.trials:
        if trial.state == TrialState.COMPLETE and math.isfinite(trial.values[0]):
            optimizer.tell(trial.params, trial.values[0])
        elif trial.state.is_finished():
            optimizer.fail(trial.params)
    return optimizer


def asked(study: optuna.Study, space: dict[str, BaseDistribution] = PLANE) -> dict[str, Any]:
    return dict(study.ask(space).params)


# -- the same suggestions as those of the optimiser ------------------------------------------------


def test_suggestions_are_those_of_the_optimizer() -> None:
    study = made()
    study.optimize(objective, n_trials=1)
    for _ in range(11):
        expected = by_hand(study).ask()
        study.optimize(objective, n_trials=1)
        assert study.trials[-1].params == expected


def test_running_trials_are_pending_before_they_ask_for_their_parameters() -> None:
    study = made()
    study.optimize(objective, n_trials=10)
    optimizer = by_hand(study)
    first, second = study.ask(), study.ask()
    x = first.suggest_float("x", 0.0, 1.0)  # and y is not asked for yet
    one = optimizer.ask()
    assert x == one["x"]
    two = optimizer.ask(pending=[one])
    assert asked_of(second) == two
    assert first.suggest_float("y", 0.0, 1.0) == one["y"]
    study.tell(first, 1.0)
    assert asked(study) == by_hand(study).ask(pending=[two])


def asked_of(trial: optuna.Trial) -> dict[str, float]:
    return {name: trial.suggest_float(name, 0.0, 1.0) for name in PLANE}


def test_a_later_trial_leaves_the_first_suggestions_to_workers_that_are_about_to_take_them() -> (
    None
):
    study = made()
    study.optimize(objective, n_trials=10)
    first, second = study.ask(), study.ask()
    one, two = by_hand(study).ask(2)
    assert asked_of(second) == two
    assert asked_of(first) == by_hand(study).ask(pending=[two])
    study.ask()  # a worker is killed before it has a suggestion, while others go on
    study.optimize(objective, n_trials=1)
    assert asked(study) == by_hand(study).ask(pending=[asked_of(first), two])
    assert one != two


def test_waiting_trials_are_pending_and_fixed_values_are_kept() -> None:
    study = made()
    study.optimize(objective, n_trials=10)
    trial = study.ask()
    study.enqueue_trial({"x": 0.25, "y": 0.75})
    study.enqueue_trial({"x": 0.5})
    optimizer = by_hand(study)
    assert asked_of(trial) == optimizer.ask(pending=[{"x": 0.25, "y": 0.75}])
    study.tell(trial, 1.0)
    assert asked(study) == {"x": 0.25, "y": 0.75}
    assert asked(study)["x"] == 0.5


def test_other_ways_of_a_trial_into_the_study() -> None:
    """``add_trial`` and the tells of other samplers do not pass through ``after_trial``."""
    copied, whole = made(), made()
    copied.optimize(objective, n_trials=1)  # its sampler has seen one trial before
    whole.optimize(objective, n_trials=12)
    copied.add_trials(whole.trials[1:])
    assert asked(copied) == asked(whole)
    other = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    other.optimize(objective, n_trials=12)
    other.sampler = StoicSampler()
    assert asked(other) == by_hand(other).ask()


def test_failures_of_all_kinds() -> None:
    study = made()
    study.optimize(objective, n_trials=9)
    states = iter([TrialState.FAIL, TrialState.PRUNED, *([TrialState.COMPLETE] * 2)])
    for value in (None, None, math.inf, -math.inf):
        trial = study.ask(PLANE)
        study.tell(trial, value, next(states))
    study.tell(study.ask(), state=TrialState.FAIL)  # without parameters: of no configuration
    failed = [trial.params for trial in study.trials[9:13]]
    optimizer = stoic.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction="minimize")
    for each in study.trials[:9]:
        optimizer.tell(each.params, each.values[0])
    for params in failed:
        optimizer.fail(params)
    assert asked(study) == optimizer.ask()


def test_violated_constraints_are_failures() -> None:
    study = made()
    study.optimize(objective, n_trials=9)
    old, new = study.ask(PLANE), study.ask(PLANE)
    study._storage.set_trial_system_attr(old._trial_id, "constraints", [-1.0, 0.5])
    study._storage.set_trial_system_attr(new._trial_id, "constraints:memory", 2.0)
    for trial in (old, new):
        study.tell(trial, -100.0)
    optimizer = stoic.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction="minimize")
    for each in study.trials[:9]:
        optimizer.tell(each.params, each.values[0])
    for trial in (old, new):
        optimizer.fail(trial.params)
    assert asked(study) == optimizer.ask()


# -- resuming ------------------------------------------------------------------------------------

WORKER = """
import optuna, sys
from stoic.integrations.optuna import StoicSampler, recommend
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
optuna.logging.set_verbosity(optuna.logging.ERROR)
storage = JournalStorage(JournalFileBackend(sys.argv[1]))
study = optuna.load_study(study_name="s", storage=storage, sampler=StoicSampler(seed=3))
def objective(trial):
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    return (x - 0.3) ** 2 + (y - 0.6) ** 2
study.optimize(objective, n_trials=5)
"""


def test_other_processes_go_on_with_the_same_suggestions(tmp_path: Path) -> None:
    whole = optuna.create_study(sampler=StoicSampler(seed=3))
    whole.optimize(objective, n_trials=14)
    path = str(tmp_path / "optuna.log")
    storage = JournalStorage(JournalFileBackend(path))
    study = optuna.create_study(study_name="s", storage=storage, sampler=StoicSampler(seed=3))
    study.optimize(objective, n_trials=4)
    subprocess.run([sys.executable, "-c", WORKER, path], check=True)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(objective, n_trials=2)
    study.sampler = copy.deepcopy(study.sampler)
    study.optimize(objective, n_trials=3)
    assert [t.params for t in study.trials] == [t.params for t in whole.trials]


def test_the_order_is_that_of_completion_also_if_it_is_known_late() -> None:
    study = made()
    study.optimize(objective, n_trials=10)
    study.optimize(objective, n_trials=2)
    start = datetime.now() - timedelta(days=1)
    early = create_trial(params={"x": 0.1, "y": 0.1}, distributions=PLANE, value=0.29)
    early.datetime_start, early.datetime_complete = start, start
    study.add_trial(early)
    resumed = optuna.create_study(sampler=StoicSampler())
    resumed.add_trials(study.trials)
    assert asked(study) == asked(resumed)
    optimizer = stoic.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction="minimize")
    for trial in [study.trials[12], *study.trials[:12]]:
        optimizer.tell(trial.params, trial.values[0])
    assert study.trials[13].params == optimizer.ask()


def test_seeds_differ_and_a_parallel_run_may_reseed() -> None:
    studies = [optuna.create_study(sampler=StoicSampler(seed=seed)) for seed in (1, 1, 2)]
    for study in studies:
        study.optimize(objective, n_trials=3)
        study.sampler.reseed_rng()
    one, same, other = (asked(study) for study in studies)
    assert one == same != other


def test_one_sampler_serves_several_studies() -> None:
    sampler = StoicSampler()
    first, second = (optuna.create_study(sampler=sampler) for _ in range(2))
    first.optimize(objective, n_trials=10)
    second.optimize(lambda trial: -objective(trial), n_trials=10)
    assert asked(first) == by_hand(first).ask()
    assert asked(second) == by_hand(second).ask()


def test_a_new_study_may_have_the_number_of_a_deleted_one(tmp_path: Path) -> None:
    storage = optuna.storages.RDBStorage(f"sqlite:///{tmp_path / 'optuna.db'}")
    sampler = StoicSampler()
    old = optuna.create_study(study_name="a", storage=storage, sampler=sampler)
    old.optimize(objective, n_trials=4)
    optuna.delete_study(study_name="a", storage=storage)
    new = optuna.create_study(study_name="a", storage=old._storage, sampler=sampler)
    assert new._study_id == old._study_id
    new.optimize(objective, n_trials=3)
    assert asked(new) == by_hand(new).ask()


class Counting(list[Any]):
    """A list that counts the items that were taken from it."""

    taken = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.taken += len(found) if isinstance(at, slice) else 1
        return found


def test_catching_up_looks_only_at_what_is_new() -> None:
    stored = Counting()
    for number in range(5_000):
        trial = create_trial(params={"x": 0.5}, distributions={"x": UNIT}, value=1.0)
        trial.number = number
        stored.append(trial)
    for number in (7, 4_998):
        stored[number].state = TrialState.RUNNING
    trials = Trials()
    trials.read(stored)
    stored.taken = 0
    trials.read(stored)
    assert stored.taken == 2
    assert trials.count == 5_000


# -- search spaces ---------------------------------------------------------------------------------


class Text:
    """A choice that is equal to nothing but itself, and can't be hashed."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


NAN, TEXT = math.nan, Text()
CHOICES = [None, NAN, {"a": [1]}, TEXT, (1, 2), "b"]


@pytest.mark.filterwarnings("ignore:Choices for a categorical")
def test_choices_of_any_kind() -> None:
    study = made()
    for _ in range(20):
        trial = study.ask()
        choice = trial.suggest_categorical("c", CHOICES)  # type: ignore[arg-type]
        x = trial.suggest_float("x", 0.0, 1.0)
        study.tell(trial, x + CHOICES.index(choice))
    chosen = [trial.params["c"] for trial in study.get_trials(deepcopy=False)]
    assert all(any(c is one for one in CHOICES) for c in chosen)
    assert sum(c is None for c in chosen) >= 5
    assert sum(isinstance(c, float) for c in chosen) >= 1
    found = recommend(study)
    assert found.answer.params["c"] is None


def test_choices_that_are_equal_in_python_are_one() -> None:
    """Optuna stores the first of them for all."""
    study = made()
    space: dict[str, BaseDistribution] = {
        "c": CategoricalDistribution([True, 1, 0]),
        "same": CategoricalDistribution([1.0, 1]),
        "x": UNIT,
    }
    for _ in range(12):
        trial = study.ask(space)
        study.tell(trial, float(trial.params["c"]))
    assert all(type(t.params["c"]) is (bool if t.params["c"] else int) for t in study.trials)
    assert "same" not in study.sampler.infer_relative_search_space(study, study.trials[0])


STEPS: dict[str, BaseDistribution] = {
    "tenths": FloatDistribution(-1.0, 1.0, step=0.1),
    "threes": IntDistribution(2, 200, step=3),
    "log": IntDistribution(1, 1000, log=True),
    "fine": FloatDistribution(0.0, 1e9, step=0.001),  # 10¹² values
    "rate": FloatDistribution(1e-5, 1e-1, log=True),
}


def test_steps_and_logarithms() -> None:
    study = made()
    for _ in range(16):
        trial = study.ask(STEPS)
        study.tell(trial, abs(trial.params["tenths"] - 0.3) + math.log(trial.params["log"]))
        assert trial.distributions["fine"]._contains(trial.params["fine"])
    for each in study.trials:
        assert each.params["tenths"] in [k / 10 for k in range(-10, 11)]
        assert each.params["threes"] in range(2, 201, 3)
        assert type(each.params["threes"]) is int
        assert type(each.params["log"]) is int
        assert 0.0 <= each.params["fine"] <= 1e9
    design = [trial.params["log"] for trial in study.trials[:9]]
    assert sum(value <= 32 for value in design) >= 3, "evenly on the scale of logarithms"
    assert study.best_params["log"] <= 3


def test_constants_are_left_out() -> None:
    study = made()
    constants: dict[str, BaseDistribution] = {
        "one": CategoricalDistribution(["a"]),
        "two": IntDistribution(3, 3),
        "three": FloatDistribution(0.5, 0.5),
        "four": FloatDistribution(1.0, 1.0, log=True),
    }
    for _ in range(3):
        study.tell(study.ask(constants), 1.0)
    space = study.sampler.infer_relative_search_space(study, study.trials[0])
    assert space == {}
    study.tell(study.ask(PLANE | constants), 1.0)
    given = study.sampler.sample_relative(study, study.trials[0], constants)
    assert given == {"one": "a", "two": 3, "three": 0.5, "four": 1.0}
    one = study.sampler.sample_independent(study, study.trials[0], "one", constants["one"])
    assert one == "a"


def branching(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", 0.0, 1.0)
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return x + trial.suggest_float("only a", 0.0, 1.0)
    return x + trial.suggest_int("only b", 0, 9) + 1.0


def test_conditional_parameters_are_sampled_independently() -> None:
    studies = [made(), made()]
    for study in studies:
        study.optimize(branching, n_trials=14)
        space = study.sampler.infer_relative_search_space(study, study.trials[0])
        assert list(space) == ["kind", "x"]
    first, second = ([t.params for t in study.trials] for study in studies)
    assert first == second
    only = [params["only a"] for params in first if "only a" in params]
    assert len(only) >= 5
    assert len(set(only)) == len(only)
    assert studies[0].best_value < 0.3


def test_an_independent_sampler_is_used_for_them() -> None:
    class Half(optuna.samplers.RandomSampler):
        heard: list[str]

        def sample_independent(self, *_: Any) -> float:
            return 0.5

        def before_trial(self, *_: Any) -> None:
            self.heard.append("before")

        def after_trial(self, *_: Any) -> None:
            self.heard.append("after")

        def reseed_rng(self) -> None:
            self.heard.append("reseed")

    half = Half()
    half.heard = []
    study = optuna.create_study(sampler=StoicSampler(independent_sampler=half))
    study.optimize(objective, n_trials=2)
    study.sampler.reseed_rng()
    assert half.heard == ["before", "after", "before", "after", "reseed"]
    assert study.trials[0].params == {"x": 0.5, "y": 0.5}
    assert study.trials[1].params != {"x": 0.5, "y": 0.5}


def test_a_changed_range_is_sampled_independently_and_said() -> None:
    said: list[str] = []
    keeper = logging.Handler()
    keeper.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    study = made()
    study.optimize(objective, n_trials=10)
    logger = logging.getLogger("optuna")
    logger.addHandler(keeper)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    for _ in range(4):
        trial = study.ask({"x": UNIT, "y": FloatDistribution(0.5, 3.0)})
        assert 0.5 <= trial.params["y"] <= 3.0
        study.tell(trial, bowl(trial.params["x"], trial.params["y"]))
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    logger.removeHandler(keeper)
    assert list(study.sampler.infer_relative_search_space(study, study.trials[0])) == ["x"]
    optimizer = stoic.Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    for each in study.trials:
        optimizer.tell({"x": each.params["x"]}, each.values[0])
    assert study.ask().suggest_float("x", 0.0, 1.0) == optimizer.ask()["x"]
    assert len(said) == 1
    assert "'y' is sampled independently" in said[0]


def test_values_outside_the_search_space_are_left_out() -> None:
    study = made()
    study.optimize(objective, n_trials=9)
    study.enqueue_trial({"x": 5.0, "y": 0.5})
    with pytest.warns(UserWarning, match="out of range"):
        study.optimize(objective, n_trials=1)
    optimizer = stoic.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, direction="minimize")
    for trial in study.trials[:9]:
        optimizer.tell(trial.params, trial.values[0])
    assert asked(study) == optimizer.ask()


def test_a_long_suggestion_is_stored_in_parts(tmp_path: Path) -> None:
    """Optuna's databases hold 2,045 characters in an attribute."""
    study = optuna.create_study(
        storage=f"sqlite:///{tmp_path / 'optuna.db'}", sampler=StoicSampler()
    )
    space: dict[str, BaseDistribution] = {f"{i}" + 200 * "x": UNIT for i in range(12)}
    for _ in range(2):
        study.tell(study.ask(space), 1.0)
    waiting = study.ask()
    (name, *_) = space
    planned = waiting.suggest_float(name, 0.0, 1.0)
    assert asked(study, space)[name] != planned
    parts = [key for key in study.trials[2].system_attrs if key.startswith("stoic:")]
    assert len(parts) >= 2


@pytest.mark.parametrize("text", ["{", "[]", '{"x": "a", "y": 1}', '{"x": 1e999, "y": 0}', "7"])
def test_a_damaged_suggestion_is_ignored(text: str) -> None:
    study = made()
    study.optimize(objective, n_trials=9)
    damaged = study.ask()
    study._storage.set_trial_system_attr(damaged._trial_id, "stoic:0", text)
    study.optimize(objective, n_trials=1)
    assert asked(study) == by_hand(study).ask()


# -- the loops of Optuna ---------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_noisy_function_with_outliers(n_jobs: int) -> None:
    def noisy(trial: optuna.Trial) -> float:
        rng = random.Random(trial.number)
        outlier = -50.0 if trial.number % 9 == 4 else 0.0
        if trial.number % 10 == 7:
            trial.suggest_float("x", 0.0, 1.0)
            raise OSError("crashed")
        return objective(trial) + rng.gauss(0.0, 0.05) + outlier

    study = made()
    study.optimize(noisy, n_trials=40, n_jobs=n_jobs, catch=(OSError,))
    found = recommend(study)
    answer = found.answer.params
    assert bowl(answer["x"], answer["y"]) < 0.02
    corrupt = {number for number in range(40) if number % 9 == 4 and number % 10 != 7}
    assert {suspect.trial for suspect in found.suspects} == corrupt
    assert found.luckiest.trial.number == study.best_trial.number in corrupt


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_all_brackets_of_hyperband_are_one_study() -> None:
    def reporting(trial: optuna.Trial) -> float:
        value = objective(trial)
        for step in range(9):
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    pruner = optuna.pruners.HyperbandPruner(max_resource=9)
    study = made(study_name="hyperband", pruner=pruner)
    study.optimize(reporting, n_trials=15)
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE, TrialState.PRUNED}
    assert asked(study) == by_hand(study).ask()


def test_several_objectives_are_refused_at_once() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=StoicSampler())
    trial = optuna.trial.create_trial(values=[1.0, 2.0])
    sampler = study.sampler
    calls: Iterable[Callable[[], object]] = (
        lambda: sampler.infer_relative_search_space(study, trial),
        lambda: sampler.sample_relative(study, trial, {}),
        lambda: sampler.sample_independent(study, trial, "x", UNIT),
        lambda: recommend(study),
    )
    for call in calls:
        with pytest.raises(InvalidInput, match="one objective, got one of 2"):
            call()
    with pytest.raises(ValueError, match="one objective"):
        study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=5)
    assert len(study.trials) == 1


@pytest.mark.parametrize(
    ("distribution", "reason"),
    [
        (FloatDistribution(0.0, math.inf), "finite"),
        (FloatDistribution(1.0, 1.0 + 1e-14), "subtract the offset"),
        (FloatDistribution(5e-324, 1.0, log=True), "log scale"),
        (IntDistribution(0, 2**60), "use a Float"),
        (IntDistribution(1, 2**50, log=True), "log scale"),
    ],
)
def test_ranges_that_a_space_can_not_hold_are_refused_in_the_first_trial(
    distribution: BaseDistribution, reason: str
) -> None:
    with pytest.raises(InvalidInput, match=f"in parameter 'size', .*Distribution.*{reason}"):
        made().ask({"size": distribution})


def test_bad_arguments() -> None:
    with pytest.raises(InvalidInput, match="seed"):
        StoicSampler(seed=-1)
    with pytest.raises(InvalidInput, match="seed"):
        StoicSampler(seed=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="independent_sampler as a sampler of Optuna"):
        StoicSampler(independent_sampler="tpe")  # type: ignore[arg-type]


def test_a_distribution_that_is_not_known_is_refused() -> None:
    class Other(BaseDistribution):
        def to_internal_repr(self, value: Any) -> float:
            return float(value)

        def single(self) -> bool:
            return False

        def _contains(self, value: float) -> bool:
            return bool(value)

    study = made()
    with pytest.raises(InvalidInput, match="distribution of floats, integers or choices"):
        study.sampler.sample_independent(study, create_trial(value=1.0), "x", Other())


def test_without_optuna_the_import_says_what_to_install() -> None:
    code = "import sys; sys.modules['optuna'] = None; import stoic.integrations.optuna"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    error = f"{MissingExtra.__module__}.MissingExtra: expected package optuna for StoicSampler"
    assert error in done.stderr
    assert "pip install 'stoic[optuna]'" in done.stderr
