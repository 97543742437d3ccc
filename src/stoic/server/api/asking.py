"""Ask, and what holds or gives back a lease."""

from __future__ import annotations

from typing import Any

from stoic.errors import InvalidInput
from stoic.server.api.callers import key_of, worker_of
from stoic.server.api.models import Ask, Asked, Enqueue, Finals, Nothing, Release, Renew
from stoic.server.routing import Call, Routes
from stoic.server.store.asking import Asking
from stoic.server.store.writing import StudyRef
from stoic.study import Study, StudyTrial

__all__ = ["routes"]

routes = Routes("ask")
_STUDY = "/v1/studies/{study}"


@routes.add("POST", _STUDY + ":ask", response_model=Asked)
async def ask(call: Call, study: StudyRef, body: Ask) -> Any:
    """Trials to evaluate, leased to the worker.

    With a header Idempotency-Key the same request may be sent again: it gets the same trials.
    """
    asking = Asking(body.count, worker_of(call, body.worker), body.lease, body.budget, key_of(call))
    trials, finished = await call.hub.ask(study, asking)
    return {
        "trials": [_asked(trial, body.lease) for trial in trials],
        "finished": finished,
    }


def _asked(trial: StudyTrial, seconds: float) -> dict[str, Any]:
    return {
        "number": trial.number,
        "params": trial.params,
        "attempt": trial.attempt,
        "uid": trial.study,
        "lease": {"token": trial.token, "seconds": seconds, "until": trial.lease_until},
        "made": trial.made,
    }


@routes.add("POST", _STUDY + ":renew")
async def renew(call: Call, study: StudyRef, body: Renew) -> Any:
    """Keep a lease; ``renewed`` is false where it is another's by now."""
    trial = _held(study, body.trial, body.lease)
    renewed = await call.hub.write(study, lambda opened: opened.renew(trial, body.seconds))
    return {"renewed": renewed}


@routes.add("POST", _STUDY + ":release")
async def release(call: Call, study: StudyRef, body: Release) -> Any:
    """Give a trial back, to be asked again at once."""
    trial = _held(study, body.trial, body.lease)
    released = await call.hub.write(study, lambda opened: opened.release(trial))
    return {"released": released}


def _held(study: StudyRef, number: int, token: str) -> StudyTrial:
    """A trial as the holder of a lease names it."""
    return StudyTrial(number, {}, 0, 0.0, study.uid, token)


@routes.add("POST", _STUDY + ":enqueue")
async def enqueue(call: Call, study: StudyRef, body: Enqueue) -> Any:
    """Let a configuration be asked before any suggestion.

    With a header Idempotency-Key the same request may be sent again: it is enqueued once.
    """
    await call.hub.enqueue(study, body.params, key_of(call))
    return {"enqueued": True}


@routes.add("POST", _STUDY + ":finals")
async def finals(call: Call, study: StudyRef, body: Finals) -> Any:
    """Begin or end the finals, for all workers; ``finals`` says whether there are any now."""
    if (body.begin is None) != body.end:
        raise InvalidInput("expected begin with a number of evaluations, or end as true")
    if body.end:
        await call.hub.end_finals(study)
        return {"finals": False}
    return {"finals": await call.hub.finals(study, body.begin or 1, body.contenders)}


@routes.add("POST", _STUDY + ":reclaim")
async def reclaim(call: Call, study: StudyRef, body: Nothing) -> Any:
    """Take back the trials of processes that ended on the server's machine."""
    del body
    return {"reclaimed": await call.hub.write(study, Study.reclaim)}
