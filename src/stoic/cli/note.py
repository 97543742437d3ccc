"""``stoic study note``: a note of the user on a trial."""

from __future__ import annotations

from typing import Annotated

import typer

from stoic.cli.options import Store
from stoic.cli.refusals import plainly
from stoic.cli.study import Name, opened_study
from stoic.terminal import Console, Text

__all__ = ["note"]


def note(
    trial: Annotated[int, typer.Argument(min=0, help="Number of the trial.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="At most 1000 characters.")],
    name: Name = None,
    store: Store = "stoic.db",
) -> None:
    """Add a note to a trial, for people: exports and ``stoic study trials`` show it."""
    with plainly():
        with opened_study(store, name) as opened:
            opened.note(trial, text)
        Console().print(Text(f"trial {trial} of {opened.name!r} has the note"), soft_wrap=True)
