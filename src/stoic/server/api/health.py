"""Whether the server runs, whether it is ready, and what it counted."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from stoic.server.api.describing import described
from stoic.server.problems import busy
from stoic.server.routing import Call, Routes
from stoic.server.watch.metrics import CONTENT_TYPE

__all__ = ["routes"]

routes = Routes("server")


@routes.add("GET", "/healthz")
async def healthz() -> Any:
    """Whether the process answers."""
    return {"status": "ok"}


@routes.add("GET", "/readyz")
async def readyz(call: Call) -> Any:
    """Whether the store can be read and the writer runs."""
    if not call.hub.writer.alive:
        raise busy("expected the writer to run, got none; start the server again", 5)
    await call.hub.reader.find("")  # reads the store, and finds none
    return {"status": "ready"}


@routes.add("GET", "/metrics")
async def metrics(call: Call) -> Any:
    """Counters and durations in the text form of Prometheus."""
    return Response(call.hub.metrics.text(), media_type=CONTENT_TYPE)


@routes.add("GET", "/openapi.json", include_in_schema=False)
async def openapi(call: Call) -> Any:
    """The description of this API."""
    return described(call.scope["app"])
