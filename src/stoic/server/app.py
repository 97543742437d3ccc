"""The application: routes, guards, and what they use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from stoic.errors import MissingExtra

try:
    from fastapi import FastAPI
except ImportError as missing:
    raise MissingExtra.of(missing.name or "fastapi", "stoic serve", "server") from missing

import stoic
from stoic.server import signing
from stoic.server.api import asking, excluding, health, reading, studies, telling
from stoic.server.api.models import ProblemDetails
from stoic.server.gate import Gate
from stoic.server.guard.outer import Outer
from stoic.server.hub import Hub
from stoic.server.page import routes as page_routes
from stoic.server.routing import Guarded, Routes
from stoic.server.settings import Settings
from stoic.server.watch.metrics import Metrics

__all__ = ["api_of", "create_app"]

# the routes that are called most come first
ROUTES: tuple[Routes, ...] = (
    telling.routes, asking.routes, reading.routes, health.routes, studies.routes,
    excluding.routes, signing.routes, page_routes.routes,
)  # fmt: skip


def create_app(settings: Settings | None = None) -> Outer:
    """The server as an ASGI application; it opens the store when it starts."""
    given = (settings or Settings()).checked()
    metrics = Metrics()
    return Outer(api_of(given, metrics), given, metrics)


def api_of(settings: Settings, metrics: Metrics) -> FastAPI:
    """The routes, without the outer guards."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.hub = hub = Hub(settings, metrics)
        try:
            yield
        finally:
            await hub.close()

    app = FastAPI(
        title="Stoic",
        version=f"{stoic.__version__}",
        description="Ask and tell over HTTP, with the promises of the store.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    app.state.gate = Gate(settings)
    app.router.route_class = Guarded
    problems: dict[int | str, dict[str, Any]] = {
        "4XX": {"model": ProblemDetails},
        "5XX": {"model": ProblemDetails},
    }
    for routes in ROUTES:
        for method, path, endpoint, about in routes.found:
            app.add_api_route(
                path, endpoint, methods=[method], tags=[routes.tag],
                responses=problems, **about,
            )  # fmt: skip
    return app
