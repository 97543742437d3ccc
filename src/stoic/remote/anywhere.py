"""Studies wherever they are, in a store, or on a server: open, list, export and delete them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoic import study as stores
from stoic.errors import InvalidInput, UnknownStudy
from stoic.remote.address import Token, address, is_address
from stoic.remote.calling import Caller, Times
from stoic.remote.study import RemoteStudy, connect
from stoic.remote.wire import next_page, rows_in, summary_of
from stoic.study import Study, StudySummary
from stoic.study.exchange import transfer
from stoic.study.exchange.tables import format_of, write_table

__all__ = ["AnyStudy", "StoreOptions", "delete", "export", "open_study", "summaries"]

AnyStudy = Study | RemoteStudy
_PAGE = 1000


@dataclass(frozen=True)
class StoreOptions:
    """How a study of a store is opened; a server has decided this for its own."""

    mode: int = 0o600
    max_lost_leases: int | None = 5


def open_study(
    store: str, name: str, *, options: StoreOptions | None = None, **arguments: Any
) -> AnyStudy:
    """The study at a path, a URL or a server's address; arguments are those of `stoic.Study`."""
    options = options or StoreOptions()
    if not is_address(store):
        return Study(
            store, name, mode=options.mode, max_lost_leases=options.max_lost_leases, **arguments
        )
    if options.max_lost_leases != StoreOptions.max_lost_leases:
        raise InvalidInput(
            "expected a store of your own to limit lost leases, got a server's address; leave the "
            "limit out"
        )
    return connect(store, name, **arguments)


def summaries(store: str) -> tuple[StudySummary, ...]:
    """The studies of a store or a server, oldest first."""
    if not is_address(store):
        return stores.summaries(store)
    caller = _caller(store)
    try:
        return _listed(caller)
    finally:
        caller.close()


def export(store: str, name: str, path: Path, kind: str | None = None) -> int:
    """Write all trials of a study to a file; return the number of rows."""
    if not is_address(store):
        return transfer.export(store, name, path, kind)
    kind = format_of(path, kind)
    with connect(store, name) as study:
        table = study.table()
    write_table(table, path, kind)
    return len(table.rows)


def delete(store: str, name: str) -> None:
    """Remove a study and all of its trials; this can't be undone."""
    if not is_address(store):
        stores.delete(store, name)
        return
    caller = _caller(store)
    try:
        for each in _listed(caller):
            if each.name == name:
                path = caller.address.path("studies", each.uid)
                caller.delete(f"{path}?uid={each.uid}")
                return
        raise UnknownStudy(f"expected a study of the server at {caller.address}, got {name!r}")
    finally:
        caller.close()


def _caller(url: str) -> Caller:
    return Caller(address(url), Token.given(None), Times())


def _listed(caller: Caller) -> tuple[StudySummary, ...]:
    found: list[StudySummary] = []
    cursor: int | None = 0
    while cursor is not None:
        page = {"limit": _PAGE, **({"cursor": cursor} if cursor else {})}
        reply = caller.get(caller.address.path("studies"), page)
        found += map(summary_of, rows_in(reply, "studies"))
        cursor = next_page(reply, cursor)
    return tuple(found)
