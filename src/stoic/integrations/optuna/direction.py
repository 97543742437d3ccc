"""The direction of a study of Optuna."""

from __future__ import annotations

from optuna.study import Study, StudyDirection

from stoic.errors import InvalidInput

__all__ = ["single_direction"]


def single_direction(study: Study) -> str:
    """``"maximize"`` or ``"minimize"``, or `InvalidInput` where there are several objectives."""
    directions = study.directions
    if len(directions) != 1:
        raise InvalidInput(
            f"expected a study of one objective, got one of {len(directions)}; optimise one of "
            "them, or their weighted sum, or use optuna.samplers.NSGAIISampler"
        )
    return "maximize" if directions[0] == StudyDirection.MAXIMIZE else "minimize"
