"""Tell values and failures, add measurements, and note what is worth knowing."""

from __future__ import annotations

from typing import Any

from stoic.errors import AccessDenied
from stoic.server.api.callers import key_of, worker_of
from stoic.server.api.models import Add, Fail, Note, Outcome, Tell
from stoic.server.routing import Call, Routes
from stoic.server.store.writing import StudyRef
from stoic.study import Study

__all__ = ["routes"]

routes = Routes("tell")
_STUDY = "/v1/studies/{study}"


@routes.add("POST", _STUDY + ":tell", response_model=Outcome)
async def tell(call: Call, study: StudyRef, body: Tell) -> Any:
    """Report a value; it is on the disk when the reply comes.

    The trial is from then on that of the token that reported it first. Only that token may report
    further measurements of it, so that each measurement has one source.
    """

    def report(opened: Study) -> int:
        worker = _source(call, opened, body)
        opened.tell(body.trial, body.value, measurement=body.measurement, worker=worker)
        return opened.finished

    finished = await call.hub.write(study, report)
    return {"trial": body.trial, "state": "told", "finished": finished}


@routes.add("POST", _STUDY + ":fail", response_model=Outcome)
async def fail(call: Call, study: StudyRef, body: Fail) -> Any:
    """Report that a trial gave no value."""

    def report(opened: Study) -> int:
        opened.fail(body.trial, body.reason, worker=_source(call, opened, body))
        return opened.finished

    finished = await call.hub.write(study, report)
    return {"trial": body.trial, "state": "failed", "finished": finished}


def _source(call: Call, opened: Study, body: Tell | Fail) -> str | None:
    """Who reports; None for the worker who has the trial, if it is of the same token."""
    same = opened.worker_of(body.trial).startswith(f"{call.who.id}/")
    if isinstance(body, Tell) and body.measurement and not same:
        raise AccessDenied(
            f"expected further measurements of trial {body.trial} by the token that reported the "
            "first one, got another token; enqueue its configuration, and report it anew"
        )
    return None if same and not body.worker else worker_of(call, body.worker)


@routes.add("POST", _STUDY + ":add")
async def add(call: Call, study: StudyRef, body: Add) -> Any:
    """Take in a measurement that was made elsewhere, as a trial of its own.

    With a header Idempotency-Key the same request may be sent again: it is added once.
    """
    worker, key = worker_of(call, body.worker), key_of(call)
    trial = await call.hub.write(
        study, lambda opened: opened.add(body.params, body.value, key=key, worker=worker)
    )
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
