"""A small HTTP client over asyncio, and a server process to call: shared by the benchmarks."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Client", "Reply", "Running", "serving"]

_URL = re.compile(r"http://([0-9.]+):([0-9]+)")
_START_SECONDS = 60


@dataclass(frozen=True)
class Reply:
    """Status and body of a reply."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Client:
    """One connection that is kept open, as of one worker."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        credentials = f"Authorization: Bearer {token}\r\n" if token else ""
        self._head = f"Host: 127.0.0.1:{port}\r\n{credentials}".encode()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, method: str, path: str, data: object = None, extra: str = "") -> Reply:
        """Send a request, and wait for its reply."""
        if self._reader is None or self._writer is None:
            opening = asyncio.open_connection("127.0.0.1", self.port)
            self._reader, self._writer = await opening
        body = b"" if data is None else json.dumps(data).encode()
        head = f"{method} {path} HTTP/1.1\r\n{extra}".encode() + self._head
        if data is not None:
            head += b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
        self._writer.write(head + b"\r\n" + body)
        return await self._reply(self._reader)

    async def _reply(self, reader: asyncio.StreamReader) -> Reply:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.split(": ", 1) for line in lines[1:] if line)
        headers = {name.lower(): value for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection") == "close":
            await self.close()
        return Reply(int(lines[0].split(" ")[1]), headers, body)

    async def close(self) -> None:
        """Close the connection."""
        writer, self._reader, self._writer = self._writer, None, None
        if writer is not None:
            writer.close()


@dataclass(frozen=True)
class Running:
    """A server process."""

    process: subprocess.Popen[str]
    port: int
    log: Path

    @property
    def megabytes(self) -> float:
        """Its resident memory, without that of the processes that compute for it."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else 0.0

    @property
    def cpu_seconds(self) -> float:
        """The processor time that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(store: str, log: Path, *options: str) -> Iterator[Running]:
    """A server on a free port of loopback, stopped at the end."""
    command = [sys.executable, "-c", "from stoic.cli import main; main()", "serve", store]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*command, "--port", "0", *options],
            stdout=subprocess.PIPE, stderr=errors, text=True, env=environment,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = _URL.search(line)
            if found is None:
                raise RuntimeError(f"the server did not start: {log.read_text()[-2000:]}")
            yield Running(process, int(found[2]), log)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(_START_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
