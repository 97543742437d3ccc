"""``stoic serve``: ask and tell over HTTP, and a live page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stoic.cli.refusals import plainly

__all__ = ["serve"]


def serve(
    store: Annotated[
        str,
        typer.Argument(
            metavar="STORE",
            help="A path, or a URL: postgresql://ann@db/tuning; its password in PGPASSWORD.",
        ),
    ] = "stoic.db",
    host: Annotated[str, typer.Option(help="Where to listen; others need tokens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8313,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of `stoic token new`.")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="By which clients call this server; may be repeated."),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Change nothing.")] = False,
    behind_proxy: Annotated[
        bool,
        typer.Option("--behind-proxy", help="Take addresses and TLS from a proxy's headers."),
    ] = False,
    advisers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes that compute suggestions.")
    ] = 1,
    access_log: Annotated[
        bool, typer.Option("--access-log/--no-access-log", help="A line of JSON for each request.")
    ] = True,
) -> None:
    """Serve the studies of a store: an HTTP API for workers, and a page to watch.

    stoic serve stoic.db
    """
    with plainly():
        from stoic.server.main import serve as run
        from stoic.server.settings import Settings

        run(
            Settings(
                store=store, host=host, port=port,
                token_file=None if token_file is None else str(token_file),
                read_only=read_only, behind_proxy=behind_proxy,
                allow_hosts=tuple(allow_host or ()), advisers=advisers, access_log=access_log,
            ).checked()
        )  # fmt: skip
