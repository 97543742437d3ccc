"""What a sampler needs of a study of Optuna and its storage.

Optuna passes samplers a study, whose storage is in underscored attributes. Optuna's own samplers
use them as well: there is no other way to store something with a running trial, or to see the
trials of all brackets of a `HyperbandPruner`.
"""

from __future__ import annotations

from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial

from stoic.errors import InvalidInput

__all__ = ["place", "set_attribute", "single_direction"]


def single_direction(study: Study) -> str:
    """``"maximize"`` or ``"minimize"``, or `InvalidInput` where there are several objectives."""
    directions = study.directions
    if len(directions) != 1:
        raise InvalidInput(
            f"expected a study of one objective, got one of {len(directions)}; optimise one of "
            "them, or their weighted sum, or use optuna.samplers.NSGAIISampler"
        )
    return "maximize" if directions[0] == StudyDirection.MAXIMIZE else "minimize"


def place(study: Study) -> tuple[BaseStorage, int]:
    """The storage of a study, and the study's number in it."""
    return study._storage, study._study_id


def set_attribute(study: Study, trial: FrozenTrial, name: str, text: str) -> None:
    """Store a text with a trial that is not finished."""
    study._storage.set_trial_system_attr(trial._trial_id, name, text)
