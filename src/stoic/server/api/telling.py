"""Tell values and failures, add measurements, and note what is worth knowing."""

from __future__ import annotations

from typing import Any

from stoic.server.api.models import Add, Fail, Note, Tell
from stoic.server.routing import Call, Routes
from stoic.server.writing import StudyRef

__all__ = ["routes"]

routes = Routes("tell")
_STUDY = "/v1/studies/{study}"


@routes.add("POST", _STUDY + ":tell")
async def tell(call: Call, study: StudyRef, body: Tell) -> Any:
    """Report a value; it is on the disk when the reply comes."""
    await call.hub.write(
        study, lambda opened: opened.tell(body.trial, body.value, measurement=body.measurement)
    )
    return {"told": True}


@routes.add("POST", _STUDY + ":fail")
async def fail(call: Call, study: StudyRef, body: Fail) -> Any:
    """Report that a trial gave no value."""
    await call.hub.write(study, lambda opened: opened.fail(body.trial, body.reason))
    return {"told": True}


@routes.add("POST", _STUDY + ":add")
async def add(call: Call, study: StudyRef, body: Add) -> Any:
    """Take in a measurement that was made elsewhere, as a trial of its own."""
    trial = await call.hub.write(study, lambda opened: opened.add(body.params, body.value))
    return {"number": trial.number}


@routes.add("POST", _STUDY + ":note")
async def note(call: Call, study: StudyRef, body: Note) -> Any:
    """Add a note to a trial, for people."""
    await call.hub.write(study, lambda opened: opened.note(body.trial, body.text))
    return {"noted": True}
