"""A proxy before a server that loses requests and replies, as networks do."""

from __future__ import annotations

import random
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection

__all__ = ["Losing", "losing"]


@dataclass
class Losing:
    """What was lost so far; each fate of a request has the same chance of ``loss``."""

    target: int  # the server's port
    loss: float
    url: str = ""
    fates: Counter[str] = field(default_factory=Counter)
    draw: random.Random = field(default_factory=lambda: random.Random(1))

    def fate(self) -> str:
        """What happens to the next request."""
        drawn = self.draw.random()
        kinds = ("request lost", "reply lost", "reply cut")
        found = kinds[int(drawn / self.loss)] if drawn < 3 * self.loss else "well"
        self.fates[found] += 1
        return found


@contextmanager
def losing(target: int, loss: float) -> Iterator[Losing]:
    """Such a proxy, for as long as the block lasts."""
    state = Losing(target, loss)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        state.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        threading.Thread(target=_accept, args=(listening, state), daemon=True).start()
        yield state


def _accept(listening: socket.socket, state: Losing) -> None:
    with suppress(OSError):  # the block has ended
        while True:
            client, _ = listening.accept()
            threading.Thread(target=_serve, args=(client, state), daemon=True).start()


def _serve(client: socket.socket, state: Losing) -> None:
    with client, suppress(OSError), client.makefile("rb") as stream:
        while (line := stream.readline()) and _pass_on(line, client, stream, state):
            pass


def _pass_on(line: bytes, client: socket.socket, stream: object, state: Losing) -> bool:
    """Handle one request; whether the connection stays."""
    method, path, _ = line.decode().split()
    headers: dict[str, str] = {}
    read = stream.readline  # type: ignore[attr-defined]
    while (header := read().decode().strip()) != "":
        name, _, value = header.partition(":")
        headers[name.strip()] = value.strip()
    size = int(headers.get("Content-Length", 0))
    body = stream.read(size) if size else None  # type: ignore[attr-defined]
    fate = state.fate()
    if fate == "request lost":
        return False
    server = HTTPConnection("127.0.0.1", state.target, timeout=30)
    try:
        server.request(method, path, body, {**headers, "Connection": "close"})
        reply = server.getresponse()
        data = reply.read()
    finally:
        server.close()
    if fate == "reply lost":
        return False
    kind = reply.headers.get("Content-Type", "")
    head = f"HTTP/1.1 {reply.status} {reply.reason}\r\nContent-Type: {kind}\r\n"
    head += "".join(f"{k}: {v}\r\n" for k, v in reply.headers.items() if k == "Retry-After")
    whole = f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data
    client.sendall(whole[: len(whole) // 2] if fate == "reply cut" else whole)
    return fate == "well"
