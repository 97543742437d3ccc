"""`make demo-live`: a server, three workers that tune the simulated server, and the live page.

    python -m examples.server.live STORE [--port 8313] [--budget 80] [--workers 3]

Prints the address of the page, and opens it where there is a browser. Ctrl-C stops all.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path

SPACE = Path(__file__).with_name("server.toml")
PYTHON = [sys.executable, "-m", "stoic"]
NAME = "server"
_STOP_SECONDS = 20.0  # for each process to end by itself


def main() -> None:
    """Start the server and the workers; stop them at the end, or at Ctrl-C."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--port", type=int, default=8313)
    parser.add_argument("--budget", type=int, default=80)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--end", action="store_true", help="stop when the budget is spent")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    address = f"http://127.0.0.1:{given.port or _free_port()}"
    running: list[subprocess.Popen[str]] = []
    try:
        running.append(_serve(given.store, address))
        for _ in range(given.workers):
            running.append(_work(address, given.budget))
        print(f"\nThe live page: {address}/studies/{NAME}", flush=True)
        print(f"{given.workers} workers tune {SPACE}; Ctrl-C stops all.", flush=True)
        if not given.no_browser and _has_screen():
            webbrowser.open(f"{address}/studies/{NAME}")
        for worker in running[1:]:
            worker.wait()
        if not given.end:
            print("The budget is spent; the page stays until Ctrl-C.", flush=True)
            running[0].wait()
    except KeyboardInterrupt:
        print("\nStopping.", flush=True)
    finally:
        _stop(running)


def _serve(store: str, address: str) -> subprocess.Popen[str]:
    port = address.rpartition(":")[2]
    command = [*PYTHON, "serve", store, "--port", port, "--no-access-log"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line.startswith("stoic serves"):
        server.wait()
        raise SystemExit(f"the server did not start on {address}; try another --port")
    return server


def _work(address: str, budget: int) -> subprocess.Popen[str]:
    """A worker that asks the server, with the program's settings."""
    command = [*PYTHON, "tune", "--space", str(SPACE), "--store", address, "--name", NAME]
    command += ["--budget", str(budget), "--no-report"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, text=True, start_new_session=True)


def _stop(running: list[subprocess.Popen[str]]) -> None:
    """Workers first, so that they release their trials; then the server."""
    for group, how in ((running[1:], signal.SIGINT), (running[:1], signal.SIGTERM)):
        for process in group:
            if process.poll() is None:
                process.send_signal(how)
        for process in group:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
            if process.poll() is None:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _has_screen() -> bool:
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, screens))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


if __name__ == "__main__":
    main()
