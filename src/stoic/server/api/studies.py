"""Make, list, show and delete studies."""

from __future__ import annotations

from typing import Any

import stoic
from stoic import study as studies_of_store
from stoic.errors import InvalidInput
from stoic.server.access import Verb
from stoic.server.api.models import Create, Page, Removal, Studies, StudyState, Widen
from stoic.server.api.spaces import space_of
from stoic.server.problems import Problem
from stoic.server.routing import Call, Routes, as_json
from stoic.server.store.writing import StudyRef

__all__ = ["routes"]

routes = Routes("studies")
_STUDIES = "/v1/studies"


@routes.add("GET", "/v1")
async def about(call: Call) -> Any:
    """The version, what the token grants, and the limits."""
    limits = call.limits
    return {
        "version": stoic.__version__,
        "verbs": [verb.value for verb in Verb if call.who.may(verb)],
        "token": call.who.id,
        "studies": list(call.who.studies),
        "read_only": call.hub.settings.read_only,
        "limits": {
            "body_bytes": limits.body_bytes,
            "json_depth": limits.json_depth,
            "parameters": limits.parameters,
            "studies": limits.studies,
            "batch": limits.batch,
            "page": limits.page,
            "requests_per_second": limits.per_second,
        },
    }


@routes.add("GET", _STUDIES, response_model=Studies)
async def listed(call: Call, query: Page) -> Any:
    """The studies that the token may see, oldest first."""
    found = [each for each in await call.hub.studies() if call.who.sees(each["name"])]
    start = int(query.cursor or 0)
    end = start + query.limit
    return {"studies": found[start:end], "cursor": str(end) if end < len(found) else None}


@routes.add("POST", _STUDIES, response_model=StudyState)
async def create(call: Call, body: Create) -> Any:
    """Make a study, or open the one of this name where its definition is the same.

    To make one, or to let one go on in a wider space, needs the verb admin.
    """
    if not call.who.sees(body.name):
        raise Problem(
            403, "access-denied", f"expected a token for study {body.name!r}, got another"
        )
    given = _arguments(call, body)
    found = await call.hub.resolve(body.name)
    if found is not None:
        if await call.hub.changes(found, given):
            _check_admin(call, "widen")
            return await call.hub.widen(found, given)
        return await call.hub.reader.state(found)
    _check_admin(call, "make")
    if len(await call.hub.studies()) >= call.limits.studies:
        raise Problem(409, "too-many-studies", f"expected at most {call.limits.studies} studies")
    return as_json(await call.hub.create(body.name, given), 201)


def _check_admin(call: Call, what: str) -> None:
    if not call.who.may(Verb.ADMIN):
        raise Problem(
            403, "access-denied", f"expected a token with the verb 'admin' to {what} a study"
        )


def _arguments(call: Call, body: Create) -> dict[str, Any]:
    given = body.model_dump(exclude_none=True, exclude={"name", "space"})
    given["space"] = space_of(body.space, call.limits)
    if body.bounds is not None:
        given["bounds"] = (body.bounds[0], body.bounds[1])
    return given


@routes.add("GET", _STUDIES + "/{study}", response_model=StudyState)
async def show(call: Call, study: StudyRef) -> Any:
    """The definition of a study, and how far it is."""
    return await call.hub.reader.state(study)


@routes.add("POST", _STUDIES + "/{study}:widen", response_model=StudyState)
async def widen(call: Call, study: StudyRef, body: Widen) -> Any:
    """Let the study go on in a wider space, or with a first baseline."""
    if body.space is None and body.baseline is None:
        raise InvalidInput("expected a space, or a baseline, got neither")
    given: dict[str, Any] = {}
    if body.space is not None:
        given["space"] = space_of(body.space, call.limits)
    if body.baseline is not None:
        given["baseline"] = body.baseline
    return await call.hub.widen(study, given)


@routes.add("DELETE", _STUDIES + "/{study}")
async def delete(call: Call, study: StudyRef, query: Removal) -> Any:
    """Remove a study and all of its trials; this can't be undone."""
    if query.uid != study.uid:
        raise Problem(409, "other-study", "expected the unique id of this study, got another")
    store = call.hub.settings.store
    await call.hub.writer.run_alone(lambda: studies_of_store.delete(store, study.name, study.uid))
    call.hub.forget(study)
    return {"deleted": True}
