"""Several server processes on one store: each trial is leased once, and all see the same study."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from helpers.here import Client
from helpers.service import serving

TRIALS, WORKERS = 4, 4


@contextmanager
def stores(kind: str, folder: Path) -> Iterator[str]:
    """A store of a kind."""
    if kind == "file":
        yield str(folder / "studies.db")
        return
    pytest.importorskip("psycopg")
    from helpers.servers import BINARIES, server

    if not (BINARIES / "initdb").exists():
        pytest.skip("no PostgreSQL server is installed")
    with server() as made:
        yield made.fresh()


def work(port: int, method: str) -> list[int]:
    client, found = Client(port), []
    for _ in range(TRIALS):
        trial = client.call("POST", f"/v1/studies/{method}:ask", {}).data["trials"][0]
        body = {"trial": trial["number"], "value": trial["params"]["x"]}
        assert client.call("POST", f"/v1/studies/{method}:tell", body).status == 200
        found.append(trial["number"])
    client.close()
    return found


@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_two_servers(tmp_path: Path, kind: str) -> None:
    with stores(kind, tmp_path) as store, ExitStack() as stack:
        ports = [stack.enter_context(serving(store)).port for _ in range(2)]
        clients = [Client(port) for port in ports]
        for method in ("random", "auto"):
            body = {"name": method, "space": ["x=0:1.0"], "direction": "minimize", "method": method}
            made = [client.call("POST", "/v1/studies", body).status for client in clients]
            assert made == [201, 200]
            with ThreadPoolExecutor(WORKERS) as pool:
                work_on = [ports[i % 2] for i in range(WORKERS)]
                numbers = [
                    n for found in pool.map(work, work_on, [method] * WORKERS) for n in found
                ]
            assert sorted(numbers) == list(range(TRIALS * WORKERS))
            logs = [client.call("GET", f"/v1/studies/{method}/log").data for client in clients]
            assert logs[0] == logs[1]
            assert logs[0]["last"] == TRIALS * WORKERS
            uid = clients[0].call("GET", f"/v1/studies/{method}").data["uid"]
            clients[0].call("DELETE", f"/v1/studies/{method}?uid={uid}")
            assert clients[1].call("POST", f"/v1/studies/{uid}:ask", {}).status == 404
        for client in clients:
            client.close()
