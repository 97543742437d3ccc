"""The answer for the trials of a study of Optuna, whoever sampled them."""

from __future__ import annotations

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from stoic.checks import integer
from stoic.errors import InvalidInput
from stoic.integrations.optuna.axes import axes_of, covering
from stoic.integrations.optuna.studies import single_direction
from stoic.integrations.optuna.trials import Told, completed
from stoic.numbers import rounded
from stoic.optimize.aim import Aim
from stoic.optimize.answers import Conclusion, Luckiest
from stoic.spaces.wording import assignments

__all__ = ["Recommendation", "recommend"]


class Recommendation(Conclusion):
    """The answer of a study, its luckiest trial and its suspects, by Optuna's numbers of trials.

    ``answer`` has ``params``, ``value`` and ``interval``, ``luckiest`` and ``suspects`` say why
    they are not the answer. ``print`` shows them.
    """

    def __str__(self) -> str:
        count = len(self.suspects)
        lines = [
            f"Best configuration: {assignments(self.answer.params)}",
            f"  estimated value: {self.answer.shown('90% interval ')}",
            f"Luckiest: {self.luckiest}",
            *(f"Suspect: {suspect}" for suspect in self.suspects),
        ]
        return "\n".join(lines if count else [*lines, "No suspects"])


def recommend(
    study: Study,
    *,
    target: str = "median",
    bounds: tuple[float | None, float | None] | None = None,
    seed: int = 0,
) -> Recommendation:
    """The best *estimated* configuration of a study, with its interval, and what was luck.

    ``luckiest`` is the trial of the best value, usually ``study.best_trial``, and why it is or is
    not the answer; ``suspects`` are the trials called corrupt. Where trials have different
    parameters, as in a conditional space, those of the same ones are estimated together, and the
    answer is the estimate that is certainly best.

    Parameters
    ----------
    study
        Any study of one objective, whoever sampled its trials.
    target, bounds
        What is estimated, ``"median"`` or ``"mean"`` of all runs, and the lowest and highest
        possible value, such as ``(0, 1)`` for an accuracy; see `stoic.Optimizer`.
    seed
        Of the search for the answer.

    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(lambda trial: (trial.suggest_float("x", 0, 1) - 0.3) ** 2, n_trials=20)
    >>> abs(recommend(study).answer.params["x"] - 0.3) < 0.05
    True
    """
    aim = Aim.of(single_direction(study), target, bounds)
    seed = integer(seed, "seed", at_least=0, at_most=2**63 - 1)
    trials = [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]
    branches: dict[frozenset[str], list[FrozenTrial]] = {}
    for trial in sorted(trials, key=completed):
        branches.setdefault(frozenset(trial.params), []).append(trial)
    told = [_told(branch, aim, seed) for branch in branches.values()]
    found = [each.conclude() for each in told if each and each.optimizer.history.successes]
    if not found:
        raise InvalidInput(
            "expected trials with finite values and with a parameter that varies, got none among "
            f"{len(trials)} finished trials; optimise the study first"
        )
    return _best(found, aim.sign)


def _told(branch: list[FrozenTrial], aim: Aim, seed: int) -> Told | None:
    """An optimiser of trials with the same parameters; None where none of these varies."""
    complete = [trial for trial in branch if trial.state == TrialState.COMPLETE]
    names = sorted(complete[0].params) if complete else []
    space = {name: covering([trial.distributions[name] for trial in complete]) for name in names}
    if not any(axis.varies for axis in axes_of(space).values()):
        return None
    told = Told(space, aim, seed)
    told.follow(branch)
    return told


def _best(found: list[Conclusion], sign: float) -> Recommendation:
    """The conclusion of those of all branches."""

    def certain(each: Conclusion) -> tuple[float, float]:
        return min(sign * end for end in each.answer.interval), sign * each.answer.value

    best = max(found, key=certain)
    lucky = max(found, key=lambda each: sign * float(each.luckiest.trial.value or 0.0))
    luckiest = lucky.luckiest
    if lucky is not best:
        own, answer = rounded(lucky.answer.value), rounded(best.answer.value)
        why = f"not the answer: with its parameters the best estimate is {own}, against {answer}"
        luckiest = Luckiest(luckiest.trial, why)
    suspects = sorted((s for each in found for s in each.suspects), key=lambda s: s.trial)
    return Recommendation(best.answer, luckiest, tuple(suspects), best.explanation)
