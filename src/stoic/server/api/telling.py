"""Tell values and failures, add measurements, and note what is worth knowing."""

from __future__ import annotations

from typing import Any

from stoic.server.api.models import Add, Fail, Note, Outcome, Tell
from stoic.server.routing import Call, Routes
from stoic.server.store.writing import StudyRef
from stoic.study import Study

__all__ = ["routes"]

routes = Routes("tell")
_STUDY = "/v1/studies/{study}"


@routes.add("POST", _STUDY + ":tell", response_model=Outcome)
async def tell(call: Call, study: StudyRef, body: Tell) -> Any:
    """Report a value; it is on the disk when the reply comes."""

    def report(opened: Study) -> int:
        opened.tell(body.trial, body.value, measurement=body.measurement)
        return opened.finished

    finished = await call.hub.write(study, report)
    return {"trial": body.trial, "state": "told", "finished": finished}


@routes.add("POST", _STUDY + ":fail", response_model=Outcome)
async def fail(call: Call, study: StudyRef, body: Fail) -> Any:
    """Report that a trial gave no value."""

    def report(opened: Study) -> int:
        opened.fail(body.trial, body.reason)
        return opened.finished

    finished = await call.hub.write(study, report)
    return {"trial": body.trial, "state": "failed", "finished": finished}


@routes.add("POST", _STUDY + ":add")
async def add(call: Call, study: StudyRef, body: Add) -> Any:
    """Take in a measurement that was made elsewhere, as a trial of its own."""
    trial = await call.hub.write(study, lambda opened: opened.add(body.params, body.value))
    return {
        "number": trial.number,
        "params": trial.params,
        "attempt": trial.attempt,
        "uid": trial.study,
    }


@routes.add("POST", _STUDY + ":note")
async def note(call: Call, study: StudyRef, body: Note) -> Any:
    """Add a note to a trial, for people."""
    await call.hub.write(study, lambda opened: opened.note(body.trial, body.text))
    return {"noted": True}
