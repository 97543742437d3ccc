"""Options that several commands have: where a study is, and what a new one is made of."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Maximize", "Minimize", "Params", "Store", "Valid"]

Store = Annotated[str, typer.Option(metavar="PATH|URL", help="Where the study is.")]
Params = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="NAME=RANGE", help="Of a new study: threads=1:64."),
]
Valid = Annotated[
    list[str] | None,
    typer.Option(metavar="EXPRESSION", help="Of a new study: what holds if it is valid."),
]
Minimize = Annotated[bool, typer.Option("--minimize", help="Low values are good.")]
Maximize = Annotated[bool, typer.Option("--maximize", help="High values are good.")]
