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
    prefix = _prefix(body)
    if prefix is not None:
        return {"changed": await call.hub.exclude_worker(study, prefix)}
    return {"changed": await call.hub.exclude(study, body.trial or 0, body.measurement)}


@routes.add("POST", _STUDY + ":include")
async def include(call: Call, study: StudyRef, body: Exclude) -> Any:
    """Take an exclusion back; ``changed`` is false where there was none."""
    prefix = _prefix(body)
    if prefix is not None:
        return {"changed": await call.hub.include_worker(study, prefix)}
    return {"changed": await call.hub.include(study, body.trial or 0, body.measurement)}


def _prefix(body: Exclude) -> str | None:
    """How the names of the workers begin that a body is about; None where it is about a trial."""
    given = [each for each in (body.trial, body.token_id, body.worker) if each is not None]
    if len(given) != 1 or (body.measurement is not None and body.trial is None):
        raise InvalidInput(
            "expected one of trial (maybe with measurement), token_id and worker in the body"
        )
    return body.worker if body.token_id is None else f"{body.token_id}/"
