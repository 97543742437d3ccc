"""Run a server until it is told to stop; requests that were begun are answered first."""

from __future__ import annotations

import logging
import socket
import sys

from stoic.errors import InvalidInput, MissingExtra

try:
    import uvicorn
except ImportError as missing:
    raise MissingExtra.of("uvicorn", "stoic serve", "server") from missing

from stoic.redaction import redacted_url
from stoic.server.app import create_app
from stoic.server.guard.protocol import limited
from stoic.server.settings import Settings, is_loopback
from stoic.study.store import open_store

__all__ = ["Service", "serve"]

_GRACE_SECONDS = 15  # for requests under way when the server stops
_KEEP_ALIVE_SECONDS = 75
_BACKLOG = 1024


class Service(uvicorn.Server):
    """A server on a socket that is bound already."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.socket = _bound(settings)
        self.app = create_app(settings)
        config = uvicorn.Config(
            self.app, log_config=None, access_log=False, lifespan="on", ws="none",
            server_header=False, date_header=True, proxy_headers=settings.behind_proxy,
            forwarded_allow_ips="*" if settings.behind_proxy else None,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS, backlog=_BACKLOG, http=limited(settings.limits),
            h11_max_incomplete_event_size=settings.limits.header_bytes,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )  # fmt: skip
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say where the server is, once it answers."""
        await super().startup(sockets)
        if self.started:
            print(f"stoic serves {redacted_url(self.settings.store)!r} at {self.url}", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams of events first: they would go on for ever."""
        self.app.hub.stop_streams()
        await super().shutdown(sockets)

    @property
    def url(self) -> str:
        """Where the server listens."""
        host, port = self.socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM."""
    _log_to_stderr()
    writes = not settings.read_only
    open_store(settings.store, make=writes, convert=writes).close()  # or say why it can't be
    service = Service(settings)
    if not is_loopback(settings.host) and not settings.behind_proxy:
        print("stoic: tokens travel unencrypted: put a proxy with TLS in front", file=sys.stderr)
    service.run([service.socket])


def _bound(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as cause:
        listening.close()
        raise InvalidInput(
            f"expected to listen on {settings.host} port {settings.port}, got {cause.strerror}; "
            "name another --port, or end what uses it"
        ) from cause
    return listening


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("stoic")
    logger.setLevel(logging.INFO)
    logger.handlers[:] = [handler]
    logger.propagate = False
    logging.getLogger("stoic.study").setLevel(logging.WARNING)
