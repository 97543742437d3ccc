"""A server in a thread of the tests, and a client that sends what it is told to."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoic.server.main import Service
from stoic.server.settings import Settings

__all__ = ["Client", "Here", "Reply", "running"]

_START_SECONDS = 30.0


@dataclass(frozen=True)
class Reply:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Client:
    """One connection to a server of this machine."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def call(
        self,
        method: str,
        path: str,
        data: object = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Send a request: data as JSON, or a body as it is."""
        every = dict(headers or {})
        if data is not None:
            body = json.dumps(data).encode()
        if body is not None:
            every.setdefault("Content-Type", "application/json")
        self._connection.request(method, path, body, every)
        reply = self._connection.getresponse()
        found = {name.lower(): value for name, value in reply.getheaders()}
        return Reply(reply.status, found, reply.read())

    def made(self, name: str, **about: Any) -> str:
        """Make a study on a square; its path."""
        body = {"name": name, "space": ["x=0:1.0", "n=1:9"], "direction": "minimize", **about}
        reply = self.call("POST", "/v1/studies", body)
        assert reply.status == 201, reply.body
        return f"/v1/studies/{name}"

    def stream(
        self, path: str, lines: list[str], ready: threading.Event, until: str, after: str = ""
    ) -> None:
        """Collect the lines of a stream of events, to one that holds ``until``."""
        headers = {"Last-Event-ID": after} if after else {}
        self._connection.request("GET", path, headers=headers)
        reply = self._connection.getresponse()
        assert reply.status == 200, reply.read()
        while piece := reply.readline():
            ready.set()
            lines.append(piece.decode().rstrip())
            if until in lines[-1]:
                break
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Here(Client):
    """A server in this process, and one connection to it."""

    def __init__(self, service: Service) -> None:
        super().__init__(service.socket.getsockname()[1])
        self.service = service


@contextmanager
def running(folder: Path, **how: Any) -> Iterator[Here]:
    """A server on a free port, with a store in a folder."""
    settings = Settings(str(folder / "studies.db"), port=0, **{"access_log": False, **how})
    service = Service(settings.checked())
    thread = threading.Thread(target=service.run, args=([service.socket],))
    thread.start()
    deadline = time.monotonic() + _START_SECONDS
    while not service.started and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    here = Here(service)
    try:
        assert service.started, "the server did not start"
        yield here
    finally:
        here.close()
        service.should_exit = True
        thread.join(_START_SECONDS)
        assert not thread.is_alive(), "the server did not stop"
