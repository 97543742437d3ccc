"""A PostgreSQL server of one's own, that can be stopped and killed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

__all__ = ["BINARIES", "Server", "server"]

BINARIES = next(
    (p for p in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True) if p.is_dir()),
    Path(shutil.which("initdb") or "/nowhere/initdb").parent,
)


class Server:
    """A server in a folder of its own, that listens on a socket there and nowhere else."""

    def __init__(self, *, sync: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="stoic-pg-"))
        self._user = _somebody()  # the server refuses to run as root
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        self._count, self._sync = 0, sync  # without it, only a power cut could hurt
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "stoic", "--no-sync", "-E", "UTF8")
        self.start()

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=60"
        options += "" if self._sync else " -c fsync=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", "data", "-w", "-o", options, "-l", log, "start")

    def stop(self) -> None:
        """End at once, as at a power cut."""
        self._run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")

    def kill(self) -> None:
        """End its main process without warning."""
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        while os.path.exists(f"/proc/{pid}"):
            time.sleep(0.01)

    def url(self, database: str) -> str:
        """The address of a database."""
        return f"postgresql://stoic@/{database}?host={self.folder}"

    def fresh(self) -> str:
        """The address of a new, empty schema."""
        self._count += 1
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA t{self._count}")
        return self.url("postgres") + f"&options=-csearch_path%3Dt{self._count}"

    def close(self) -> None:
        """Stop, and leave nothing."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [str(BINARIES / program), *words],
            check=True,
            cwd=self.folder,
            user=self._user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextmanager
def server(*, sync: bool = False) -> Iterator[Server]:
    """A server that is gone at the end."""
    made = Server(sync=sync)
    try:
        yield made
    finally:
        made.close()


def _somebody() -> str | None:
    """A user to be instead of root; None where we are not root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"
