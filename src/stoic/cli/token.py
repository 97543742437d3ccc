"""``stoic token``: make, list and revoke the tokens of ``stoic serve``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from stoic.cli.refusals import plainly
from stoic.terminal import Console, Text, print_json

__all__ = ["token"]

token = typer.Typer(help="Make, list and revoke tokens of stoic serve.", no_args_is_help=True)

File = Annotated[
    Path, typer.Option("--file", "-f", metavar="FILE", help="Where the tokens are; private.")
]
_FILE = Path("stoic-tokens.json")
_REVOKED, _EXPIRED, _VALID = "revoked", "expired", "valid"


@token.command()
def new(
    verb: Annotated[
        list[str] | None,
        typer.Option(help="read, ask, tell or admin; may be repeated. By default all but admin."),
    ] = None,
    study: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="For this study alone; may be repeated."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="When it ends from now: 90m, 12h.")
    ] = None,
    note: Annotated[str, typer.Option(help="Who has it, for the list.")] = "",
    file: File = _FILE,
) -> None:
    """Make a token, and print it: it is shown this once.

    stoic token new --verb ask --verb tell --study latency
    """
    with plainly():
        from stoic.server.tokens import TokenFile
        from stoic.tune.settings import seconds

        after = None if expires is None else seconds(expires, "--expires")
        verbs = tuple(verb or ("read", "ask", "tell"))
        made = TokenFile(str(file)).add(verbs, tuple(study or ()), seconds=after, note=note)
        Console().print(Text(made), soft_wrap=True)


@token.command("list")
def listed(
    file: File = _FILE,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List tokens by their ids; secrets are not stored."""
    with plainly():
        from stoic.server.tokens import TokenFile, TokenRecord

        def state(record: TokenRecord) -> str:
            if record.revoked is not None:
                return _REVOKED
            return _VALID if record.valid(time.time()) else _EXPIRED

        found = TokenFile(str(file)).records()
        if as_json:
            print_json(
                [
                    {
                        "id": record.id,
                        "state": state(record),
                        "verbs": list(record.verbs),
                        "studies": list(record.studies),
                        "made": record.made,
                        "expires": record.expires,
                        "note": record.note,
                    }
                    for record in found
                ]
            )
            return
        for record in found:
            parts = [record.id, state(record), ",".join(record.verbs), ",".join(record.studies)]
            Console().print(Text("  ".join([*parts, record.note]).rstrip()), soft_wrap=True)


@token.command(no_args_is_help=True)
def revoke(
    key: Annotated[str, typer.Argument(metavar="ID", help="Of the token, as `list` shows it.")],
    file: File = _FILE,
) -> None:
    """Let a token end now; a server that runs follows at once."""
    with plainly():
        from stoic.server.tokens import TokenFile

        TokenFile(str(file)).revoke(key)
        Console().print(Text(f"token {key} is revoked"), soft_wrap=True)
