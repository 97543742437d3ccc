"""Exclude measurements, trials, or all that a token reported; and take that back."""

from __future__ import annotations

from typing import Any

from stoic.errors import InvalidInput
from stoic.server.api.models import Exclude
from stoic.server.routing import Call, Routes
from stoic.server.store.writing import StudyRef

__all__ = ["routes"]

routes = Routes("exclude")
_STUDY = "/v1/studies/{study}"


@routes.add("POST", _STUDY + ":exclude")
async def exclude(call: Call, study: StudyRef, body: Exclude) -> Any:
    """Leave out of all answers and suggestions: a measurement, a trial, or all of a token.

    Nothing is deleted. ``changed`` is false where it was excluded already.
    """
    if _of_token(body):
        changed = await call.hub.exclude_worker(study, f"{body.token_id}/")
    else:
        changed = await call.hub.exclude(study, body.trial or 0, body.measurement)
    return {"changed": changed}


@routes.add("POST", _STUDY + ":include")
async def include(call: Call, study: StudyRef, body: Exclude) -> Any:
    """Take an exclusion back; ``changed`` is false where there was none."""
    if _of_token(body):
        changed = await call.hub.include_worker(study, f"{body.token_id}/")
    else:
        changed = await call.hub.include(study, body.trial or 0, body.measurement)
    return {"changed": changed}


def _of_token(body: Exclude) -> bool:
    """Whether a body is about a token, and not about a trial."""
    if (body.trial is None) == (body.token_id is None) or (
        body.token_id is not None and body.measurement is not None
    ):
        raise InvalidInput("expected a trial, maybe with a measurement, or the id of a token")
    return body.token_id is not None
