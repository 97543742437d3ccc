"""What is known of a study: answers, trials, the log, and events as they happen."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import StreamingResponse

from stoic.server.api.models import After, Log, Page, Trials
from stoic.server.events import position_of
from stoic.server.problems import busy
from stoic.server.routing import Call, Routes
from stoic.server.store.reading import Position
from stoic.server.store.writing import StudyRef

__all__ = ["routes"]

routes = Routes("read")
_STUDY = "/v1/studies/{study}"
_HEARTBEAT = b": here\n\n"
_HEARTBEATS = 15  # polls between two


def _part(name: str, words: str) -> None:
    """A route for one part of the result."""

    async def part(call: Call, study: StudyRef) -> Any:
        return {name: (await call.hub.answer(study))[name]}

    part.__name__, part.__doc__ = name, words
    routes.add("GET", f"{_STUDY}/{name}")(part)


_part("best", "The recommended configuration: the best estimated one, with its interval.")
_part("verdict", "Whether the answer is better than the baseline; null without finals.")
_part("suspects", "Measurements that are taken for corrupt, each with the reason.")
_part("luckiest", "The best observed value, and why it is or is not the answer.")


@routes.add("GET", _STUDY + "/result")
async def result(call: Call, study: StudyRef) -> Any:
    """All conclusions so far."""
    return await call.hub.answer(study)


@routes.add("GET", _STUDY + "/trials", response_model=Trials)
async def trials(call: Call, study: StudyRef, query: Page) -> Any:
    """Trials by number; the next page begins at the cursor."""
    return await call.hub.trials(study, int(query.cursor or 0), query.limit)


@routes.add("GET", _STUDY + "/log", response_model=Log)
async def log(call: Call, study: StudyRef, query: After) -> Any:
    """The log after an entry: outcomes with the parameters of their trials, and marks."""
    return await call.hub.reader.log(study, query.after, query.limit)


@routes.add("GET", _STUDY + "/events")
async def events(call: Call, study: StudyRef) -> Any:
    """Server-sent events: asked, told, failed, changed, noted and answer.

    With a header Last-Event-ID, those that came after that event are sent first.
    """
    given = call.headers.get("last-event-id")
    after = None if given is None else position_of(given)
    if not call.hub.streams_begin(call.who.id):
        raise busy("expected fewer streams of events; close one", 10)
    return StreamingResponse(
        _stream(call, study, after),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


async def _stream(call: Call, study: StudyRef, after: Position | None) -> AsyncIterator[bytes]:
    """Events as text; it ends when the server does, or the token is revoked."""
    quiet = 0
    try:
        yield b"retry: 2000\n\n"
        async for event in call.hub.feeds.subscribe(study, after):
            if event is not None:
                yield _text(event)
            elif (quiet := quiet + 1) % _HEARTBEATS == 0:
                if not call.gate.still(call):
                    return
                yield _HEARTBEAT
    finally:
        call.hub.streams_end(call.who.id)


def _text(event: dict[str, Any]) -> bytes:
    about = {name: value for name, value in event.items() if name not in ("id", "type")}
    data = json.dumps(about, allow_nan=False, separators=(",", ":"))
    return f"id: {event['id']}\nevent: {event['type']}\ndata: {data}\n\n".encode()
